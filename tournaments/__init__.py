"""Who meets whom, and who won the event."""
