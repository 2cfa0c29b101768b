"""Results into text for people and programs. All escaping lives here."""
