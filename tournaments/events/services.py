"""Creating, changing, publishing and cancelling events and divisions."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.dispatch import Signal
from django.utils.text import slugify

from core.times import known as known_zones
from engine.errors import Refused
from formats.settings import StageSettings
from matches.lifecycle.voiding import void_matches
from matches.models import Match, PlayMode, RatingPool
from matches.models.matches import MAX_MATCH
from players.accounts.services import check_language
from players.actors import Actor, log
from players.models import Club, LogEntry
from players.people.rows import lock_club
from tournaments.events.dates import EventStart, move_dates, moved_dates
from tournaments.events.venues import tables_of_venue, venue_of
from tournaments.ledger.money import Currency
from tournaments.models import Division, Entry, Payment, Stage, Tournament
from tournaments.state.changes import audience_of, known_facts, notify_cancelled, notify_changed
from tournaments.state.locks import (
    calendar_changed,
    division_changed,
    lock_division,
    lock_event,
    lock_unfinished_matches,
)
from tournaments.state.places import fill_places
from tournaments.state.settle import settle
from tournaments.state.stages import commit_published, first_stage, new_stage
from tournaments.state.versions import DivisionPart, refuse_stale

event_published = Signal()
"""Sent in the transaction that publishes an event, with `event` and `by`."""

EDITABLE = (
    "name",
    "starts_at",
    "ends_at",
    "closing_rule",
    "silent_desk",
    "check_in_opens_at",
    "check_in_closes_at",
    "time_zone",
    "language",
    "second_language",
    "venue",
    "tables",
    "about",
    "currency",
    "currency_exponent",
    "rated",
    "season",
)
IN_CALENDAR = frozenset({"name", "starts_at", "ends_at", "time_zone", "venue", "play_mode"})
"""Fields of an event or of a division on which what calendars show depends."""
OF_MATCHES = (
    "deadline_rule",
    "no_show_loses",
    "no_show_minutes",
    "extension_hours",
    "claim_wait",
    "records_stand",
    "play_mode",
    "clock",
    "overtime_minutes",
    "turn_days",
    "bank_days",
    "flag_rule",
    "spectators_delay",
)
"""Settings of how matches are played and decided."""
SETTINGS = (
    "name",
    "is_side",
    "self_registration",
    "closes_at",
    "capacity",
    "sides",
    "fee",
    "reentry_until",
    "reentry_keeps",
    "match_length",
    "round_lengths",
    "crawford",
    "rated",
    "pool_id",
    "draw_method",
    "apart",
    "start_rule",
    "start_cap",
    "start_table",
    *OF_MATCHES,
)
AFTER_DRAW = ("name", "is_side", "fee", "reentry_until", "reentry_keeps", *OF_MATCHES)
"""Settings that can be changed after the draw."""
MAX_START_ROWS = 20
MAX_DIFFERENCE = 2000
"""Of ratings, in a table of start scores."""


def create_tournament(*, club: Club, by: Actor, now: datetime, key: str = "", **values: Any) -> Tournament:
    """Create an event as a draft that only directors see; repeating a `key` returns the first event of the user.

    Without `tables` it has as many as the club's venue, without `currency` the club's. Refused: `name_taken`,
    `bad_time_zone`, `bad_language`.
    """
    values.setdefault("time_zone", club.time_zone)
    if "currency" not in values and club.currency:
        usual = Currency.usual(club.currency)
        values |= {"currency": usual.code, "currency_exponent": usual.exponent}
    values.setdefault("tables", tables_of_venue(venue_of(club)))
    _check_zone(values["time_zone"])
    _check_languages(values)
    with transaction.atomic():
        lock_club(club)
        if (public_id := _created_before(by, "tournament_created", key)) is not None:
            return Tournament.objects.select_related("club").get(public_id=public_id)
        tournament = Tournament(
            club=club,
            slug=_free_slug(club, values["name"]),
            created_by=by.user,
            created_at=now,
            **_only(values, EDITABLE),
        )
        _save_named(tournament, values["name"])
        log(by, "tournament_created", tournament.topic, club=club, name=tournament.name, key=key)
    return tournament


def _created_before(by: Actor, verb: str, key: str) -> str | None:
    """Return the public id of what this user has already created with this key."""
    if not key or by.user is None:
        return None
    first = LogEntry.objects.filter(user=by.user, verb=verb, params__key=key).order_by("pk").first()
    return first.topic.partition(":")[2] if first else None


def update_tournament(
    *, tournament: Tournament, by: Actor, now: datetime, move: Collection[str] | None = None, **values: Any
) -> Tournament:
    """Change the settings of an event; the log keeps old and new values, and its people are told of what they should.

    `move` has the keys of the dates (`dates_of`) that move with its start and into its time zone, None for all of
    them; a date among the values is as given. In another time zone alone the start keeps its time of day.
    Refused: `bad_time_zone`, `bad_language`, `bad_time`, `currency_in_use`.
    """
    if "time_zone" in values:
        _check_zone(values["time_zone"])
    _check_languages(values)
    with transaction.atomic():
        row = lock_event(tournament.pk)
        divisions = [lock_division(division.pk) for division in row.divisions.order_by("pk")]
        known = known_facts(row)
        moved = [date for date in moved_dates(row, values) if move is None or date.key in move]
        starts_at = {"starts_at": EventStart.of(row, values).now} if values.keys() & {"starts_at", "time_zone"} else {}
        values = {date.field: date.becomes for date in moved if date.division is None} | values | starts_at
        changed = _apply(row, values, EDITABLE)
        if changed.keys() & {"currency", "currency_exponent"} and Payment.objects.filter(tournament=row).exists():
            raise Refused("currency_in_use")
        if changed:
            row.save(update_fields=list(changed))
            log(by, "tournament_changed", row.topic, club=row.club, changes=changed)
        for division in divisions:
            division.tournament = row
        if changed.keys() & {"starts_at", "time_zone"}:
            move_dates(divisions, moved, by=by, now=now)
        if changed.keys() & IN_CALENDAR:
            calendar_changed(row, now)
        notify_changed(row, known, by=by, now=now)
    return row


def publish_tournament(*, tournament: Tournament, by: Actor, now: datetime) -> Tournament:
    """Publish an event and commit its stages to the seeds they will be drawn from; seasons count it.

    Refused: `tournament_not_draft`, `no_division`.
    """
    with transaction.atomic():
        club = lock_club(tournament.club)
        row = lock_event(tournament.pk)
        if row.status != Tournament.Status.DRAFT:
            raise Refused("tournament_not_draft")
        divisions = list(row.divisions.order_by("order", "pk"))
        if not divisions:
            raise Refused("no_division")
        row.status = Tournament.Status.PUBLISHED
        row.save(update_fields=["status"])
        for division in divisions:
            first_stage(division)
        stages = Stage.objects.filter(division__tournament=row).order_by("division__order", "division_id", "number")
        commit_published(row, list(stages), club=club, now=now)
        event_published.send(Tournament, event=row, by=by)
        log(by, "tournament_published", row.topic, club=row.club)
    return row


def cancel_tournament(*, tournament: Tournament, by: Actor, now: datetime, reason: str = "") -> Tournament:
    """Cancel an event and tell its people; results stay, open matches become void. Refused: `tournament_not_open`."""
    with transaction.atomic():
        # Divisions are added under the same lock, so these are all of them.
        row = lock_event(tournament.pk)
        divisions = [lock_division(division.pk) for division in row.divisions.order_by("pk")]
        locked_matches = lock_unfinished_matches(divisions)
        if row.status in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
            raise Refused("tournament_not_open")
        audience = audience_of(row, by, now)
        for division in divisions:
            _cancel_division(division, locked_matches, by, now)
        row.status = Tournament.Status.CANCELLED
        row.save(update_fields=["status"])
        calendar_changed(row, now)
        log(by, "tournament_cancelled", row.topic, club=row.club, reason=reason)
        notify_cancelled(row, audience, reason=reason, now=now)
    return row


def _cancel_division(division: Division, locked_matches: Mapping[int, Match], by: Actor, now: datetime) -> None:
    # Settle first: a recent result may not have moved the bracket yet, and nothing does so after cancelling.
    settle(division, by=by, now=now, locked=locked_matches)
    open_matches = Match.objects.filter(parent_topic=division.topic).exclude(
        state__in=[Match.State.SETTLED, Match.State.VOID]
    )
    void_matches(dict.fromkeys(open_matches.order_by("pk"), False), club=division.tournament.club, by=by, now=now)
    division.status = Division.Status.CANCELLED
    division_changed(division, "status")


def create_division(*, tournament: Tournament, by: Actor, now: datetime, key: str = "", **values: Any) -> Division:
    """Create a division and the secret seed of its draw, whose hash is public as soon as the event is.

    Repeating a `key` returns the first division of the user.
    Refused: `tournament_not_open`, `name_taken`, `bad_round_lengths`, `pool_of_other_club`, and as `_check_sides` and
    `_check_start`.
    """
    _check_lengths(values)
    _check_pool(values, tournament.club)
    with transaction.atomic():
        club = lock_club(tournament.club)
        row = lock_event(tournament.pk)
        if row.status in (Tournament.Status.FINISHED, Tournament.Status.CANCELLED):
            raise Refused("tournament_not_open")
        if (public_id := _created_before(by, "division_created", key)) is not None:
            return Division.objects.get(public_id=public_id)
        # Pairs are rated only in ratings of their own, which somebody has to choose; matches with a start score never.
        is_plain = values.get("sides", Division.Sides.ONE) == Division.Sides.ONE
        is_plain &= values.get("start_rule", Division.StartRule.NONE) == Division.StartRule.NONE
        settings = {"rated": row.rated and is_plain} | _only(values, SETTINGS)
        division = Division(tournament=tournament, order=row.divisions.count(), **settings)
        _check_sides(division)
        _check_start(division)
        _save_named(division, division.name)
        commit_published(row, [new_stage(division, 1, StageSettings())], club=club, now=now)
        log(by, "division_created", division.topic, club=tournament.club, name=division.name, key=key)
    return division


def update_division(*, division: Division, after: int, by: Actor, now: datetime, **values: Any) -> Division:
    """Change settings of a division; after the draw only those in AFTER_DRAW.

    Who waits gets the places that are added, and its players are told of new lengths.

    Refused: `stale`, `division_drawn`, `sides_fixed`, `reentry_in_use`, `name_taken`, `bad_round_lengths`,
    `pool_of_other_club`, and as `_check_sides` and `_check_start`.
    """
    _check_lengths(values)
    _check_pool(values, division.tournament.club)
    with transaction.atomic():
        event = lock_event(division.tournament_id)
        row = lock_division(division.pk)
        refuse_stale(row, after, by=by, parts=[DivisionPart.PLAN])
        known = known_facts(event)
        sides = row.get_sides_display()
        changed = _apply(row, values, SETTINGS)
        if row.status != Division.Status.ENTRIES and set(changed) - set(AFTER_DRAW):
            raise Refused("division_drawn")
        if "sides" in changed and row.entries.exists():
            raise Refused("sides_fixed", sides=sides)
        if changed.keys() & {"sides", "rated", "pool_id", "play_mode", "self_registration"}:
            _check_sides(row)
        if (
            "reentry_until" in changed
            and row.reentry_until is None
            and row.entries.filter(number__gt=1, status=Entry.Status.IN).exists()
        ):
            raise Refused("reentry_in_use")
        if changed:
            _check_start(row)
            _save_named(row, row.name)
            fill_places(row, now)
            division_changed(row)
            log(by, "division_changed", row.topic, club=row.tournament.club, changes=changed)
        if changed.keys() & IN_CALENDAR:
            calendar_changed(event, now)
        notify_changed(event, known, by=by, now=now)
    return row


def _apply(row: Tournament | Division, values: Mapping[str, Any], allowed: tuple[str, ...]) -> dict[str, list[Any]]:
    """Set the fields that differ, and return field -> [old, new] for the log."""
    changed = {}
    for field, value in _only(values, allowed).items():
        old = getattr(row, field)
        if old != value:
            changed[field] = [old, value] if isinstance(value, list) else [str(old), str(value)]
            setattr(row, field, value)
    return changed


def _only(values: Mapping[str, Any], allowed: tuple[str, ...]) -> dict[str, Any]:
    unknown = set(values) - set(allowed)
    if unknown:
        raise TypeError(f"unknown values: {sorted(unknown)}")
    return dict(values)


def _save_named(row: Tournament | Division, name: str) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise Refused("name_taken", name=name) from None


def _free_slug(club: Club, name: str) -> str:
    """Return a slug for the name, with a number if it is taken."""
    base = slugify(name)[:50] or "event"
    taken = set(Tournament.objects.filter(club=club, slug__startswith=base).values_list("slug", flat=True))
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return next(slug for slug in (base, *numbered) if slug not in taken)


def _check_zone(name: str) -> None:
    if name not in known_zones():
        raise Refused("bad_time_zone", zone=name)


def _check_languages(values: Mapping[str, Any]) -> None:
    for field in ("language", "second_language"):
        check_language(values.get(field, ""))


def _check_pool(values: Mapping[str, Any], club: Club) -> None:
    """Refuse (`pool_of_other_club`) unless the pool is the site's (None) or the club's."""
    pool = values.get("pool_id")
    if pool is not None and not RatingPool.objects.filter(pk=pool, club=club).exists():
        raise Refused("pool_of_other_club")


def _check_sides(division: Division) -> None:
    """Refuse what pairs cannot do.

    Refused: `pairs_at_tables`, `pairs_registered`, `pairs_unrated`.
    """
    sides = division.sides
    if sides != Division.Sides.ONE and division.play_mode != PlayMode.TABLE:
        raise Refused("pairs_at_tables")
    if sides == Division.Sides.TWO and division.self_registration:
        raise Refused("pairs_registered")
    if division.rated:
        of_pairs = division.pool is not None and division.pool.chosen.of_pairs
        if sides == Division.Sides.ANY or of_pairs != (sides == Division.Sides.TWO):
            raise Refused("pairs_unrated")


def _check_start(division: Division) -> None:
    """Refuse a table of start scores that is none (`bad_start_table`), and rated matches with any (`start_unrated`)."""
    rows = division.start_table
    fits = all(0 < least <= MAX_DIFFERENCE and 0 < points < MAX_MATCH for least, points in rows)
    if len(rows) > MAX_START_ROWS or not fits:
        raise Refused("bad_start_table", most=MAX_START_ROWS)
    if division.rated and division.start_rule != Division.StartRule.NONE:
        raise Refused("start_unrated")


def _check_lengths(values: Mapping[str, Any]) -> None:
    lengths = [*values.get("round_lengths", []), values.get("match_length", 1)]
    if not all(type(length) is int and 1 <= length <= MAX_MATCH for length in lengths):
        raise Refused("bad_round_lengths", most=MAX_MATCH)
