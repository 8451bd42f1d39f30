"""A demonstration club, made by the same services that people use; see `load`."""

from tournaments.demo.club import Login, is_loaded, load

__all__ = ["Login", "is_loaded", "load"]
