"""The URLs of every route, filled with rows of the database."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.models import Q
from django.urls import NoReverseMatch, reverse

from demo import club
from matches.lifecycle import links
from matches.models import Challenge, Match, Submission
from players.models import Player
from tests.access.roles import ROUTES
from tests.access.world import OF_RECORDS
from tests.tiers import TIER
from tournaments.models import Correction, Division, Entry, Fixture, Series, Table, Tournament

NO_ROW = "2222222222"
PLAYED_HERE = (
    *("api-live", "match-play", "match-end", "match-again", "match-dice", "match-replay", "match-record"),
    "replay-card",
)
PLAYED = Match.objects.filter(Q(submissions__isnull=False) | Q(claims__isnull=False))
LIVE = Match.objects.filter(live__isnull=False)


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """Return parameters of a route, one set for each row it can be about."""
    places = set(ROUTES[name].pattern.regex.groupindex)
    if "token" in places:
        yield from ({"token": links.token_for(match, None)} for match in PLAYED.distinct())
    elif "fixture" in places:
        yield from rows_with(Fixture.objects.order_by("status", "pk"), "fixture")
    elif "entry" in places:
        yield from rows_with(Entry.objects.all(), "entry")
    elif "correction" in places:
        yield from rows_with(Correction.objects.all(), "correction")
    elif "division" in places:
        yield from rows_with(Division.objects.all(), "division")
    elif "table" in places:
        yield from rows_with(Table.objects.all(), "table")
    elif "tournament" in places:
        yield from rows_with(Tournament.objects.all(), "tournament")
    elif "club" in places:
        yield from ({**around(event)} for event in Tournament.objects.all())
    elif "public_id" in places:
        yield from rows_with(rows_named(name), "public_id")
    else:
        yield {}


def rows_named(name: str) -> Any:
    """Return the rows that a `public_id` can refer to; records and matches of every kind."""
    if name in OF_RECORDS:
        return Submission.objects.defer("data").order_by("standing", "pk")
    if name.startswith(PLAYED_HERE):
        return LIVE.order_by("state", "pk")
    if "-challenge-" in name or name.endswith("-challenge"):
        return Challenge.objects.order_by("pk")
    if name.startswith(("match", "api-match")):
        return PLAYED.distinct().order_by("state", "pk")
    return Player.objects.order_by("pk")


def rows_with(rows: Any, place: str) -> Iterator[dict[str, Any]]:
    """Return some of the rows, spread over all of them."""
    rows_list = list(rows)
    step = max(1, len(rows_list) // TIER.rows)
    for row in islice(rows_list[::step], TIER.rows):
        yield {place: row.public_id, **around(row)}


def around(row: Any) -> dict[str, Any]:
    """Return the other parameters in the URL of a row."""
    division = getattr(row, "division", None) or getattr(getattr(row, "stage", None), "division", None)
    if isinstance(row, Correction):
        division = row.fixture.stage.division
    if isinstance(row, Division):
        division = row
    tournament = row if isinstance(row, Tournament) else getattr(division or row, "tournament", None)
    if tournament is None:
        return {}
    return {"club": tournament.club.slug, "slug": tournament.slug}


def addresses(name: str) -> Iterator[str]:
    """Return the URLs of a route for some rows of each kind."""
    pattern = ROUTES[name].pattern.regex
    others = list(Player.objects.order_by("-pk")[:1])
    common = {"slug": club.SLUG, "other_id": others[0].public_id, "number": 1, "pk": 1}
    common |= {"kind": "entries", "action": "undo", "side": 0}
    event = Tournament.objects.order_by("pk").first()
    assert event is not None
    if "club" in pattern.groupindex:
        common |= {"club": event.club.slug, "slug": event.slug}
    if "series" in pattern.groupindex:
        season = Series.objects.first()
        common |= {"series": NO_ROW if season is None else season.public_id if "api" in name else season.slug}
    if name == "club-emblem":
        common |= {"version": event.club.emblem_version}
    for row in rows_of(name):
        for extension in ("mat", "sgf", "json", "csv") if "extension" in pattern.groupindex else ("",):
            values = {**common, **row, "extension": extension}
            parameters = {place: values.get(place, NO_ROW) for place in pattern.groupindex}
            try:
                yield reverse(name, kwargs=parameters) + ("?label=1" if name == "table-now" else "")
            except NoReverseMatch:
                # Only an extension may be one that this route does not have.
                assert extension, name
