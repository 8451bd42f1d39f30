"""Accounts, players and clubs."""
