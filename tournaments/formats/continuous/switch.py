"""From lives without rounds to a bracket: how many places each number of lives is worth."""

PLACES = {0: 0, 1: 1, 2: 2, 3: 4, 4: 4, 5: 8}
"""Lives left -> places of the bracket, a power of two, so that their holder has byes in its first rounds."""


def places_of(lives: int) -> int:
    """Return the places that an entry with so many lives has in the bracket."""
    return PLACES[lives]


def fall(lives: int) -> int:
    """Return how many of these places a lost match costs."""
    return PLACES[lives] - PLACES[lives - 1]
