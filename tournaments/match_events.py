"""What the app of matches asks about the events that its matches belong to (`matches.lifecycle.events`)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Q
from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext as _

from engine.errors import Refused
from formats.elimination.places import first_place
from formats.settings import BY_ROUND, ELIMINATION, LIVES, PLACES
from matches.lifecycle.at_tables import Answered, Asked, AtTables, EnteredScore, Offered, RunningScore
from matches.lifecycle.begun import is_untouched
from matches.lifecycle.events import AwardedTitle, EventEnd, MatchContext, MatchEvents, OwnEntry, Place
from matches.lifecycle.finish import match_settled
from matches.lifecycle.play_rules import PlayRules
from matches.models import Match
from players.actors import Actor
from tournaments.floor import selectors as floor_selectors
from tournaments.floor.calls import set_players_score
from tournaments.floor.journal import lock_floor
from tournaments.floor.length_offers import accept_length, decline_length, offer_length, players_offer_from
from tournaments.floor.selectors import FloorView, floor
from tournaments.floor.state import FloorMatchState, MatchFacts, MatchOnFloor
from tournaments.floor.waiting import why_they_wait
from tournaments.models import Division, Fixture, Round, Slot, Stage, Tournament
from tournaments.panels import Home, panel_of
from tournaments.standings.brackets import bracket_name
from tournaments.standings.context import (
    entries_of,
    event_end,
    match_contexts,
    next_in_bracket,
    places_of,
    worded_place,
)
from tournaments.standings.rounds import RoundNames
from tournaments.state.floor import beginnings_of
from tournaments.state.names import match_names
from tournaments.state.plans import is_continuous
from tournaments.state.settle import settle_division

# How the matches of a division are played here, for the app of matches.


PREFIX = "division:"


def play_rules_of(topic: str) -> PlayRules:
    """The rules of the division with this topic; the default rules for other topics."""
    if not topic.startswith(PREFIX):
        return PlayRules()
    division = Division.objects.filter(public_id=topic.removeprefix(PREFIX)).first()
    return rules_of(division) if division is not None else PlayRules()


def rules_of(division: Division) -> PlayRules:
    return PlayRules(
        mode=division.play_mode,
        clock=division.clock,
        overtime_minutes=division.overtime_minutes,
        turn_days=division.turn_days,
        bank_days=division.bank_days,
        flag_rule=division.flag_rule,
        spectators_delay=division.spectators_delay,
        no_show_loses=division.no_show_loses,
        no_show_minutes=division.no_show_minutes,
    )


# Where the players of a match go next, shown to them before they report its result.


def consequences_of(match: Match, winner: int, reader: int | None) -> list[str]:
    """Return where the players go next: only the reader, in the second person, or both if `reader` is None."""
    fixture = Fixture.objects.filter(match=match).select_related("stage", "round__bracket").first()
    if fixture is None:
        return []
    if fixture.stage.format not in ELIMINATION:
        return [_counting(fixture)]
    sides = (winner, 1 - winner) if reader is None else (reader,)
    return [_next_match(fixture, side, won=side == winner, reader=reader) for side in sides]


def _counting(fixture: Fixture) -> str:
    if is_continuous(fixture.stage):
        return _("It costs the loser a life.") if fixture.stage.format == LIVES else _("It counts in the standings.")
    if fixture.stage.format in BY_ROUND:
        return _("It counts for round %(number)d.") % {"number": fixture.round.number}
    return _("It counts in the standings.")


def _next_match(fixture: Fixture, side: int, *, won: bool, reader: int | None) -> str:
    source = Slot.Source.WINNER if won else Slot.Source.LOSER
    slots = Slot.objects.filter(fixture__stage=fixture.stage_id, source=source, source_fixture=fixture.number)
    slot = slots.select_related("fixture__round__bracket").first()
    bracket = bracket_name(fixture.round.bracket.key)
    name = match_names(fixture, staff=False)[side]
    if slot is None and fixture.stage.format == PLACES:
        return _place(fixture, name, reader, won=won)
    if slot is None:
        return _end_of_bracket(won, name, bracket, reader)
    following = slot.fixture
    rounds = RoundNames(Round.objects.filter(bracket=following.round.bracket_id), in_words=True)
    params = {"name": name, "match": f"M{following.number}", "round": rounds[following.round_id]}
    if reader is not None:
        return _("You play on: %(round)s, %(match)s.") % params
    return _("%(name)s plays on: %(round)s, %(match)s.") % params


def _place(fixture: Fixture, name: str, reader: int | None, *, won: bool) -> str:
    """Return the place that this match decides; several if they are shared."""
    byes = Count("pk", filter=Q(slots__source=Slot.Source.BYE))
    counts = Fixture.objects.filter(round=fixture.round_id).aggregate(fixtures=Count("pk", distinct=True), byes=byes)
    upper, lower = counts["fixtures"], counts["fixtures"] - counts["byes"]
    first = first_place(fixture.round.bracket.key) + (0 if won else upper)
    last = first + (upper if won else lower) - 1
    params = {"name": name, "places": str(first) if first == last else f"{first}–{last}"}
    template = _("%(name)s has place %(places)s.") if reader is None else _("You have place %(places)s.")
    return template % params


def _end_of_bracket(won: bool, name: str, bracket: str, reader: int | None) -> str:
    params = {"name": name, "bracket": bracket}
    if reader is not None:
        template = _("You win: %(bracket)s.") if won else _("You are out: %(bracket)s.")
    else:
        template = _("%(name)s wins: %(bracket)s.") if won else _("%(name)s is out: %(bracket)s.")
    return template % params


# Where matches are at the tables, and what players enter there, for the pages of the `matches` app.
#
# They enter running scores, and offers of a shorter match with the answers to them.


def at_tables(matches: Collection[int], inside: Mapping[int, bool], now: datetime) -> Mapping[int, AtTables]:
    """Return match id -> how it stands, for the matches among these that belong to an open floor.

    Four queries at most, and some more for each event with a match `inside` that has not begun and may wait for
    something.
    """
    is_open = Q(stage__division__tournament__floor__isnull=False)
    rows = Fixture.objects.filter(floor_selectors.at_tables(match__in=matches), is_open).order_by("pk")
    fixtures = list(rows.select_related("match", "stage__division__tournament"))
    if not fixtures:
        return {}
    facts = floor_selectors.load_matches({row.stage.division.tournament for row in fixtures})
    reasons, labels = _reasons(fixtures, inside, now), facts.labels
    return {
        row.match.pk: _at_tables(facts.matches[row.pk], row.stage, labels, reasons.get(row.pk, ()))
        for row in fixtures
        if row.match is not None and row.pk in facts.matches  # It may have been settled or voided in between.
    }


def _reasons(fixtures: Collection[Fixture], inside: Mapping[int, bool], now: datetime) -> Mapping[int, tuple[str, ...]]:
    """Return fixture id -> what its match waits for, for the fixtures among these that cannot be called now."""
    to_come: dict[tuple[Tournament, bool], list[int]] = {}
    for row in fixtures:
        if row.match is not None and row.match.pk in inside and is_untouched(row.match):
            to_come.setdefault((row.stage.division.tournament, inside[row.match.pk]), []).append(row.pk)
    reasons: dict[int, tuple[str, ...]] = {}
    for (tournament, staff), pks in to_come.items():
        view = floor(tournament, now, staff=staff)
        rows = [view.matches[pk] for pk in pks if pk in view.matches]
        waiting = [row for row in rows if row.state == FloorMatchState.WAITING]
        reasons |= {row.fixture: view.reasons(row) if staff else _to_players(row, view) for row in waiting}
    return reasons


def _to_players(match: MatchOnFloor, view: FloorView) -> tuple[str, ...]:
    """Return why a match waits, as its players read it: the number of another match tells them nothing."""
    busy = [view.names[reason.params["player"]] for reason in match.reasons if reason.code == "busy"]
    others = tuple(view.explain(reason) for reason in match.reasons if reason.code != "busy")
    if len(busy) == len(match.facts.names):
        return (_("You both are still playing."), *others)
    return (*(_("%(name)s is still playing.") % {"name": name} for name in busy), *others)


def _at_tables(facts: MatchFacts, stage: Stage, labels: Mapping[int, str], waits_for: tuple[str, ...]) -> AtTables:
    """Return how a match stands by the facts about it."""
    notes = []
    if facts.adjourned is not None:
        notes.append(_("The director says when it goes on."))
    if facts.clocks is not None:
        notes.append(_("You play with clocks: %(minutes)d minutes each.") % {"minutes": facts.clocks})
    if facts.last_shortened is not None:
        notes.append(_("This match was shortened from %(was)d to %(length)d points.") % facts.last_shortened.params)
    running = None
    if facts.score is not None and facts.scored is not None:
        scored = facts.scored
        running = RunningScore(facts.score, scored.at, scored.params.get("side"), f"floor-{scored.id}")
    return AtTables(
        facts.seating(labels, waits_for),
        running,
        tuple(notes),
        facts.standing_offer,
        players_offer_from(stage.division.tournament),
        is_continuous(stage),
        _asked(facts),
    )


def _asked(facts: MatchFacts) -> Asked | None:
    """Return whether the players are asked if the match is over, and with which score."""
    if facts.asked is None:
        return None
    score = facts.asked.params.get("score")
    return Asked((score[0], score[1]) if score else None)


def own_entries(players: Collection[int], now: datetime) -> Sequence[OwnEntry]:
    """Return the unfinished divisions of these players, with whom they wait for, or why where there are no rounds."""
    rows = entries_of(players)
    waits = {
        **next_in_bracket([row.entry.pk for row in rows]),
        **why_they_wait([row.entry for row in rows if row.without_rounds], now),
    }
    return [
        row.shown._replace(status=waits[row.entry.pk], is_free=True) if row.entry.pk in waits else row.shown
        for row in rows
    ]


def record_score(entered: EnteredScore, *, by: Actor, now: datetime) -> None:
    """Record a running score that a player enters. Refused: `no_running_scores`, and as `set_players_score`."""
    fixture = _on_open_floor(entered.match)
    if fixture is None:
        raise Refused("no_running_scores")
    set_players_score(fixture=fixture, side=entered.side, score=entered.score, by=by, now=now)


def lock_scores(match: Match, now: datetime) -> None:
    """Lock the floor of the match, as `set_players_score` does. Refused: `no_running_scores`, `tournament_not_open`."""
    fixture = _on_open_floor(match)
    if fixture is None:
        raise Refused("no_running_scores")
    lock_floor(fixture.stage.division.tournament_id, now)


def record_length(move: Offered | Answered, *, by: Actor, now: datetime) -> None:
    """Record what a player offers or answers. Refused: `no_length_offers`, and what the service of it refuses."""
    fixture = _on_open_floor(move.match)
    if fixture is None:
        raise Refused("no_length_offers")
    if isinstance(move, Offered):
        offer_length(fixture=fixture, side=move.side, length=move.length, score=move.score, by=by, now=now)
    else:
        answer = accept_length if move.accepted else decline_length
        answer(fixture=fixture, side=move.side, offer=move.offer, by=by, now=now)


def _on_open_floor(match: Match) -> Fixture | None:
    fixtures = Fixture.objects.select_related("stage__division").filter(match=match)
    return fixtures.filter(stage__division__tournament__floor__isnull=False).first()


class TournamentEvents(MatchEvents):
    """The divisions of events; a match belongs to one if a fixture of it has the match, or by its topic."""

    def contexts(self, topics: Collection[str]) -> Mapping[str, MatchContext]:
        return match_contexts(topics)

    def end(self, topic: str) -> EventEnd | None:
        return event_end(topic)

    def place_facts(self, matches: Collection[int]) -> Mapping[int, Place]:
        return places_of(matches) if matches else {}

    def worded_place(self, place: Place) -> str:
        return worded_place(place)

    def entries(self, players: Collection[int]) -> Sequence[OwnEntry]:
        return own_entries(players, timezone.now()) if players else ()

    def titles(self, players: Collection[int]) -> Sequence[AwardedTitle]:
        return panel_of(Home.PLAYER, "titles")(players)  # type: ignore[no-any-return]

    def play_rules(self, topic: str) -> PlayRules:
        return play_rules_of(topic)

    def consequences(self, match: Match, winner: int, reader: int | None) -> list[str]:
        return consequences_of(match, winner, reader) if match.parent_topic else []

    def started_at_tables(self, matches: Collection[int]) -> Mapping[int, datetime]:
        return beginnings_of(matches)

    def at_tables(self, matches: Collection[int], inside: Mapping[int, bool], now: datetime) -> Mapping[int, AtTables]:
        return at_tables(matches, inside, now) if matches else {}

    def lock_scores(self, match: Match, now: datetime) -> None:
        lock_scores(match, now)

    def record_score(self, entered: EnteredScore, *, by: Actor, now: datetime) -> None:
        record_score(entered, by=by, now=now)

    def record_length(self, move: Offered | Answered, *, by: Actor, now: datetime) -> None:
        record_length(move, by=by, now=now)


@receiver(match_settled, dispatch_uid="tournaments.move_on")
def settle_after_result(sender: type[Match], match_id: int, **_: Any) -> None:
    """Settle the division of the match, unless that was done with the result; a sweep repeats it after a crash."""
    match = Match.objects.only("parent_topic", "unsettled").get(pk=match_id)
    division_id = division_of(match)
    if division_id is not None and match.unsettled:
        settle_division(division_id=division_id, match_id=match_id, now=timezone.now())


def division_of(match: Match) -> int | None:
    """Return the id of the division that opened the match, or None."""
    kind, _, public_id = match.parent_topic.partition(":")
    if kind != "division":
        return None
    return Division.objects.filter(public_id=public_id).values_list("pk", flat=True).first()
