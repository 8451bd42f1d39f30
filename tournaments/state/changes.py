"""What the people of an event are told when it changes, and who they are.

A notification of a change stores what the event was like before. What has changed since then is derived whenever it is
sent or read: several changes in a row are one message, and a change that was changed back is none.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.left_out import DivisionBroken
from core.times import LONG, event_time
from formats.settings import StageSettings
from players.actors import Actor
from players.models import LogEntry, Notification, User
from players.notifications.kinds import NotificationGroup, NotificationKind, Params
from players.notifications.services import Notice, notify, notify_each
from players.people.rows import accounts_of, persons_among, players_among
from tournaments.models import Division, Entry, FinalPlace, Round, Tournament
from tournaments.state.format_labels import stages_name
from tournaments.state.plans import settings_of

TELL_AFTER = timedelta(minutes=2)
"""How long e-mails and pushes about a change wait for further changes."""
CHANGED, CANCELLED = "event_changed", "event_cancelled"
REASON = "reason"
"""Variant of `CANCELLED` for one with a reason."""
Facts = Mapping[str, Any]
"""What people know of an event, as plain JSON values."""


class Audience(NamedTuple):
    """Who hears of a change of an event."""

    divisions: Mapping[int, frozenset[str]]
    """Account -> public ids of the divisions that its player has entered or waits for; "" for a place in a final."""
    people: int
    """How many there are with those who cannot be notified, since they have no account or made the change."""

    @property
    def text(self) -> str:
        """Say how many people hear of it; empty if there is nobody."""
        numbers = {"notified": len(self.divisions), "people": self.people}
        return _("%(notified)d of %(people)d players are notified.") % numbers if self.people else ""

    def of(self, division: Division) -> "Audience":
        """Return who hears of a change of one division."""
        accounts = {user: names for user, names in self.divisions.items() if division.public_id in names}
        players = players_among(division.entries.exclude(status=Entry.Status.OUT).values_list("player", flat=True))
        return Audience(accounts, len(persons_among(players)))


def audience_of(tournament: Tournament, by: Actor, now: datetime) -> Audience:
    """Return who is entered, waiting or invited to the final, except for `by`; nobody unless the event is published."""
    if not tournament.is_open:
        return Audience({}, 0)
    entries = Entry.objects.filter(division__tournament=tournament).exclude(status=Entry.Status.OUT)
    places = [row for row in FinalPlace.objects.filter(series__final=tournament) if row.is_held(now)]
    takes_part = [*entries.values_list("player", "division__public_id"), *((row.player_id, "") for row in places)]
    players = players_among(player for player, _division in takes_part)
    accounts = accounts_of(players)
    divisions: dict[int, set[str]] = defaultdict(set)
    for player, division in takes_part:
        for account in accounts.get(player, ()):
            divisions[account].add(division)
    users = set(User.objects.filter(pk__in=divisions, is_active=True).values_list("pk", flat=True))
    notified = {user: frozenset(divisions[user]) for user in users - {by.user.pk if by.user is not None else None}}
    return Audience(notified, len(persons_among(players)))


# What an event is like, and what has changed since.


def facts_of(tournament: Tournament) -> Facts:
    """Return what people know of an event."""
    return facts_by_event([tournament])[tournament.pk]


def known_facts(tournament: Tournament) -> Facts:
    """Return what people know of an event that is about to change, for `notify_changed`; nothing unless it is open."""
    return facts_of(tournament) if tournament.is_open else {}


def facts_by_event(tournaments: Collection[Tournament]) -> dict[int, Facts]:
    """Return event id -> what people know of it, without divisions whose format cannot be read; 3 queries."""
    divisions = Division.objects.filter(tournament__in=tournaments).order_by("order", "pk").prefetch_related("stages")
    rounds: dict[int, dict[str, list[int]]] = defaultdict(dict)
    rows = Round.objects.filter(bracket__stage__division__tournament__in=tournaments)
    for division, pk, number, length in rows.values_list("bracket__stage__division", "pk", "number", "length"):
        rounds[division][str(pk)] = [number, length]
    known: dict[int, dict[str, Any]] = defaultdict(dict)
    for row in divisions:
        with suppress(DivisionBroken):
            known[row.tournament_id][row.public_id] = _division_facts(row) | {"rounds": rounds[row.pk]}
    return {
        event.pk: {"starts_at": event.starts_at.isoformat(), "venue": event.venue, "divisions": known[event.pk]}
        for event in tournaments
    }


def _division_facts(division: Division) -> dict[str, Any]:
    stages = [settings_of(stage) for stage in division.stages.all()] or [StageSettings()]
    return {
        "stages": [[stage.format, stage.as_data()] for stage in stages],
        "lengths": list(stages[0].lengths or division.lengths),
    }


def changes_since(before: Facts, tournament: Tournament, facts: Facts | None = None) -> list[str]:
    """Return what has changed since then, in words; `facts` are those of now if they have been read.

    Rounds that were paired or taken back meanwhile are no change.
    """
    was, now = _words(before, tournament), _words(facts or facts_of(tournament), tournament)
    sentence = _("{what}: {now} (was {was}).")
    changed = [what for what in was if now.get(what, was[what]) != was[what]]
    return [sentence.format(what=what[0], now=now[what], was=was[what]) for what in changed]


def _words(facts: Facts, tournament: Tournament) -> dict[tuple[str, str], str]:
    starts_at = datetime.fromisoformat(facts["starts_at"])
    words = {
        (_("Start"), ""): event_time(starts_at, tournament.time_zone, LONG),
        (_("Venue"), ""): facts["venue"] or "–",
    }
    for division in tournament.divisions.all():
        own = facts["divisions"].get(division.public_id)
        if own is not None:
            name = {"division": division.name}
            stages = [StageSettings.of(*stage) for stage in own["stages"]]
            words[_("Format of {division}").format(**name), ""] = stages_name(stages)
            words[_("Match length of {division}").format(**name), ""] = " ".join(map(str, own["lengths"]))
            for pk, (number, length) in own["rounds"].items():
                words[_("Match length of {division}, round {round}").format(round=number, **name), pk] = str(length)
    return words


def _event(params: Params) -> Tournament | None:
    return Tournament.objects.filter(public_id=params["tournament"]).first()


def _has_changed(params: Params) -> bool:
    event = _event(params)
    return event is not None and event.is_open and bool(changes_since(params["was"], event))


def _changes(rows: Sequence[Params]) -> Sequence[Mapping[str, str]]:
    named = Tournament.objects.filter(public_id__in={row["tournament"] for row in rows})
    events = {event.public_id: event for event in named.prefetch_related("divisions")}
    facts = facts_by_event(events.values())
    values = []
    for row in rows:
        event = events.get(row["tournament"])
        lines = changes_since(row["was"], event, facts[event.pk]) if event is not None else []
        values.append({"changes": " ".join(lines) or _("Everything is as it was before.")})
    return values


def _is_cancelled(params: Params) -> bool:
    event = _event(params)
    return event is not None and event.status == Tournament.Status.CANCELLED


def _reasons(rows: Sequence[Params]) -> Sequence[Mapping[str, str]]:
    # From the log, where a name is erased with its person.
    topics = [f"tournament:{row['tournament']}" for row in rows]
    logged = LogEntry.objects.filter(topic__in=topics, verb="tournament_cancelled").order_by("pk")
    reasons = dict(logged.values_list("topic", "params__reason"))
    return [{"reason": reasons.get(topic) or "–"} for topic in topics]


KINDS = (
    NotificationKind(
        code=CHANGED,
        label=gettext_noop("The time, the venue or the format of your event changes"),
        group=NotificationGroup.EVENTS,
        sentences={"": gettext_noop("The event has changed. {changes}")},
        subjects={"": gettext_noop("{event} has changed")},
        is_current=_has_changed,
        values=_changes,
    ),
    NotificationKind(
        code=CANCELLED,
        label=gettext_noop("Your event is cancelled"),
        group=NotificationGroup.EVENTS,
        sentences={
            "": gettext_noop("The event is cancelled."),
            REASON: gettext_noop("The event is cancelled. Reason: {reason}"),
        },
        subjects=dict.fromkeys(("", REASON), gettext_noop("{event} is cancelled")),
        is_urgent=True,
        is_current=_is_cancelled,
        values=_reasons,
    ),
)


def notify_changed(tournament: Tournament, before: Facts, *, by: Actor, now: datetime) -> None:
    """Tell the people of a locked event what has changed for them, unless a message about it waits to be sent."""
    if not tournament.is_open:
        return
    event = Tournament.objects.select_related("club").get(pk=tournament.pk)
    if not changes_since(before, event):
        return
    key = f"{CHANGED}:{event.public_id}:"
    waiting = Notification.objects.filter(kind=CHANGED, key__startswith=key, created_at__gt=now - TELL_AFTER)
    already_notified = set(waiting.values_list("user", flat=True))
    audience = audience_of(event, by, now)
    known = {divisions: _known_in(before, divisions) for divisions in set(audience.divisions.values())}
    concerned = {divisions for divisions, was in known.items() if changes_since(was, event)}
    notices = [
        Notice(user, {**_params(event), "was": known[divisions]}, _page(event), f"{key}{now:%Y%m%d%H%M%S}")
        for user, divisions in audience.divisions.items()
        if user not in already_notified and divisions in concerned
    ]
    not_before = max(now + TELL_AFTER, event.undo_until or now)
    notify_each(kind=CHANGED, notices=notices, now=now, not_before=not_before)


def _known_in(facts: Facts, divisions: frozenset[str]) -> Facts:
    return {**facts, "divisions": {name: own for name, own in facts["divisions"].items() if name in divisions}}


def notify_cancelled(tournament: Tournament, audience: Audience, *, reason: str, now: datetime) -> None:
    """Tell those who took part in an event that it is cancelled."""
    params = {**_params(tournament), "variant": REASON if reason else ""}
    key = f"{CANCELLED}:{tournament.public_id}:{now:%Y%m%d%H%M%S}"
    notify(users=audience.divisions, kind=CANCELLED, params=params, url=_page(tournament), key=key, now=now)


def _params(tournament: Tournament) -> dict[str, Any]:
    return {
        "tournament": tournament.public_id,
        "event": tournament.name,
        "context": tournament.name,
        "language": tournament.effective_language,
    }


def _page(tournament: Tournament) -> str:
    return reverse("event", args=[tournament.club.slug, tournament.slug])
