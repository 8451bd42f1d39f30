"""What is erased and exported of a person's matches."""
