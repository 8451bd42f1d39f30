"""One record, one match: plays that already stand for another match are a question, whoever sends them and however."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client

from demo.club import written
from engine.actions import Act
from engine.errors import Refused
from engine.records import write
from engine.simulation import play_out
from engine.transcript import Transcript
from matches.lifecycle.finish import Basis, ResultInput, append_result, standing_result
from matches.lifecycle.locks import lock_match
from matches.models import GameFingerprint, Match, Result, Submission
from matches.play.transcripts import transcript_of
from matches.records.comparison import MIN_ROLLS, fingerprints
from matches.reporting import records, reports
from matches.reporting.records import RecordRuling, apply_verdict
from players.actors import SYSTEM, Actor
from players.models import Player, User
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes
from tests.matches.play.conftest import Board, board
from tests.matches.ratings.history import void
from tests.matches.records.foreign_files import bgf, ogxm
from tests.matches.reporting.test_records import CAROL_WINS, played, send, why

__all__ = ["board"]

pytestmark = pytest.mark.django_db
Standing = Submission.Standing
WAIVED = ("record_repeats", None, None)

TURNED = {0: 1, 1: 0}


def seen_from_the_other_side(match: Transcript) -> Transcript:
    """The same match with its players in the other order."""
    games = tuple(
        replace(
            game,
            events=tuple(event._replace(side=TURNED.get(event.side, event.side)) for event in game.events),
            start=game.start and game.start[::-1],
            claim=game.claim and game.claim._replace(winner=1 - game.claim.winner),
        )
        for game in match.games
    )
    return replace(match, players=match.players[::-1], games=games, start=match.start and match.start[::-1])


SPELT: dict[str, Callable[[Transcript], bytes]] = {
    "the same file": lambda match: write(match, "mat"),
    "other names": lambda match: write(replace(match, players=("Bob", "Someone")), "mat"),
    "sgf": lambda match: write(match, "sgf"),
    "json": lambda match: write(match, "json"),
    "gnubg": lambda match: written(match, "gnubg", "m").data,
    "xg": lambda match: written(match, "xg", "m").data,
    "studio": lambda match: written(match, "studio", "m").data,
    "xg-text, sides turned": lambda match: written(seen_from_the_other_side(match), "xg-text", "m").data,
    "sgf, sides turned": lambda match: write(seen_from_the_other_side(match), "sgf"),
    "ogxm": ogxm,
    "bgf": bgf,
}


@pytest.fixture
def others(bob_player: Player, carol_player: Player) -> Callable[..., Match]:
    """Open another match of Bob and Carol to 3 in which records stand at once."""
    return lambda **settings: match_between(
        bob_player, carol_player, **{"length": 3, "records_stand": True, **settings}
    )


@pytest.mark.parametrize("spelt", SPELT.values(), ids=SPELT)
def test_one_match_is_a_question_in_any_other_whoever_sends_it(
    others: Callable[..., Match], bob: User, carol: User, spelt: Callable[[Transcript], bytes]
) -> None:
    assert send(others(), played(), carol, CAROL).standing == Standing.STANDS
    for user, side in ((carol, CAROL), (bob, BOB)):
        match = others()
        row = send(match, spelt(played()), user, side)
        assert (row.standing, why(row)) == (Standing.REFUSED, "record_repeats")
        assert (standing_result(match), match.claims.count(), match.state) == (None, 0, Match.State.OPEN)


@pytest.mark.parametrize("seed", range(4))
def test_fingerprints_tell_games_apart_and_nothing_else(seed: int) -> None:
    match = play_out(seed, 3)
    assert fingerprints(match)
    assert fingerprints(seen_from_the_other_side(match)) == fingerprints(match)
    renumbered = replace(match, games=tuple(replace(game, number=1) for game in match.games))
    assert fingerprints(renumbered) == fingerprints(match)
    assert not set(fingerprints(play_out(seed + 100, 3))) & set(fingerprints(match))
    assert fingerprints(replace(match, games=())) == []


def test_one_long_game_of_another_match_is_enough(others: Callable[..., Match], bob: User, carol: User) -> None:
    longer = played(length=5)
    assert set(fingerprints(played())) & set(fingerprints(longer)), "both begin with the same game"
    send(others(), played(), carol, CAROL)
    assert why(send(others(length=5), longer, bob)) == "record_repeats"
    assert why(send(others(), played(CAROL_WINS), bob)) is None


def test_short_matches_are_the_same_as_a_whole(others: Callable[..., Match], bob: User) -> None:
    short = " 1 point match\n\n Game 1\n Bob : 0                         Carol : 0\n"
    short += "  1) 31: 8/5 6/5                  64: 24/14\n  2) 52: {:<29} Wins 1 point and the match\n"
    assert MIN_ROLLS > 3
    plays = ("13/8 13/11", "13/11 13/8", "13/8 6/4")
    sent = [why(send(others(length=1, records_stand=False), short.format(play).encode(), bob)) for play in plays]
    assert sent == [None, "record_repeats", None]


def test_both_players_of_a_match_may_send_its_record(others: Callable[..., Match], bob: User, carol: User) -> None:
    match = others(records_stand=False)
    first, second = send(match, played(), bob), send(match, write(played(), "sgf"), carol, CAROL)
    first.refresh_from_db()
    assert (first.standing, why(second)) == (Standing.STANDS, "already_uploaded")


def withdrawn(match: Match, by: Actor) -> None:
    reports.withdraw_report(match=match, side=BOB, by=by, now=minutes(1))


def overruled(match: Match, _by: Actor) -> None:
    with transaction.atomic():
        entered, basis = ResultInput(CAROL, (0, 3)), Basis(Result.Source.DIRECTOR)
        append_result(lock_match(match.pk), entered, basis, by=SYSTEM, now=minutes(1))


@pytest.mark.parametrize("free", [lambda match, _by: void(match), withdrawn, overruled])
def test_plays_are_free_again_once_they_stand_for_no_other_match(
    others: Callable[..., Match], bob: User, carol: User, free: Callable[[Match, Actor], None]
) -> None:
    first, second = others(records_stand=False), others()
    assert send(first, played(), bob).standing == Standing.REPORT
    assert why(send(second, played(), carol, CAROL)) == "record_repeats"
    free(first, Actor.of(bob))
    again = apply_verdict(submission_id=send(second, played(), carol, CAROL).pk, now=minutes(2))
    assert again is not None
    assert (again.standing, again.refusal, standing_result(second) is None) == (Standing.STANDS, None, False)


def test_a_director_may_accept_it_all_the_same(others: Callable[..., Match], alice: User, carol: User) -> None:
    send(others(), played(), carol, CAROL)
    row = send(others(), played(), carol, CAROL)
    assert [fault.name for fault in records.faults_of(row)] == [WAIVED]
    by = Actor.of(alice)
    with pytest.raises(Refused, check=lambda refused: refused.code == "findings_not_waived"):
        records.accept_by_ruling(submission=row, ruling=RecordRuling(), by=by, now=NOW)
    result = records.accept_by_ruling(submission=row, ruling=RecordRuling([WAIVED]), by=by, now=NOW)
    assert (result.submission, result.waived) == (row, [list(WAIVED)])


@pytest.fixture
def users(bob: User, carol: User) -> list[User]:
    return [bob, carol]


@pytest.fixture
def match(bob_player: Player, carol_player: Player) -> Match:
    """To be played on the board."""
    return match_between(bob_player, carol_player, length=3, parent_topic="")


@pytest.fixture
def played_here(board: Board) -> Transcript:
    """A match to 3 that Bob and Carol played here, until Carol conceded, as a record to download."""
    mover = board.open_game()
    for _ in range(2 * MIN_ROLLS):
        board.do(mover, Act.PLAY, moves=board.any_play() if board.game.legal_plays() else ())
        mover = 1 - mover
        board.do(mover, Act.ROLL)
    board.do(CAROL, Act.CONCEDE)
    return transcript_of(board.live)


def test_plays_of_a_match_here_settle_no_other(
    played_here: Transcript, others: Callable[..., Match], board: Board, carol: User
) -> None:
    assert why(send(others(), write(played_here, "sgf"), carol, CAROL)) == "record_repeats"
    void(board.match)
    assert why(send(others(), write(played_here, "sgf"), carol, CAROL)) is None


def test_earlier_records_and_matches_are_known_after_the_upgrade(
    played_here: Transcript, others: Callable[..., Match], carol: User
) -> None:
    send(others(), played(), carol, CAROL)
    fields = ("match", "submission", "fingerprint")
    known = set(GameFingerprint.objects.values_list(*fields))
    assert {submission is None for _match, submission, _fingerprint in known} == {True, False}
    GameFingerprint.objects.all().delete()
    import_module("matches.migrations.0027_game_fingerprints").note_games(apps, None)
    assert set(GameFingerprint.objects.values_list(*fields)) == known


def test_the_other_match_is_named_to_whoever_may_see_it(
    others: Callable[..., Match], bob: User, carol: User, dave: User, client: Client
) -> None:
    first, second = others(visibility=Match.Visibility.PRIVATE), others()
    send(first, played(), carol, CAROL)
    send(second, played(), bob)
    unnamed, named = "already stand for another match.", "already stand for another match: Bob – Carol."
    for reader, text in ((bob, named), (carol, named), (dave, unnamed)):
        client.force_login(reader)
        assert text in client.get(f"/matches/{second.public_id}/").content.decode()
        [record] = client.get(f"/api/v1/matches/{second.public_id}/").json()["records"]
        assert (record["code"], record["message"].endswith(text)) == ("record_repeats", True)
