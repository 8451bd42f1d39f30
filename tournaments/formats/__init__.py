"""Formats as pure functions: who meets whom, and what follows from the results."""
