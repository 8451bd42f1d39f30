"""What whoever is not playing sees of a match played here, and when."""
