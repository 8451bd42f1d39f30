"""Backups: one portable archive of the whole database, from SQLite or PostgreSQL and to either."""
