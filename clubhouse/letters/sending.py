"""Sending the letters about an event: to whom, once, and again only if the reader's own result was corrected."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from clubhouse.letters.contents import letter_of
from clubhouse.letters.email import EmailSection, email_text
from clubhouse.letters.night import PlayedNight, night_of
from clubhouse.letters.timing import CORRECTED_FOR, LATEST, after_quiet_hours, last_morning, ready_at, send_at, staged
from core import times
from core.faults import each
from core.locks import for_update
from matches.models import Result
from players.actors import SYSTEM, log
from players.models import Delivery, LogEntry, Membership, Notification, Player, User
from players.notifications.deliveries import NOT_RECEIVED
from players.notifications.kinds import NotificationGroup, NotificationKind, OwnEmail, Params
from players.notifications.services import Notice, notify_each, users_of
from players.people.rows import people_of
from tournaments.models import Entry, Fixture, Letter, Tournament
from tournaments.state.advancement import unfinished_divisions
from tournaments.state.locks import lock_event_if_free
from tournaments.state.stage_rows import UNPLAYED

# The end of an event, from its results.


class End(NamedTuple):
    """When the last match of an event that is over was played, and when a result was last recorded or corrected."""

    last_result: datetime
    finished: datetime


def ends_of(events: Q) -> dict[int, End]:
    """Return event id -> its end, for those of these events that are over and in which something was played."""
    event = "stage__division__tournament"
    is_open = unfinished_divisions(OuterRef(event))
    rows = Fixture.objects.filter(~Exists(is_open), match__isnull=False, stage__division__tournament__in=_over(events))
    was_played = ~Q(match__results__kind__in=[*UNPLAYED, Result.Kind.VOID])
    ends = (
        rows.order_by()
        .values(event)
        .annotate(last=Max("match__finished_at", filter=was_played), finished=Max("match__results__at"))
    )
    return {row[event]: End(row["last"], row["finished"]) for row in ends if row["last"] is not None}


def _over(events: Q) -> QuerySet[Tournament]:
    return Tournament.objects.filter(events, status=Tournament.Status.FINISHED)


def _played_since(at: datetime) -> Q:
    rows = Fixture.objects.filter(match__finished_at__gte=at)
    return Q(pk__in=rows.values("stage__division__tournament"))


_nights: dict[str, tuple[object, PlayedNight]] = {}
NIGHTS_KEPT = 8
SHOWN = ("pk", "name", "initials_only", "in_event_lines", "erased_at", "merged_into", "parts")
"""On what it depends how a player is named, and whether at all."""


def _night(event: str, finished: str, now: datetime) -> PlayedNight:
    """Return what is read of an event once for all its letters, and again once it or somebody in it has changed.

    The event is given by public id, its end in ISO 8601.
    """
    entered = people_of(Entry.objects.filter(division__tournament__public_id=event).values_list("player", flat=True))
    people = Player.objects.filter(pk__in={*entered, *chain.from_iterable(entered.values())})
    basis = finished, tuple(people.order_by("pk").values_list(*SHOWN)), int(now.timestamp()) // NIGHT_LASTS
    known = _nights.pop(event, None)
    if known is not None and known[0] == basis:
        night = known[1]
    else:
        night = night_of(Tournament.objects.select_related("club").get(public_id=event), now)
    _nights[event] = basis, night
    for public_id in list(_nights)[:-NIGHTS_KEPT]:
        _nights.pop(public_id, None)
    return night


NIGHT_LASTS = 600
"""Seconds; ratings and seasons may change without a result."""

# Letters that are due.


MORNING_LETTER, CLUB_NIGHT = "morning", "club_night"
CORRECTION = "correction"
PLANNED = "letters_planned"


def sweep(*, now: datetime) -> None:
    """Plan the letters about every event that has become ready, each in its own transaction."""
    ends = ends_of(_played_since(now - LATEST))
    events = Tournament.objects.filter(pk__in=ends).select_related("club")
    done = _planned(events)

    def plan_due(event: Tournament) -> None:
        end = ends[event.pk]
        if done.get(event.pk) != end.finished.isoformat() and _ready(event, end) <= now:
            plan(event=event, end=end, now=now)

    each("letters", events, plan_due)


def _ready(event: Tournament, end: End) -> datetime:
    return ready_at(
        last_result=end.last_result,
        finished=end.finished,
        zone=event.time_zone,
        on_close=event.club.letter_on_close,
    )


def _planned(events: Iterable[Tournament]) -> dict[int, str]:
    """Return event id -> the end, in ISO 8601, for which its letters were last planned."""
    topics = {_topic(event): event.pk for event in events}
    rows = LogEntry.objects.filter(topic__in=topics, verb=PLANNED).order_by("pk").values_list("topic", "params")
    return {topics[topic]: params["finished"] for topic, params in rows}


def _topic(event: Tournament) -> str:
    return f"letters:{event.public_id}"


def key_of(event: Tournament) -> str:
    """Return the key of the notifications about an event: nobody gets two letters about it."""
    return f"letter:{event.public_id}"


def plan(*, event: Tournament, end: End, now: datetime) -> int:
    """Plan the letters about an event that is ready; return how many.

    What certainly nobody has received of an earlier end is planned anew; whoever may have got a letter gets no second.
    """
    played = users_of(_night(event.public_id, end.finished.isoformat(), now).played)
    with transaction.atomic():
        if lock_event_if_free(event.pk) is None or ends_of(Q(pk=event.pk)).get(event.pk) != end:
            return 0
        members = Membership.objects.filter(club=event.club, left_at=None).values_list("player", flat=True)
        readers = {MORNING_LETTER: sorted(played), CLUB_NIGHT: sorted(users_of(members) - played)}
        users = [user for kind in readers.values() for user in kind]
        pushed = _forget_outdated(users, key_of(event), end)
        at = _times(event, end, users, now)
        count = 0
        for kind, own in readers.items():
            by_time = defaultdict(list)
            for user in own:
                if user in at:
                    by_time[at[user]].append(_notice(event, end, user, key_of(event)))
            for time, notices in by_time.items():
                count += len(notify_each(kind=kind, notices=notices, now=now, not_before=time))
        _push_no_more(pushed, key_of(event))
        log(SYSTEM, PLANNED, _topic(event), club=event.club, finished=end.finished.isoformat(), letters=count)
    return count


def _notice(event: Tournament, end: End, user: int, key: str, variant: str = "") -> Notice:
    params = {
        "event": event.name,
        "context": event.name,
        "language": event.effective_language,
        "zone": event.time_zone,
        "tournament": event.public_id,
        "finished": end.finished.isoformat(),
        "variant": variant,
    }
    return Notice(user, params, reverse("letter", args=[event.public_id]), key)


def _times(event: Tournament, end: End, users: Collection[int], now: datetime) -> dict[int, datetime]:
    """Return user id -> when their letter is sent; those for whom that would be too late are left out.

    A letter about another event that waits for the same hour takes this one along.
    """
    ready = max(_ready(event, end), now)
    zones = _zones(users, event)
    at = {}
    for number, user in enumerate(users):
        if user in zones:
            time = send_at(last_result=end.last_result, ready=ready, zone=zones[user])
            if time is not None:
                at[user] = staged(time, number)
    others = Delivery.objects.filter(
        notification__user__in=at,
        notification__kind__in=[MORNING_LETTER, CLUB_NIGHT],
        channel=Delivery.Channel.EMAIL,
        state=Delivery.State.WAITING,
        batch="",
    )
    for user, other in others.values_list("notification__user", "next_at"):
        if abs(other - at[user]) < timedelta(hours=1) and other >= ready:
            at[user] = other
    return at


def _zones(users: Collection[int], event: Tournament) -> dict[int, str]:
    rows = User.objects.filter(pk__in=users).values_list("pk", "time_zone")
    return {pk: _zone(zone, event.time_zone) for pk, zone in rows}


def _zone(zone: str, event_zone: str) -> str:
    return zone if zone in times.known() else event_zone


def _forget_outdated(users: Collection[int], key: str, end: End) -> list[int]:
    """Delete the notifications with this key of an earlier end whose e-mail certainly nobody has received.

    Return the users of them who may have got the push.
    """
    own = Delivery.objects.filter(notification__user__in=users, notification__key=key)
    outdated = own.filter(NOT_RECEIVED, channel=Delivery.Channel.EMAIL).exclude(
        notification__params__finished=end.finished.isoformat()
    )
    # Locked, so that no worker hands one of them over meanwhile.
    rows = Notification.objects.filter(pk__in=[row.notification_id for row in for_update(outdated).order_by("pk")])
    pushes = own.filter(notification__in=rows, channel=Delivery.Channel.PUSH).exclude(NOT_RECEIVED)
    pushed = list(pushes.values_list("notification__user", flat=True))
    rows.delete()
    return pushed


def _push_no_more(users: Collection[int], key: str) -> None:
    own = Delivery.objects.filter(notification__user__in=users, notification__key=key)
    own.filter(channel=Delivery.Channel.PUSH).update(state=Delivery.State.DROPPED)


def sent_sentence(event: Tournament, now: datetime) -> str:
    """Return what directors are told of the letters about an event that is over: how many, and nobody's name."""
    if event.status != Tournament.Status.FINISHED or now > event.starts_at + SHOWN_FOR:
        return ""
    rows = Delivery.objects.filter(notification__key=key_of(event), channel=Delivery.Channel.EMAIL)
    numbers = rows.aggregate(count=Count("pk"), sent=Count("pk", filter=Q(state=Delivery.State.SENT)))
    return gettext("Letters: %(sent)s of %(count)s sent.") % numbers if numbers["count"] else ""


