"""Typed lines in the words of the reader's language, beside English."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, override, pgettext

from engine.errors import Refused
from players.actors import Actor
from players.models import Player
from tests.tournaments.floor.test_services import Evening
from tournaments.floor.lines import enter_lines, preview_line
from tournaments.models import Division, FloorEvent, Tournament
from tournaments.results import lines
from tournaments.results.line_words import in_own_words
from tournaments.results.lines import TypedLine, Verb, parse

LANGUAGES = [code for code, _name in settings.LANGUAGES]
EXAMPLES = [
    example
    for line in (lines.__doc__ or "").splitlines()
    for example in re.split(r"[;,] ", re.split(r"\s{2,}", line)[0])
    if re.match(r"(m\d|t\d|bob|open|undo|late|accessible|pause|resume|auto)", example) and "cruz" not in example
]
EXAMPLES += ["t5 back", "m30 hold", "m30 release", "m30 resume", "smith 7 jones 4", "erin forfeit"]
"""Those of the table in which the lines are described, and a few more, so that every verb is among them."""


def read(line: str) -> TypedLine | str:
    try:
        return parse(line)
    except Refused as refused:
        return refused.code


def test_each_line_is_read_in_both_languages_and_says_the_same(pseudo_locale: str) -> None:
    assert len(EXAMPLES) > 20
    for example in EXAMPLES:
        english = read(example)
        with override(pseudo_locale):
            own = in_own_words(example)
            assert read(example) == english, example
            assert read(own) == english, own
    with override(pseudo_locale):
        changed = [example for example in EXAMPLES if in_own_words(example) != example]
    assert len(changed) > 15


def test_a_name_that_looks_like_a_word_stays_a_name(pseudo_locale: str) -> None:
    with override(pseudo_locale):
        late, free = in_own_words("late"), in_own_words("free")
        assert parse(f"{late} {free} 10") == TypedLine(Verb.LATE, names=(free,), value="10")
        assert read(f"m22 {free} {late}") == TypedLine(Verb.PAIR, 22, (f"{free} {late}",))


BUTTONS = {
    "{Undo}": Verb.UNDO,
    "{Undo} m22": Verb.UNDO,
    "m22 {Adjourn}": Verb.ADJOURN,
    "{Pause}": Verb.PAUSE,
}
"""Lines with what the floor's buttons say that do the same."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_on_the_buttons_are_read(language: str) -> None:
    with override(language):
        for line, verb in BUTTONS.items():
            typed = re.sub(r"\{(.+)\}", lambda button: gettext(button[1]), line)
            assert parse(typed).verb == verb, typed
        assert parse(f"m22 {pgettext('verb', 'Start')}").verb == Verb.START
        if language != "en":
            assert parse(gettext("Go on")).verb == Verb.RESUME


NAMES = ("Bob Bergmann", "Carol Csonka", "Dave Smith", "Erin Jones")


@pytest.fixture
def evening(drawn: Callable[..., Division], by_alice: Actor) -> Evening:
    """M1 is at table 1 and waits to start, M2 at table 2 was called, M3 adjourned; table 3 is out of use."""
    division = drawn(8, match_length=7)
    division.tournament.tables = 6
    division.tournament.save()
    event = Evening(division, by_alice, timezone.now() - timedelta(minutes=1))
    for player, name in zip((*event.match(1).players, *event.match(2).players), NAMES, strict=True):
        Player.objects.filter(pk=player.pk).update(name=name)
    for text in ("t1 call m1", "t2 call m2", "m3 start", "m3 adjourn", "t3 out lamp broken"):
        [outcome] = enter_lines(tournament=division.tournament, text=text, division=None, **event.acts)
        assert outcome.is_done, text
    return event


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.django_db
def test_preview_and_enter_read_each_line_alike_in_each_language(language: str, evening: Evening) -> None:
    event, done = evening.division.tournament, 0
    for example in EXAMPLES:
        text = re.sub(r"\bm\d+", "m1", example).replace("11-7", "7-3").replace("t7", "t4")
        text = text.replace("t5", "t3" if "back" in example else "t4" if "call" in example else "t1")
        text = re.sub("m1 (resume|leader$)", r"m3 \1", text)
        shown = []
        for code, line in (("en", text), (language, text), (language, in_words(language, text))):
            with transaction.atomic(), override(code):
                preview = preview_line(tournament=event, text=line, **evening.acts)
                [outcome] = enter_lines(tournament=event, text=line, division=None, **evening.acts)
                number = outcome.fixture.number if outcome.fixture else None
                code = outcome.refused.code if outcome.refused else ""
                shown.append((outcome.what, number, code, newest(event)))
                assert preview is not None
                assert preview.is_refused == (not outcome.is_done), (line, preview.text, outcome.sentence)
                transaction.set_rollback(True)
        done += outcome.is_done
        assert shown[0] == shown[1] == shown[2], text
    assert done > 22
    assert {parse(example).verb for example in EXAMPLES} == {*Verb} - {Verb.HELP}


def in_words(language: str, line: str) -> str:
    with override(language):
        return in_own_words(line)


def newest(event: Tournament) -> dict[str, Any]:
    """Return what the newest fact of the floor says."""
    row = FloorEvent.objects.filter(tournament=event).order_by("pk").last()
    assert row is not None
    return {"kind": row.kind, "table": row.table_id, "player": row.player_id, "params": row.params}


def test_the_argument_is_read_where_its_verb_is_that_of_english() -> None:
    with override("fr"):
        assert parse("accessible smith non") == parse("accessible smith off")
        assert parse("accessible non") == TypedLine(Verb.ACCESSIBLE, names=("non",))
        assert parse("t5 out lampe non") == TypedLine(Verb.OUT, table="5", value="lampe non")
