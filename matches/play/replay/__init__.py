"""Replays, step by step: of records that were sent in and of matches played here."""