SHOWN_FOR = timedelta(days=7)


# Corrections.


def sweep_corrections(*, now: datetime) -> None:
    """Plan the corrections of letters whose readers have 08:00; called several times an hour."""
    since = now - LATEST - CORRECTED_FOR
    events = Tournament.objects.filter(_played_since(since))
    letters = Letter.objects.filter(event__in=events, corrected_at=None).exclude(facts={})
    by_event = defaultdict(list)
    for letter in letters.select_related("user", "event__club"):
        by_event[letter.event_id].append(letter)
    ends = ends_of(Q(pk__in=by_event))

    def plan_due(pk: int) -> None:
        event, end = by_event[pk][0].event, ends[pk]
        due = [letter for letter in by_event[pk] if _may_be_wrong(letter, end, now)]
        corrected = [letter for letter in due if _is_wrong(letter, end, now)]
        if corrected:
            _plan_corrections(event, end, corrected, now)

    each("letter-corrections", ends, plan_due)


def _may_be_wrong(letter: Letter, end: End, now: datetime) -> bool:
    """Whether the reader has 08:00 and something was recorded since the letter was written and before that."""
    morning = last_morning(now, _zone(letter.user.time_zone, letter.event.time_zone))
    sent_at = letter.sent_at or end.last_result
    is_morning = now - morning < timedelta(hours=1)
    return is_morning and sent_at - WRITTEN_WITHIN <= end.finished < morning and now <= sent_at + CORRECTED_FOR


