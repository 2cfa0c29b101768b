"""Codabench: a shared task's bundle, whose scoring program is evenhand with its wheels.

``bundle`` writes it, ``program`` runs on a worker.
"""
