"""Money sessions, which have no chances of winning a match."""

from matches.analysis.access import SeenAnalysis, Subject
from matches.analysis.match_analysis import figures_of
from matches.models import Analysis, Decision


def test_the_luck_of_a_money_session_is_an_equity() -> None:
    subject = Subject(("Bob", "Carol"), winner=None, replay_url="", topic="", url="", back="", is_over=True)
    rolls = tuple(
        Decision(game=1, event=side, side=side, kind="play", phase="contact", own_away=0, error=0, luck=luck)
        for side, luck in enumerate((0.25, -0.125))
    )
    seen = SeenAnalysis(Analysis(state=Analysis.State.DONE), (True, True), rolls)
    assert [figures.luck for figures in figures_of(seen, subject)] == ["+0.25", "−0.12"]
