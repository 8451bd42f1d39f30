"""Live play under load, over HTTP: an installation, its players and its spectators."""
