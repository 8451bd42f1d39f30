"""One wrong play gives one error: what follows is checked from the position that fits it best."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from engine import Frame, Transcript, adjudicate, legal_plays, replay
from engine.records import read, write
from engine.simulation import play_out
from engine.transcript import Event, Kind, Move
from engine.verdict import Finding, Severity

MATCHES = [read(write(play_out(seed, 3), "mat")) for seed in range(40)]


def errors_with(match: Transcript, frame: Frame, event: Event) -> list[str]:
    """Return the codes of all errors after the event of a frame is replaced."""
    return [finding.code for finding in findings_with(match, frame, event) if finding.severity is Severity.ERROR]


def findings_with(match: Transcript, frame: Frame, event: Event) -> Sequence[Finding]:
    game = match.games[frame.game - 1]
    events = (*game.events[: frame.event], event, *game.events[frame.event + 1 :])
    games = [*match.games[: frame.game - 1], replace(game, events=events), *match.games[frame.game :]]
    return adjudicate(replace(match, games=tuple(games))).findings


def moved_elsewhere(event: Event, chance: Random) -> Event:
    """Return the play with one checker one or two points away from its target."""
    moves = list(event.moves or ())
    at = chance.randrange(len(moves))
    *way, target = moves[at].points
    moves[at] = Move((*way, max(0, target + chance.choice((-1, 1, 2)))))
    return event._replace(moves=tuple(moves))


def without_its_last_move(event: Event, chance: Random) -> Event:
    return event._replace(moves=(event.moves or ())[:-1])


def with_another_die(event: Event, chance: Random) -> Event:
    assert event.dice
    return event._replace(dice=(event.dice[0] % 6 + 1, event.dice[1]))


def backwards(event: Event, chance: Random) -> Event:
    return event._replace(moves=tuple(Move(move.points[::-1]) for move in event.moves or ()))


def one_checker_backwards(event: Event, chance: Random) -> Event:
    first, *others = event.moves or ()
    return event._replace(moves=(Move(first.points[::-1]), *others))


def with_points_of_the_opponent(event: Event, chance: Random) -> Event:
    return event._replace(moves=tuple(Move(tuple(25 - point for point in move.points)) for move in event.moves or ()))


@pytest.mark.parametrize("damage", [backwards, one_checker_backwards, with_points_of_the_opponent])
def test_a_play_written_backwards_is_one_finding(damage):
    """Nothing else is reported, not even a note: the plays after it are read as they were written."""
    damaged = 0
    for seed, match in enumerate(MATCHES):
        chance = Random(seed)
        before = adjudicate(match).findings
        plays = [frame for frame in replay(match) if frame.kind is Kind.PLAY and frame.steps]
        for frame in chance.sample(plays, 4):
            event = match.games[frame.game - 1].events[frame.event]
            codes = Counter(finding.code for finding in findings_with(match, frame, damage(event, chance)))
            codes.subtract(finding.code for finding in before)
            assert +codes == Counter(["no_such_move"]), (seed, frame.game, frame.event, event)
            damaged += 1
    assert damaged == 4 * len(MATCHES)


@pytest.mark.parametrize("damage", [moved_elsewhere, without_its_last_move, with_another_die])
def test_one_wrong_play_gives_one_error(damage):
    errors = Counter()
    for seed, match in enumerate(MATCHES):
        chance = Random(seed)
        frame = chance.choice([frame for frame in replay(match) if frame.kind is Kind.PLAY and frame.steps])
        event = match.games[frame.game - 1].events[frame.event]
        errors[len(errors_with(match, frame, damage(event, chance)))] += 1
    assert errors[0] + errors[1] >= 0.95 * len(MATCHES), errors
    assert errors[1] > errors[0], errors


def test_a_blank_forced_play_is_no_error():
    forced = [
        (match, frame)
        for match in MATCHES
        for frame in replay(match)
        if frame.kind is Kind.PLAY and frame.dice and len(legal_plays(frame.before, frame.dice)) == 1
    ]
    assert len(forced) > 40
    for match, frame in forced[::10]:
        event = match.games[frame.game - 1].events[frame.event]
        assert errors_with(match, frame, event._replace(moves=())) == [], (frame.game, frame.event)


def test_following_a_game_from_another_position_is_noted_once():
    rows = "  1) 31: 8/5 7/6    51: 24/19 6/5\n  2) 65: 24/14    61: 13/7 8/7\n"
    record = f" 7 point match\n\n Game 1\n Bob : 0              Carol : 0\n{rows}"
    codes = [finding.code for finding in adjudicate(read(record.encode())).findings]
    assert codes.count("followed_from_likeliest") == 1
    assert len(codes) > 2
