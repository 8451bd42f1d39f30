"""The page on which every roll of a match played here can be checked."""
