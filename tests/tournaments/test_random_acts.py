"""Random histories of every declared act that changes an event: after each, pages open and all follows from the facts.

The acts and their fields are those of the site's own declarations, so that one that is added is tried without a word
here; one that does not belong is named with the reason.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django import forms
from django.db import transaction
from django.http import Http404

from engine.errors import Refused
from matches.access import MatchSeat
from matches.models import Match
from matches.reporting.actions import MatchAction
from players.actions import UserAction
from players.actors import Actor
from players.models import User
from tests.api.test_parity import declared
from tests.tiers import TEST_SEED, TIER
from tests.tournaments.support.swiss_rounds import is_clean
from tests.tournaments.test_stages_that_follow import KINDS, WITHOUT_ROUNDS, TwoStages
from tournaments.draws.actions import DrawAction
from tournaments.events.actions import DivisionAction, EntryAction, EventAction
from tournaments.events.services import update_tournament
from tournaments.floor.calls import call_ready
from tournaments.models import Entry, Fixture
from tournaments.results.actions import FixtureAction

CHANGES_EVENTS = ("tournaments.", "clubhouse.", "matches.reporting.")
"""Modules whose acts change events."""
LEFT_OUT = {
    "OfferAction": "a side event has entries of its own, and no stage of a division",
    "NewOfferAction": "as above",
    "DecideAction": "what a desk has kept offline is an act of another kind when it is entered",
    "UndoStart": "it takes away the whole evening",
    "BoardAction": "a match played on the site is in the machine of live matches",
    "UploadAction": "records of matches are in the machine of a knockout (test_state_machine.py)",
    "NamesAction": "as above",
    "TimesAction": "what players agree on changes no match",
    "ProposalAction": "as above",
}
"""Classes of declared acts that are none of the machine's, and why."""


PLAYERS = ("player_0", "player_1", "club")


def acts() -> list[UserAction]:
    """The declared acts that change an event, in a fixed order."""
    found = [act for act in declared() if type(act).__module__.startswith(CHANGES_EVENTS)]
    return sorted((act for act in found if type(act).__name__ not in LEFT_OUT), key=label)


def label(act: UserAction) -> str:
    return f"{type(act).__name__} {act.name}"


