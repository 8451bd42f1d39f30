"""What the floor makes of acts that were done without a connection."""
