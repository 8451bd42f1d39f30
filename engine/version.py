"""The version of the adjudication, stored with every verdict."""

VERSION = "5"
"""Increased whenever the same record may get a different verdict."""
