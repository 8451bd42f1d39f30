"""A site after some years, for measuring: many players, past matches and events."""
