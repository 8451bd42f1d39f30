"""What a journey may take. More taps or keystrokes fail; whoever needs fewer lowers the ceiling."""

from typing import NamedTuple


class Ceiling(NamedTuple):
    """The most taps and keystrokes, and what stood in the way before the pages were mended for the journey."""

    taps: int
    keystrokes: int
    before: str = "the same"


CEILINGS = {
    #                                               taps  keystrokes  before
    "first evening, until the first call":   Ceiling(20, 305, "18 taps, 300 keystrokes and the URL of the floor"),
    "tonight, same as last week, and undone": Ceiling(4, 0, "no way in one step"),
    "arrivals and fees of 19":               Ceiling(22, 0, "42 taps, on two pages"),
    "all of 19 here and paid":               Ceiling(5, 0, "42 taps; 3 of the 5 lead to the desk"),
    "result on a phone":                     Ceiling(6, 0, "6 taps, 2 keystrokes"),
    "result at a desk":                      Ceiling(6, 0),
    "result by a line, and taken back":      Ceiling(3, 12),
    "late entry":                            Ceiling(6, 10),
    "no-show":                               Ceiling(5, 0),
    "a player goes home":                    Ceiling(6, 0, "no preview"),
    "gone home early, by oneself":          Ceiling(4, 0, "no preview"),
    "gone home, found out by the call":      Ceiling(6, 0, "no such answer to a call"),
    "calls follow check-in: all here":       Ceiling(3, 0, "calls did not follow check-in"),
    "a table breaks, and is repaired":       Ceiling(8, 10, "11 taps, the match moved first"),
    "a season from a preset, and one line changed": Ceiling(24, 14, "no seasons"),
    "a season for those who have entered": Ceiling(16, 0, "only members or entries could not be asked for"),
    "a season in a frame of the club's website": Ceiling(4, 0, "seasons could not be embedded"),
    "an old night is corrected, and the season with it": Ceiling(32, 10, "no seasons"),
    "a part of the fees for the season, and who is due what of it": Ceiling(28, 8, "no journey"),
    "some ranks start in later rounds of the final": Ceiling(12, 89, "such places were not drawn"),
    "the best of a season are asked, and the next rank moves up": Ceiling(20, 8, "no places to answer about"),
    "correct two rounds ago, and undo it":   Ceiling(13, 2, "no way from the bracket"),
    "prizes, closing, summary":              Ceiling(15, 1, "22 taps, back through the page of the event"),
    "next week the same":                    Ceiling(4, 0),
    "code of the sheet, score, where next":  Ceiling(11, 2, "not told where next"),
    "signed in: my table now":               Ceiling(1, 0),
    "signed in: my next match":             Ceiling(1, 0, "2 taps"),
    "from the front page to a practice match": Ceiling(2, 0, "7 taps and an account"),
    "a hint without an account":            Ceiling(4, 0, "not possible"),
    "a match begun without an account, kept": Ceiling(8, 31, "not possible"),
    "the match that most people watch":     Ceiling(1, 0, "2 taps"),
    "my club's next event, and left again":  Ceiling(5, 0, "6 taps, without coming back"),
    "new here: into the club's next event":  Ceiling(9, 31, "not from the page of the club"),
    "a match being played":                  Ceiling(2, 0),
    "a live match, shared and embedded":    Ceiling(5, 0, "the address of a frame was in no page for viewers"),
    "a friend's rating":                     Ceiling(3, 5),
    "the wall":                              Ceiling(2, 0, "no link unless a match was played here"),
    "play a friend":                         Ceiling(7, 3, "the full name, 5 keystrokes"),
    "challenge from a player's page":        Ceiling(5, 0, "to the top of the page of challenges"),
    "from sign-up to the club's next event": Ceiling(13, 39, "no way to join a club"),
    "a wrong “This is me”, undone by either": Ceiling(8, 0, "nothing for the person"),
    "check a record, find its worst error":  Ceiling(6, 0),
    "object to a result; confirm the others": Ceiling(7, 20),
    "why I play whom, and why my place":     Ceiling(5, 0, "no page said it"),
    "how do I report a result":           Ceiling(2, 0, "no page explained it"),
    "how do I correct a result":          Ceiling(2, 0, "no page explained it"),
    "how programs use the site":             Ceiling(2, 0, "no page explained it"),
    "make an API token":                     Ceiling(6, 19, "5 taps, without the password"),
    "what I need on the last night":         Ceiling(1, 0, "no page said it"),
    "close a season, award its title":       Ceiling(6, 0, "no titles"),
    "a night without rounds":                Ceiling(26, 24),
    "a night without rounds until a time":   Ceiling(19, 8),
    "another formula, previewed, and back":  Ceiling(16, 1, "no formula to choose, no preview"),
    "how my club rates me":                  Ceiling(4, 0, "no page said it"),
    "a spreadsheet becomes a season":        Ceiling(36, 12),
    "a spreadsheet of matches becomes head-to-heads and ratings": Ceiling(20, 24),
}  # fmt: skip
