"""The event, table and round of a match, and a player's entries, for the pages of the `matches` app."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext as _

from formats.settings import BY_ROUND, PairingMode
from matches.lifecycle.events import EventEnd, MatchContext, OwnEntry, Place
from matches.models import PlayMode
from tournaments.access import end_of
from tournaments.models import Division, Entry, Fixture, Round, Slot, Stage, Tournament
from tournaments.standings.rounds import RoundFacts, board_name, boards_of, facts_of_rounds
from tournaments.state.names import match_names
from tournaments.state.plans import is_continuous

KIND = "division:"
WITHOUT_ROUNDS = Stage.objects.filter(status=Stage.Status.RUNNING, settings__pairing=PairingMode.CONTINUOUS.value)
"""The stages that are being played without rounds."""


def match_contexts(topics: Collection[str]) -> Mapping[str, MatchContext]:
    """Return topic -> “Club Open 2026 · Open” with the division's URL; one query."""
    ids = [topic.removeprefix(KIND) for topic in topics if topic.startswith(KIND)]
    rows = Division.objects.filter(public_id__in=ids).select_related("tournament__club")
    others = Division.objects.filter(tournament=OuterRef("tournament")).exclude(pk=OuterRef("pk"))
    divisions = rows.annotate(is_one_of_several=Exists(others)) if ids else ()
    return {
        division.topic: MatchContext(
            f"{division.tournament.name} · {division.name}",
            reverse("division", args=[division.tournament.club.slug, division.tournament.slug, division.public_id]),
            division.tournament.name,
            reverse("event", args=[division.tournament.club.slug, division.tournament.slug]),
            division.tournament.time_zone,
            division.tournament.venue if division.play_mode == PlayMode.TABLE else "",
            division.tournament.calendar_sequence,
            division.tournament.calendar_changed_at,
            division.tournament.effective_language,
            division.name if division.is_one_of_several else "",
        )
        for division in divisions
    }


def event_end(topic: str) -> EventEnd | None:
    """Return when the event of a division was over; None for topics of another kind."""
    events = Tournament.objects.filter(divisions__public_id=topic.removeprefix(KIND))
    event = events.first() if topic.startswith(KIND) else None
    return end_of(event) if event is not None else None


def places_of(matches: Collection[int]) -> Mapping[int, Place]:
    """Return match id -> where it is played; a board only if rounds are paired one by one, without a floor."""
    rows = Fixture.objects.filter(match__in=matches).select_related("stage")
    return {row.match_id: place for row, place in _placed(rows) if row.match_id is not None}


def _placed(fixtures: Iterable[Fixture]) -> list[tuple[Fixture, Place]]:
    rows = list(fixtures)
    brackets = Round.objects.filter(pk__in={row.round_id for row in rows}).values("bracket")
    rounds = facts_of_rounds(Round.objects.filter(bracket__in=brackets))
    boards = boards_of({row.round_id for row in rows if row.stage.format in BY_ROUND and not is_continuous(row.stage)})
    return [(row, (boards.get(row.pk), rounds.get(row.round_id), row.number)) for row in rows]


def worded_place(place: Place) -> str:
    """Return “Board 4 · Round 2 · M13” in the active language."""
    board, facts, number = place
    parts = (
        board_name(board) if board is not None else "",
        RoundFacts(*facts).name(in_words=True) if facts is not None else "",
        f"M{number}",
    )
    return " · ".join(filter(None, parts))


def next_in_bracket(entries: Collection[int]) -> Mapping[int, str]:
    """Return entry id -> its next match, while its opponent is to be decided: “Final · M7: the winner of Ann – Bob”."""
    own = dict(Slot.objects.filter(entry__in=entries, fixture__status="waiting").values_list("fixture", "entry"))
    others = {row.fixture_id: row for row in Slot.objects.filter(fixture__in=own, entry=None)}
    fixtures = Fixture.objects.filter(pk__in=others).select_related("stage")
    feeding = Fixture.objects.filter(
        stage__division__entries__in=own.values(), number__in={slot.source_fixture for slot in others.values()}
    ).select_related("stage", "match__player_0__merged_into", "match__player_1__merged_into")
    sources = {(row.stage.division_id, row.number): row for row in feeding}
    return {
        own[row.pk]: _meets(worded_place(place), slot, sources.get((row.stage.division_id, slot.source_fixture or 0)))
        for row, place in _placed(fixtures)
        for slot in [others[row.pk]]
    }


def _meets(place: str, slot: Slot, source: Fixture | None) -> str:
    if source is None or slot.source not in (Slot.Source.WINNER, Slot.Source.LOSER):
        return _("%(place)s: the opponent is still to be decided") % {"place": place}
    players = f"M{source.number}" if source.match is None else " – ".join(match_names(source, staff=False))
    is_winner = slot.source == Slot.Source.WINNER
    text = _("%(place)s: the winner of %(match)s") if is_winner else _("%(place)s: the loser of %(match)s")
    return text % {"place": place, "match": players}


class PlayedEntry(NamedTuple):
    """A division that a player is in, and whether it is being played without rounds."""

    entry: Entry
    shown: OwnEntry
    without_rounds: bool


def entries_of(players: Collection[int]) -> Sequence[PlayedEntry]:
    """Return the unfinished divisions that these players are in or on the waiting list of."""
    open_ = Entry.objects.filter(
        division__status__in=(Division.Status.ENTRIES, Division.Status.RUNNING),
        division__tournament__status__in=(Tournament.Status.PUBLISHED, Tournament.Status.RUNNING),
    ).exclude(status=Entry.Status.OUT)
    mine = list(
        open_.filter(player__in=players)
        .annotate(without_rounds=Exists(WITHOUT_ROUNDS.filter(division=OuterRef("division"))))
        .select_related("division__tournament__club")
        .order_by("division__tournament__starts_at", "pk")
    )
    waiting = [entry.division_id for entry in mine if entry.status == Entry.Status.WAITING]
    queue = sorted(open_.filter(division__in=waiting, status=Entry.Status.WAITING), key=lambda row: row.turn)
    return [
        PlayedEntry(
            entry,
            _own_entry(entry, [row.pk for row in queue if row.division_id == entry.division_id]),
            entry.without_rounds and entry.status == Entry.Status.IN,
        )
        for entry in mine
    ]


def _own_entry(entry: Entry, queue: Sequence[int]) -> OwnEntry:
    division = entry.division
    is_waiting = entry.status == Entry.Status.WAITING
    status = _("number %(place)d on the waiting list") % {"place": queue.index(entry.pk) + 1} if is_waiting else ""
    running = division.status == Division.Status.RUNNING
    return OwnEntry(
        f"{division.tournament.name} · {division.name}",
        reverse("division", args=[division.tournament.club.slug, division.tournament.slug, division.public_id]),
        status or (_("being played") if running else _("entered")),
        is_waiting,
    )
