"""The chat of the players of a match played here, and the comments of its spectators."""
