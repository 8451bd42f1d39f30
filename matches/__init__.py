"""One match, played here or sent in."""