class Machine(TwoStages):
    """An event to which anything is done that a page or a program can do."""

    tried: tuple[str, dict[str, Any]] = ("", {})

    def draw(self) -> None:
        """Draw it in a hall of three tables."""
        super().draw()
        self.asks(update_tournament, tournament=self.division.tournament, tables=3)

    def open_floor(self) -> None:
        """Some floors are opened later, or never."""
        if self.chance.random() < 0.6:
            super().open_floor()

    def any_act(self, known: list[UserAction]) -> None:
        act = self.chance.choice(known)
        try:
            with transaction.atomic():
                self.try_act(act)
        except Refused as refused:
            self.refusals[f"{label(act)}: {refused.code}"] += 1
        except Http404:
            self.refusals[f"{label(act)}: nothing of that name"] += 1

    def try_act(self, act: UserAction) -> None:
        if (obj := self.object_of(act)) is None:
            return
        data = {name: self.value(name, field) for name, field in act.bind(obj, {}, self.now()).fields.items()}
        form = act.bind(obj, {name: value for name, value in data.items() if value is not None}, self.now())
        if not form.is_valid():
            self.refusals[f"{label(act)}: {sorted(form.errors)}"] += 1
            return
        self.tried = label(act), data
        director = self.by
        self.by = obj.by if isinstance(obj, MatchSeat) else director
        self.asks(named(act.run, label(act)), form=form)
        self.by = director

    def object_of(self, act: UserAction) -> Any:
        """Something of the kind that the act is about, as it is now."""
        if isinstance(act, EntryAction):
            return self.pick(self.division.entries.select_related("division__tournament__club", "player"))
        if isinstance(act, FixtureAction):
            rows = Fixture.objects.filter(stage__division=self.division).exclude(match=None)
            return self.pick(
                rows.select_related("stage__division__tournament__club", "match__player_0", "match__player_1")
            )
        if isinstance(act, MatchAction):
            match = self.pick(Match.objects.filter(parent_topic=self.division.topic).select_related(*PLAYERS))
            side = self.chance.randrange(2)
            return match and MatchSeat(match, side, Actor.link(side))
        self.division.refresh_from_db()
        assert isinstance(act, (DrawAction, DivisionAction, EventAction)), label(act)
        return self.division if isinstance(act, DivisionAction) else self.division.tournament

    def value(self, name: str, field: forms.Field) -> Any:
        """A value for a field, by its kind; a field that need not be filled is left out at times."""
        chance = self.chance
        if not field.required and chance.random() < 0.3:
            return None
        if name == "after":
            return self.seq
        match field:
            case forms.ModelChoiceField():
                row = self.pick(field.queryset)
                return None if row is None else getattr(row, field.to_field_name or "pk")
            case forms.ChoiceField():
                values = [value for value, _label in field.choices if value != ""]
                return chance.choice(values) if values else None
            case forms.BooleanField():
                return "on" if chance.random() < 0.5 else None
            case forms.IntegerField():
                least = field.min_value or 0
                return chance.randint(least, min(field.max_value or 9, least + 9))
            case forms.DateTimeField():
                return (self.at + timedelta(minutes=chance.randint(-30, 90))).strftime("%Y-%m-%dT%H:%M")
            case forms.TimeField():
                return f"{chance.randint(10, 23)}:30"
        if name in ("first", "second", "entry"):
            entry = self.pick(Entry.objects.filter(division=self.division))
            return entry.public_id
        return "as agreed"

    def play_at_random(self, known: list[UserAction], steps: int) -> None:
        for _step in range(steps):
            self.make_drafts()
            call_ready(tournament_id=self.division.tournament_id, now=self.now())
            self.division.refresh_from_db()
            lot = self.chance.random()
            if lot < 0.5:
                self.any_act(known)
            elif lot < 0.65:
                self.deed()
            elif ready := self.ready():
                self.finish(self.chance.choice(ready))
            else:
                self.publish_or_wait()
            self.open_pages()
            assert is_clean(self.division), (self.tried, self.story())


def named(run: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The same function under another name, by which it is counted."""

    def runs(**arguments: Any) -> Any:
        return run(**arguments)

    runs.__name__ = name
    return runs


def test_every_declared_act_is_one_of_the_machine() -> None:
    known = acts()
    assert len(known) > 50
    kinds = (EntryAction, FixtureAction, DivisionAction, EventAction, MatchAction)
    strangers = [label(act) for act in known if not isinstance(act, kinds)]
    assert strangers == []
    assert LEFT_OUT.keys() <= {type(act).__name__ for act in declared()}, "a reason that is not needed any more"


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.django_db
def test_whatever_is_done_to_an_event_it_goes_on(alice: User) -> None:
    chance, known = Random(TEST_SEED), acts()
    done, refused = Counter[str](), Counter[str]()
    for number in range(TIER.random_acts):
        pair = (chance.choice(KINDS), chance.choice(KINDS))
        field = 8 if "lives" + WITHOUT_ROUNDS in pair else chance.randint(3, 8)
        with transaction.atomic():
            event = Machine(Random(f"{TEST_SEED}:{number}"), pair, field, alice, every_page=False)
            try:
                event.play_at_random(known, TIER.random_act_steps)
            except BaseException:
                print(f"{pair}, {field} players, history {number}, TEST_SEED={TEST_SEED}; {event.tried}")
                raise
            done += event.done
            refused += event.refusals
            transaction.set_rollback(True)
    never = sorted(label(act) for act in known if not done[label(act)])
    print(f"done: {dict(done)}; refused: {dict(refused)}; never done: {never}")
