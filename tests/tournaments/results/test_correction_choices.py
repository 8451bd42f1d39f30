"""Corrections: what each choice leaves alone, and what is refused."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from engine.errors import Refused
from engine.records import write
from engine.simulation import play_out
from formats.settings import StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import PlayerRating
from matches.records.submissions import RecordFile
from matches.reporting import records, reports
from matches.reporting.records import adjudicate_submission
from players.actors import SYSTEM, Actor
from players.models import LogEntry
from tests.tournaments.support.correcting import (
    DOUBLE,
    GROUPS,
    KNOCKOUT,
    LATER,
    PROGRESSIVE,
    SWISS,
    Cup,
    integrity_differences,
    won_by,
)
from tournaments.models import Advance, Correction, Fixture
from tournaments.results import corrections
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput, corrections_of
from tournaments.state.preview import Choice
from tournaments.state.settle import settle_division

pytestmark = pytest.mark.django_db


def refusal(act: Callable[..., Any], *args: Any, **named: Any) -> str:
    """The code with which something is refused."""
    with pytest.raises(Refused) as refused:
        act(*args, **named)
    return refused.value.code


# What each choice leaves alone


def other_winner(cup: Cup, fixture: Fixture) -> ResultInput:
    """The opposite of what stands, played."""
    standing = cup.results()[fixture.number]
    assert standing.winner is not None
    return won_by(1 - standing.winner, 1)


def test_the_list_names_the_players_of_the_corrected_match(django_assert_max_num_queries: Any) -> None:
    """Also after another correction has given the fixture another match; the list takes the same few queries."""
    cup = Cup.create(8, KNOCKOUT).play(Random(4), wild=False)
    last = cup.settled()[-1]
    assert last.match is not None
    cup.correct(last, other_winner(cup, last))
    names = tuple(player.shown_name for player in last.match.players)
    for fixture in cup.settled()[:3]:
        cup.correct(fixture, other_winner(cup, fixture), "correct_all")
    assert Fixture.objects.get(pk=last.pk).match_id != last.match_id
    event = cup.division.tournament
    with django_assert_max_num_queries(3):
        lines = corrections_of(event)
    assert len(lines) == 4
    assert [line.names for line in lines if line.correction.fixture_id == last.pk] == [names]


@pytest.mark.parametrize("stages", [KNOCKOUT, DOUBLE, PROGRESSIVE, GROUPS])
def test_a_kept_bracket_keeps_every_slot_and_every_later_stage(stages: list[StageSettings]) -> None:
    cup = Cup.create(8, stages).play(Random(4), wild=False)
    cup.replay()
    before, ratings = cup.standing(), cup.rated()
    first = cup.settled()[0]
    new = other_winner(cup, first)
    cup.correct(first, new, "keep_bracket")
    cup.replay()
    after = cup.standing()
    assert cup.results()[first.number].score == new.score
    assert [after[what] for what in ("slots", "fixtures", "stages", "division")] == [
        before[what] for what in ("slots", "fixtures", "stages", "division")
    ]
    assert {number for number in after["results"] if after["results"][number] != before["results"][number]} == {
        first.number
    }
    assert cup.rated() != ratings
    if before["tables"]:
        assert after["tables"] != before["tables"], "standings count the new result"
    assert integrity_differences() == []


@pytest.mark.slow
def test_a_bracket_kept_twice_is_still_kept_and_the_preview_says_so() -> None:
    """Two of each of two groups in a knockout, of which a semi-final is decided; a group match is corrected twice."""
    cup = Cup.create(8, GROUPS).play(Random(6), most=13, wild=False)
    semi_finals = [cup.fixture(13), cup.fixture(14)]
    assert [row.status for row in semi_finals].count(Fixture.Status.DECIDED) == 1
    moved = 0
    for fixture in cup.settled()[:12]:
        before, was = cup.standing(), ResultInput.of(cup.results()[fixture.number])
        assert was.winner is not None
        undo = []
        for new in (ResultInput(None, None, "double_forfeit"), won_by(1 - was.winner, 1), won_by(was.winner, 1)):
            preview = corrections.preview_correction(fixture=fixture, new=new)
            assert preview.consequences[Choice.KEEP_BRACKET].changes == ()
            moved += bool(preview.all.changes)
            undo.append(cup.correct(fixture, new, "keep_bracket"))
            assert kept_of(cup.standing()) == kept_of(before)
        undone = [cup.undo(correction) for correction in reversed(undo)]
        assert cup.standing() == before
        for correction in reversed(undone):
            cup.undo(correction)
            assert kept_of(cup.standing()) == kept_of(before)
        for correction in Correction.objects.filter(undoes__in=undone).order_by("-pk"):
            cup.undo(correction)
        assert cup.standing() == before
        assert integrity_differences() == []
    assert moved, "some of these corrections would move the bracket"


@pytest.mark.slow
def test_a_kept_bracket_that_moved_is_found() -> None:
    cup = Cup.create(8, GROUPS).play(Random(6), most=13, wild=False)
    forfeit = ResultInput(None, None, "double_forfeit")
    kept = [cup.correct(fixture, forfeit, "keep_bracket") for fixture in cup.settled()[:12]]
    again = [cup.correct(correction.fixture, won_by(0), "keep_bracket") for correction in kept]
    cup.replay()
    assert integrity_differences() == []
    for advance in Advance.objects.filter(result__in=[correction.after_id for correction in again]):
        advance.places = []
        advance.save()
    settle_division(division_id=cup.division.pk, now=LATER)
    assert any("places in a kept bracket" in difference for difference in integrity_differences())
    Advance.objects.filter(result=again[0].after_id).update(side=1)
    assert any("side that advances in a kept bracket" in difference for difference in integrity_differences())


def kept_of(standing: dict[str, Any]) -> dict[str, Any]:
    """What a kept bracket keeps."""
    return {name: standing[name] for name in ("slots", "fixtures", "stages", "division")}


@pytest.mark.slow
def test_an_undo_makes_a_match_void_as_it_was_before_the_correction() -> None:
    """The final does not count for the ratings after the first correction, but does after the third."""
    cup = Cup.create(4, KNOCKOUT).play(Random(1), wild=False)
    first = cup.settled()[0]
    was, other = ResultInput.of(cup.results()[first.number]), other_winner(cup, first)
    done, before = [], []
    for new, rated in ((other, False), (was, True), (other, True)):
        cup.replay()
        before.append((cup.standing(), cup.rated()))
        done.append(cup.correct(first, new, voided_rated=rated))
    while done:
        preview = corrections.preview_undo(correction=done[-1])
        cup.undo(done.pop())
        changes = {item.player: item.after for item in preview.all.ratings}
        cup.replay()
        standing, rated_matches = before.pop()
        assert (cup.standing(), cup.rated()) == (standing, rated_matches)
        now = dict(PlayerRating.objects.filter(pool=cup.pool).values_list("player", "rating"))
        assert {player: now[player] for player in changes} == changes
    assert integrity_differences() == []


def test_letting_a_result_stand_only_writes_to_the_log() -> None:
    cup = Cup.create(4, KNOCKOUT).play(Random(1), wild=False)
    first = cup.settled()[0]
    before, lines = (cup.standing(), cup.seq), LogEntry.objects.count()
    unchanged = CorrectionInput(other_winner(cup, first), "let_stand")
    applied = corrections.apply_correction(fixture=first, correction=unchanged, after=cup.seq, by=SYSTEM, now=LATER)
    assert applied is None
    assert (cup.standing(), cup.seq) == before
    assert LogEntry.objects.count() == lines + 1
    assert LogEntry.objects.latest("pk").verb == "correction_left"


@pytest.mark.slow
def test_a_paired_round_stays_and_the_next_follows_the_corrected_scores() -> None:
    cup = Cup.create(6, SWISS).play(Random(2), most=4, wild=False)
    first = cup.settled()[0]
    paired = cup.standing()["slots"]
    done = cup.correct(first, other_winner(cup, first))
    assert cup.standing()["slots"] == paired, "rounds 1 and 2 stay"
    scores = {entry: points for _key, entry, _place, points, _figures in cup.standing()["tables"][0]}
    cup.play(Random(3), wild=False)
    third = [row for row in cup.standing()["slots"] if row[0] > 6]
    assert len(third) == 6
    # Whoever won all is met by whoever has most besides him, by the corrected scores.
    assert max(scores.values()) >= 1
    cup.correct(cup.fixture(first.number), ResultInput(None, None, "double_forfeit"))
    assert refusal(cup.undo, done) == "correction_not_last"
    assert integrity_differences() == []


# What is refused


def test_what_is_refused() -> None:
    cup = Cup.create(4, KNOCKOUT).play(Random(5), most=2, wild=False)
    first, second, final = cup.fixtures()
    new = other_winner(cup, first)
    correction = CorrectionInput(new, "correct_all")
    repeated = ResultInput.of(cup.results()[first.number])
    for wrong, code in (
        ({"fixture": final}, "nothing_to_correct"),
        ({"after": cup.seq - 1}, "stale"),
        ({"correction": replace(correction, mark="0" * 16)}, "stale"),
        ({"correction": replace(correction, result=repeated)}, "correction_same"),
        ({"correction": replace(correction, result=ResultInput(0, (1, 2)))}, "result_not_reached"),
    ):
        arguments = {"fixture": first, "correction": correction, "after": cup.seq, **wrong}
        assert refusal(corrections.apply_correction, **arguments, by=SYSTEM, now=LATER) == code
    assert second.match is not None


def test_a_second_click_returns_what_the_first_did() -> None:
    cup = Cup.create(4, KNOCKOUT).play(Random(5), wild=False)
    first, after = cup.settled()[0], cup.seq
    new = other_winner(cup, first)
    done = cup.correct(first, new, after=after)
    assert cup.correct(first, new, after=after) == done
    assert refusal(cup.correct, first, won_by(0, 2), after=after) == "stale"
    seen = cup.seq
    undone = corrections.undo_correction(correction=done, after=seen, by=SYSTEM, now=LATER)
    assert corrections.undo_correction(correction=done, after=seen, by=SYSTEM, now=LATER) == undone
    assert refusal(cup.undo, done) == "correction_undone"


@pytest.mark.parametrize("how", ["played", "claimed", "sent in"])
def test_what_was_built_on_a_correction_is_not_taken_away_by_undoing_it(how: str) -> None:
    cup = Cup.create(4, KNOCKOUT).play(Random(5), wild=False)
    first = cup.settled()[0]
    done = cup.correct(first, other_winner(cup, first))
    final = cup.ready()[0]
    assert final.match is not None
    after = LATER + timedelta(minutes=1)
    if how == "played":
        results.enter_result(fixture=final, result=ResultInput(0, (3, 1)), by=SYSTEM, now=after)
    elif how == "claimed":
        reports.report_score(
            match=final.match, side=1, report=reports.ScoreReport(1, (1, 3)), by=Actor.link(1), now=after
        )
    else:
        players = (final.match.player_0.name, final.match.player_1.name)
        data = write(play_out(1, final.match.length, players=players), "mat")
        record = records.submit_for_match(
            match=final.match, side=0, file=RecordFile(data, "upload"), by=Actor.link(0), now=after
        ).submission
        adjudicate_submission(submission_id=record.pk, now=after)
    for act in (corrections.preview_undo, cup.undo):
        assert refusal(act, correction=done) == "successor_begun"
    assert integrity_differences() == []


def test_an_undo_is_refused_where_the_next_stage_was_played_meanwhile() -> None:
    cup = Cup.create(6, GROUPS).play(Random(7), wild=False, most=1)
    first = cup.settled()[0]
    done = cup.correct(first, other_winner(cup, first))
    cup.play(Random(8), wild=False)
    assert cup.standing()["division"] == "finished"
    before = cup.standing()
    assert refusal(cup.undo, done) == "successor_begun"
    assert cup.standing() == before