WRITTEN_WITHIN = timedelta(minutes=5)
"""A letter was written no longer before it was sent."""


def _is_wrong(letter: Letter, end: End, now: datetime) -> bool:
    """Whether the winner of an own match, or the own place, is not as it was sent."""
    contents = letter_of(letter.user, letter.event, now, _night(letter.event.public_id, end.finished.isoformat(), now))
    if contents is None:
        return False
    sent, facts = letter.facts, contents.facts
    places = sent["places"].keys() & facts["places"].keys()
    return any(facts["won"].get(match, "void") != won for match, won in sent["won"].items()) or any(
        facts["places"][key] != sent["places"][key] for key in places
    )


def _plan_corrections(event: Tournament, end: End, letters: Sequence[Letter], now: datetime) -> None:
    key = f"letter-correction:{event.public_id}"
    letter_of_event = Delivery.objects.filter(notification__key=key_of(event), channel=Delivery.Channel.EMAIL)
    received = letter_of_event.filter(notification__user__in=[letter.user_id for letter in letters])
    users = list(received.exclude(NOT_RECEIVED).values_list("notification__user", flat=True))
    with transaction.atomic():
        pushed = _forget_outdated(users, key, end)
        notices = [_notice(event, end, user, key, CORRECTION) for user in users]
        notify_each(kind=MORNING_LETTER, notices=notices, now=now)
        _push_no_more(pushed, key)


# What is sent.


def _is_current(params: Params) -> bool:
    """Whether nothing was recorded or reopened since the letter was planned; else it is planned anew."""
    [*ends] = ends_of(Q(public_id=params["tournament"])).values()
    return any(end.finished.isoformat() == params["finished"] for end in ends)


def _not_before(user: User, params: Params, now: datetime) -> datetime:
    return after_quiet_hours(now, _zone(user.time_zone, params["zone"]))


def _written(user: User, notifications: Sequence[Notification], now: datetime) -> tuple[str, str] | None:
    """Return the letters about the events of one morning as one e-mail, and store what they say."""
    sections = []
    for row in notifications:
        # A worker has just asked whether this is still the end of the event (see `_is_current`).
        night = _night(row.params["tournament"], row.params["finished"], now)
        contents = letter_of(user, night.event, now, night)
        if contents is None:
            continue
        is_correction = row.params.get("variant") == CORRECTION
        sections.append(EmailSection(contents, is_correction))
        if not is_correction:
            Letter.objects.bulk_create(
                [Letter(user=user, event=night.event, facts=dict(contents.facts))],
                update_conflicts=True,
                unique_fields=["user", "event"],
                update_fields=["facts"],
            )
    return email_text(user, sections) if sections else None


def _note_email(notification: Notification, at: datetime) -> None:
    params = notification.params
    rows = Letter.objects.filter(user=notification.user_id, event__public_id=params["tournament"])
    if params.get("variant") == CORRECTION:
        rows.filter(corrected_at=None).update(corrected_at=at)
    else:
        rows.filter(sent_at=None).update(sent_at=at)


LETTER_EMAIL = OwnEmail(_not_before, _written)
SENTENCES = {
    "": gettext_noop("Your letter about {event}: results, ratings and the best of the night."),
    CORRECTION: gettext_noop("A result of yours at {event} was corrected."),
}
KINDS = (
    NotificationKind(
        code=MORNING_LETTER,
        label=gettext_noop("The morning after an event in which I played"),
        group=NotificationGroup.EVENTS,
        sentences=SENTENCES,
        default=frozenset({"email"}),
        is_current=_is_current,
        own_email=LETTER_EMAIL,
        after_email=_note_email,
    ),
    NotificationKind(
        code=CLUB_NIGHT,
        label=gettext_noop("The morning after an event of my club without me"),
        group=NotificationGroup.CLUB,
        sentences=SENTENCES,
        default=frozenset({"site"}),
        is_current=_is_current,
        own_email=LETTER_EMAIL,
        after_email=_note_email,
    ),
)
