"""The canonical `.mat` file, what survives in it, and the styles of other programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.adjudication import adjudicate
from engine.errors import Refused
from engine.records import read, write, write_mat
from engine.records.mat_writer import STYLES
from engine.transcript import Event, Game, Kind, StatedResult, Transcript
from engine.verdict import Severity

from .samples import play
from .strategies import (
    KEY,
    NAME,
    NUMBER,
    RECORD_SETTINGS,
    SIDE,
    TEXT,
    bare,
    cube_actions,
    plays,
    positions,
    transcripts,
)

MATCH = Transcript(
    players=("Bob", "Carol"),
    length=3,
    info={"Event": "Club night", "EventDate": "2024.05.01"},
    games=(
        Game(
            number=1,
            start=(0, 0),
            events=(
                play(1, "31", "8/5", "6/5"),
                play(0, "66", "24/18*", "24/18", "13/7", "13/7"),
                play(1, "52"),
                Event(0, Kind.DOUBLE, value=2),
                Event(1, Kind.TAKE),
                play(0, "41", "25/21", "6/5*"),
                Event(1, Kind.PLAY, (6, 5), None),
                Event(0, Kind.DOUBLE, value=4),
                Event(1, Kind.DROP),
            ),
            claim=StatedResult(0, 2),
        ),
        Game(
            2, (play(0, "21", "13/11", "6/5"), Event(1, Kind.RESIGN, points=1)), (2, 0), claim=StatedResult(0, 1, True)
        ),
    ),
)

CANONICAL = """\
; [Event "Club night"]
; [EventDate "2024.05.01"]

 3 point match

 Game 1
 Bob : 0                         Carol : 0
  1)                             31: 8/5 6/5
  2) 66: 24/18*(2) 13/7(2)       52:
  3)  Doubles => 2                Takes
  4) 41: bar/21 6/5*             65: ????
  5)  Doubles => 4                Drops
      Wins 2 points

 Game 2
 Bob : 2                         Carol : 0
  1) 21: 13/11 6/5                Resigns 1 points
      Wins 1 point and the match

