"""What is printed for an event: score sheets, draw sheets, lists and table cards."""
