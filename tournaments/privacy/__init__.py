"""What is erased and exported of what a person did in events."""
