"""What a match of an event is played for and where: the providers registered with `matches.presentation.context`."""

from collections.abc import Collection, Mapping, Sequence

from django.urls import reverse
from django.utils.translation import gettext as _

from matches.presentation.context import MatchContext, OwnEntry
from tournaments.formats.settings import BY_ROUND
from tournaments.models import Division, Entry, Fixture, Round, Tournament
from tournaments.standings.rounds import round_names

KIND = "division:"


def match_contexts(topics: Collection[str]) -> Mapping[str, MatchContext]:
    """“Club Open 2026 · Open”, and the page of the division: one query for any number."""
    ids = [topic.removeprefix(KIND) for topic in topics if topic.startswith(KIND)]
    found = Division.objects.filter(public_id__in=ids).select_related("tournament__club") if ids else ()
    return {
        division.topic: MatchContext(
            f"{division.tournament.name} · {division.name}",
            reverse("division", args=[division.tournament.club.slug, division.tournament.slug, division.public_id]),
        )
        for division in found
    }


def places_of(matches: Collection[int]) -> Mapping[int, str]:
    """Match -> “Table 4 · Round 2 · M13”; a table only where rounds are paired one by one."""
    rows = list(Fixture.objects.filter(match__in=matches).select_related("stage"))
    brackets = Round.objects.filter(pk__in={row.round_id for row in rows}).values("bracket")
    names = round_names(Round.objects.filter(bracket__in=brackets))
    tables = _tables({row.round_id for row in rows if row.stage.format in BY_ROUND})
    found = {}
    for row in rows:
        table = _("Table %(number)d") % {"number": tables[row.pk]} if row.pk in tables else ""
        parts = (table, names.get(row.round_id, ""), f"M{row.number}")
        if row.match_id is not None:
            found[row.match_id] = " · ".join(filter(None, parts))
    return found


def _tables(rounds: Collection[int]) -> dict[int, int]:
    """Fixture -> its place in the round, counted through those with two players."""
    found: dict[int, int] = {}
    counted: dict[int, int] = {}
    fixtures = Fixture.objects.filter(round__in=rounds, match__isnull=False).order_by("number")
    for pk, round_ in fixtures.values_list("pk", "round"):
        counted[round_] = found[pk] = counted.get(round_, 0) + 1
    return found


def entries_of(players: Collection[int]) -> Sequence[OwnEntry]:
    """The divisions that are not over in which these players are entered or wait."""
    open_ = Entry.objects.filter(
        division__status__in=(Division.Status.ENTRIES, Division.Status.RUNNING),
        division__tournament__status__in=(Tournament.Status.PUBLISHED, Tournament.Status.RUNNING),
    ).exclude(status=Entry.Status.OUT)
    mine = list(
        open_.filter(player__in=players)
        .select_related("division__tournament__club")
        .order_by("division__tournament__starts_at", "pk")
    )
    waiting = [entry.division_id for entry in mine if entry.status == Entry.Status.WAITING]
    queue = list(
        open_.filter(division__in=waiting, status=Entry.Status.WAITING)
        .order_by("entered_at", "pk")
        .values_list("division", "pk")
    )
    return [_own(entry, [pk for division, pk in queue if division == entry.division_id]) for entry in mine]


def _own(entry: Entry, queue: Sequence[int]) -> OwnEntry:
    division = entry.division
    waits = entry.status == Entry.Status.WAITING
    status = _("number %(place)d on the waiting list") % {"place": queue.index(entry.pk) + 1} if waits else ""
    running = division.status == Division.Status.RUNNING
    return OwnEntry(
        f"{division.tournament.name} · {division.name}",
        reverse("division", args=[division.tournament.club.slug, division.tournament.slug, division.public_id]),
        status or (_("being played") if running else _("entered")),
        waits,
    )
