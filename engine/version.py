"""The version of the rules as written here; every stored verdict names the one that made it."""

VERSION = "3"
"""Grows by one whenever the same record may be judged differently."""
