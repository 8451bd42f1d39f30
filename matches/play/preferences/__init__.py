"""How an account wants to play here: what happens by itself, what is confirmed, how the board looks."""
