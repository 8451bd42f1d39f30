"""Notifications on the site, by e-mail and by web push (docs/notifications.md)."""
