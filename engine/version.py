"""The version of the adjudication, stored with every verdict."""

VERSION = "6"
"""Increased whenever the same record may get a different verdict."""