"""


def test_the_canonical_form() -> None:
    assert write(MATCH, "mat").decode() == CANONICAL


def test_a_written_match_is_read_back_unchanged() -> None:
    assert read(write(MATCH, "mat")) == MATCH


def test_the_style_of_xg_has_a_mark_windows_lines_and_no_stars() -> None:
    text = write_mat(MATCH, "xg").decode()
    assert text.startswith("\ufeff; [Event")
    assert "  2) 66: 24/18 24/18 13/7 13/7   52:\r\n" in text
    assert "      Wins 1 point and the match\r\n" in text
    assert "*" not in text
    assert "Resigns" not in text


def test_the_style_of_galaxy_says_who_lost() -> None:
    text = write_mat(MATCH, "galaxy").decode()
    assert "  1) 21: 13/11 6/5                Losses 1 point\n" in text


RESIGNATION = (play(1, "31", "8/5", "6/5"), Event(1, Kind.RESIGN, value=1))
ACCEPTED = (*RESIGNATION, Event(0, Kind.ACCEPT))
AFTER_REFUSAL = (play(0, "21", "13/11", "6/5"), Event(1, Kind.DOUBLE), Event(0, Kind.DROP))
REFUSED = (*RESIGNATION, Event(0, Kind.REFUSE), *AFTER_REFUSAL)


@pytest.mark.parametrize(("events", "winner"), [(ACCEPTED, 0), (REFUSED, 1)], ids=["accepted", "refused"])
@pytest.mark.parametrize("dialect", STYLES)
def test_a_resignation_and_its_answer_can_be_adjudicated_in_every_style(
    dialect: str, events: tuple[Event, ...], winner: int
) -> None:
    match = Transcript(("Bob", "Carol"), 3, (Game(1, events, (0, 0), claim=StatedResult(winner, 1)),))
    verdict = adjudicate(read(write_mat(match, dialect)))
    assert [(game.winner, game.points) for game in verdict.games] == [(winner, 1)]
    assert [str(finding) for finding in verdict.findings if finding.severity is Severity.ERROR] == []


@pytest.mark.parametrize("dialect", ["gnubg", "xg", "xg-text", "galaxy", "studio", "opengammon"])
def test_every_style_has_the_same_plays(dialect: str) -> None:
    def written_events(transcript: Transcript) -> list[object]:
        return [
            (event.side, event.kind, event.dice, event.moves and [move.points for move in event.moves])
            for game in transcript.games
            for event in game.events
            if event.kind is not Kind.RESIGN
        ]

    transcript = read(write_mat(MATCH, dialect))
    assert written_events(transcript) == written_events(MATCH)
    assert [game.claim and game.claim[:2] for game in transcript.games] == [(0, 2), (0, 1)]
    assert transcript.problems == ()


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(Refused, match="“doc”"):
        write(MATCH, "doc")
    with pytest.raises(Refused, match="“doc”"):
        write_mat(MATCH, "doc")


def test_names_with_line_breaks_stay_on_their_line() -> None:
    named = Transcript(("Bob\nBad", "  Carol\t"), 3, MATCH.games)
    assert read(write(named, "mat")).players == ("Bob Bad", "Carol")


def test_a_long_name_moves_the_right_column() -> None:
    named = Transcript(("B" * 90, "Carol"), 3, MATCH.games)
    assert read(write(named, "mat")) == named


def test_the_star_of_a_repeated_move_is_that_of_the_first() -> None:
    events = (play(0, "22", "8/6*", "8/6*", "6/4", "6/4*"), play(1, "11", *["3/2"] * 6))
    transcript = Transcript(("Bob", "Carol"), 3, (Game(1, events, (0, 0)),))
    text = write(transcript, "mat").decode()
    assert "8/6* 8/6* 6/4 6/4*" in text
    assert "3/2(4) 3/2(2)" in text
    assert read(text.encode()) == transcript


def _giving_up() -> st.SearchStrategy[Event]:
    values = st.none() | st.integers(1, 3)
    resigning = st.builds(lambda s, v, p: Event(s, Kind.RESIGN, value=v, points=p), SIDE, values, st.none() | NUMBER)
    return resigning | bare(Kind.REFUSE, Kind.CONCEDE, Kind.FLAG)


def _by_hand() -> st.SearchStrategy[Event]:
    boards = st.builds(lambda position: Event(0, Kind.SET_POSITION, position=position), positions())
    cubes = st.builds(lambda side, value: Event(side, Kind.SET_CUBE, value=value), st.integers(-1, 1), NUMBER)
    illegal = st.builds(
        lambda side, dice, position: Event(side, Kind.ILLEGAL, dice, position=position),
        SIDE,
        st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)),
        positions(),
    )
    beavers = st.builds(lambda side, value: Event(side, Kind.BEAVER, value=value), SIDE, st.none() | NUMBER)
    return boards | cubes | illegal | beavers


def _no_answer_follows(transcript: Transcript) -> bool:
    """Whether there is no take after a resignation, where `Accepts` is read as the answer to it."""
    pairs = [pair for game in transcript.games for pair in zip(game.events, game.events[1:], strict=False)]
    return not any(first.kind is Kind.RESIGN and second.kind is Kind.TAKE for first, second in pairs)


def _no_setup_marker(transcript: Transcript) -> bool:
    """Whether no game has an illegal play before its first play, where the marker can stand for a set-up position."""
    firsts = (next((event.kind for event in game.events if event.kind in TURNS), None) for game in transcript.games)
    return Kind.ILLEGAL not in firsts


TURNS = (Kind.PLAY, Kind.ILLEGAL)
RANDOM = transcripts(
    plays() | cube_actions(st.none() | NUMBER) | _giving_up() | _by_hand(),
    info=st.dictionaries(KEY.filter(lambda key: key not in ("Crawford", "Jacoby", "Variation")), TEXT, max_size=3),
).filter(lambda transcript: _no_answer_follows(transcript) and _no_setup_marker(transcript))


@pytest.mark.slow
@RECORD_SETTINGS
@given(RANDOM)
def test_everything_that_a_mat_file_can_hold_survives(transcript: Transcript) -> None:
    again = read(write(transcript, "mat"))
    # Where a name could be misread it is also written as a remark; what was read then stays as it is.
    assert again.players == transcript.players
    assert again.games == transcript.games
    assert read(write(again, "mat")) == again


@pytest.mark.slow
@RECORD_SETTINGS
@given(RANDOM, st.sampled_from(("gnubg", "xg", "xg-text", "galaxy", "studio", "opengammon")))
def test_every_style_can_write_and_be_read(transcript: Transcript, dialect: str) -> None:
    again = read(write_mat(transcript, dialect))
    assert [game.start for game in again.games] == [game.start for game in transcript.games]
    assert [game.claim and game.claim[:2] for game in again.games] == [
        game.claim and game.claim[:2] for game in transcript.games
    ]


@RECORD_SETTINGS
@given(NAME, NAME)
def test_any_name_survives(left: str, right: str) -> None:
    transcript = Transcript((left, right), 5, (Game(1, (play(0, "31", "8/5", "6/5"),), (0, 0)),))
    again = read(write(transcript, "mat"))
    assert again.players == (left, right)
    assert again.games == transcript.games
