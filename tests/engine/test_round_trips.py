"""A match that is read, normalised, written and read again is the same in every format."""

import pytest

from engine import Outcome, adjudicate, normalised, replay
from engine.records import read, write
from engine.simulation import PlayStyle, play_out
from engine.transcript import Event, Kind, Transcript
from engine.verdict import Frame
from tests.tiers import first_in_make_test

FORMATS = ("mat", "sgf", "json")
SAMPLES = {
    "one point": play_out(seed=11, length=1),
    "seven points": play_out(seed=12, length=7),
    "random players": play_out(seed=13, length=5, styles=(PlayStyle.RANDOM, PlayStyle.RANDOM)),
    "a start score": play_out(seed=14, length=9, start=(2, 0)),
    "the Crawford game at once": play_out(seed=15, length=7, start=(6, 3)),
    "a long match": play_out(seed=16, length=25),
}


def again(transcript: Transcript, format: str) -> Transcript:  # noqa: A002, the field's own word
    """Return the match after writing and reading."""
    return read(write(transcript, format))


def essence(transcript: Transcript) -> list[object]:
    """Return what a verdict depends on. SGF has no cube values, and `.mat` shows a resignation in the result only."""
    return [
        transcript.players,
        transcript.length,
        *(
            (
                game.number,
                game.start,
                game.claim and game.claim[:2],
                [event._replace(value=None) for event in game.events if plain(event)],
            )
            for game in transcript.games
        ),
    ]


def plain(turn: Event | Frame) -> bool:
    return turn.kind in (Kind.PLAY, Kind.DOUBLE, Kind.TAKE, Kind.DROP)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_a_simulated_match_survives_writing_and_reading(sample, format):  # noqa: A002
    first = normalised(sample)
    back = again(first, format)
    assert essence(normalised(back)) == essence(first)
    assert adjudicate(back).outcome is adjudicate(sample).outcome is Outcome.ACCEPTED
    assert adjudicate(back).games == adjudicate(sample).games
    assert [frame.after for frame in replay(back) if plain(frame)] == [
        frame.after for frame in replay(sample) if plain(frame)
    ]


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_json_loses_nothing(sample):
    first = normalised(sample)
    assert again(first, "json") == first


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_normalising_twice_changes_nothing(sample):
    assert normalised(normalised(sample)) == normalised(sample)


@pytest.mark.parametrize("target", FORMATS)
def test_every_format_can_be_turned_into_every_other(target):
    sample = normalised(SAMPLES["seven points"])
    for source in FORMATS:
        assert essence(normalised(again(normalised(again(sample, source)), target))) == essence(sample)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("pattern", first_in_make_test("gnubg/*.mat", "gnubg/*.sgf", "records/*/*"))
def test_records_of_other_programs_survive_writing_and_reading(shared_data, pattern, format):  # noqa: A002
    """Every fourth record is read, not the same ones for each format."""
    paths = [path for path in sorted(shared_data.glob(pattern)) if path.is_file()]
    assert len(paths) >= 82
    for path in paths[FORMATS.index(format) :: 4]:
        first = normalised(read(path.read_bytes()))
        back = again(first, format)
        assert essence(normalised(back)) == essence(first), path.name
        # A resignation that a `.mat` only implies is marked in SGF, which is all that may differ.
        assert [game[:8] for game in adjudicate(back).games] == [game[:8] for game in adjudicate(first).games], (
            path.name
        )
