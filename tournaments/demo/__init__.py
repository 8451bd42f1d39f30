"""A demonstration club, created by the same services as a real one; see `load`."""

from tournaments.demo.club import Login, is_loaded, load

__all__ = ["Login", "is_loaded", "load"]
