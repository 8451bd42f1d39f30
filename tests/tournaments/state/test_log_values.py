"""The log writes values as people do: times on the clocks of the event, choices by their names, yes and no."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone, translation

from formats.settings import KNOCKOUT, SWISS, NextRound, StageSettings
from players.actors import Actor, log
from players.models import LogEntry
from tests.event_cast import NOON
from tests.tournaments.events.test_kinds_of_changes import DIVISION, EVENT
from tests.tournaments.floor.test_every_act import RAW
from tournaments.draws.rounds import RoundChanges, change_rounds
from tournaments.events.deadlines import set_deadlines
from tournaments.events.services import update_division, update_tournament
from tournaments.models import Division, Tournament
from tournaments.state.log import entries_of, line_text, log_lines
from tournaments.state.stages import set_stages

pytestmark = [pytest.mark.django_db, pytest.mark.time_machine(NOON)]


def test_no_setting_is_written_as_a_program_writes_it(
    tournament: Tournament, make_division: Callable[..., Division], by_alice: Actor
) -> None:
    division = make_division(name="Open")

    def change_event(field: str, value: Any) -> None:
        update_tournament(tournament=tournament, by=by_alice, now=NOON, **{field: value})

    def change_division(field: str, value: Any) -> None:
        more = {"rated": False} if field in ("sides", "start_rule") else {}
        update_division(division=division, after=division.seq, by=by_alice, now=NOON, **{field: value, **more})

    texts = list[str]()
    for samples, change in ((EVENT, change_event), (DIVISION, change_division)):
        for field, (_kinds, value) in samples.items():
            with transaction.atomic():
                change(field, value)
                rows = entries_of(tournament, directs=True)
                texts += map(line_text, rows)
                texts += (text for line in log_lines(rows, tournament) for text in line.details)
                transaction.set_rollback(True)
    assert len({text for text in texts if "→" in text}) >= len(EVENT)
    raw = [text for text in texts if RAW.search(text)]
    assert raw == []


def test_formats_rounds_and_deadlines_are_in_words(
    tournament: Tournament, make_division: Callable[..., Division], by_alice: Actor
) -> None:
    division = make_division(name="Open")
    stages = [StageSettings(SWISS, rounds=5, qualifiers=4), StageSettings(KNOCKOUT)]
    set_stages(division=division, stages=stages, after=division.seq, by=by_alice, now=NOON)
    (text,) = map(line_text, LogEntry.objects.filter(verb="stages_changed"))
    assert text == "changed the format · Format: Knockout → Swiss, 5 rounds, then Knockout"
    division.refresh_from_db()
    changes = RoundChanges(rounds=6, next_round=NextRound.PUBLISH, allow_rematches=True)
    change_rounds(division=division, changes=changes, after=division.seq, by=by_alice, now=NOON)
    division.refresh_from_db()
    set_deadlines(division=division, deadlines=[NOON, None], after=division.seq, by=by_alice, now=NOON)
    texts = [line_text(row) for row in LogEntry.objects.filter(topic=division.topic)]
    assert [text for text in texts if RAW.search(text)] == []
    assert any("becomes a draft for a director to publish → is published automatically" in text for text in texts)


def test_a_time_is_that_of_the_event_in_the_format_of_the_reader(tournament: Tournament, by_alice: Actor) -> None:
    Tournament.objects.update(time_zone="America/New_York")
    row = log(by_alice, "tournament_changed", tournament.topic, club=tournament.club,
              changes={"ends_at": ["2026-11-30 00:30:00+00:00", "None"]})  # fmt: skip
    with timezone.override("America/New_York"):
        assert line_text(row) == "changed the settings · ends: 29 Nov, 19:30 → –"
        with translation.override("de"):
            assert line_text(row).endswith("29. Nov, 19:30 → –")
    assert "19:30 EST" in line_text(row)


def test_a_name_is_never_read_as_a_value(tournament: Tournament, by_alice: Actor) -> None:
    changes = {"name": ["2026-11-30", "None"], "venue": ["", "True"]}
    row = log(by_alice, "tournament_changed", tournament.topic, club=tournament.club, changes=changes)
    assert line_text(row) == "changed the settings · name: 2026-11-30 → None · venue: – → True"


def test_a_format_that_was_logged_as_a_word_keeps_its_name(tournament: Tournament, by_alice: Actor) -> None:
    changes = {"format": ["knockout", "swiss rounds=5"]}
    row = log(by_alice, "stages_changed", tournament.topic, club=tournament.club, changes=changes)
    assert line_text(row) == "changed the format · Format: Knockout → swiss rounds=5"
