"""Codabench: a shared task's bundle, whose scoring program is evenhand with its wheels.

``bundle`` writes it, ``program`` is what runs on a worker, ``wheels`` what the worker needs.
"""
