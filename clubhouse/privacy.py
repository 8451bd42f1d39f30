"""What is erased and exported of what a person did in events."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from clubhouse.leaving import end_all, end_membership, for_members, held_places, open_entries, parts_of, return_all
from display.sharing.services import delete_unused, forget_pictures
from players.actors import Actor
from players.kept.acts import NOTE
from players.models import Club, KeptAct, LogEntry, Merge, Player, User
from players.people import mentions
from players.people.mentions import WRITTEN, erase_texts_of
from players.people.stored_elsewhere import Leaving, Participation, StoredElsewhere, register
from players.privacy.retention import in_batches, kept_since
from players.privacy.retention import register as register_retention
from players.privacy.sections import ExportSection, Person, Row, values
from players.privacy.sections import register as register_sections
from tournaments.entries.merges import join_entries, lock_entered, separate_entries
from tournaments.models import (
    AgreedSplit,
    Batch,
    ByeRequest,
    CashCount,
    CashReopening,
    CheckIn,
    Commitment,
    Correction,
    Division,
    Draw,
    Entry,
    FinalPlace,
    Fixture,
    FloorEvent,
    Helper,
    LateEntry,
    Letter,
    MissedMatch,
    Pairing,
    PastPlacing,
    Payment,
    PoolMember,
    Return,
    SeriesClosing,
    SeriesEntry,
    SeriesPoints,
    SeriesView,
    Substitution,
    Title,
    Tournament,
    Wall,
    Withdrawal,
)

# Erasing a person from events: reasons, notes and what was typed about them. Entries and payments are kept.


def forget(players: list[Player], user: User | None) -> None:
    """Empty the notes and reasons about these players' entries, matches and payments."""
    entries = Entry.objects.filter(Q(player__in=players) | Q(substitutions__before__in=players)).distinct()
    Entry.objects.filter(player__in=players).update(**Entry.emptied())
    Withdrawal.objects.filter(entry__in=entries).update(reason="")
    Return.objects.filter(withdrawal__entry__in=entries).update(reason="")
    LateEntry.objects.filter(entry__in=entries).update(reason="")
    MissedMatch.objects.filter(entry__in=entries).update(reason="")
    Pairing.objects.filter(Q(first__in=entries) | Q(second__in=entries)).update(reason="")
    Payment.objects.filter(Q(entry__in=entries) | Q(player__in=players)).update(note="")
    Title.objects.filter(player__in=players).update(reason="")
    SeriesPoints.objects.filter(player__in=players).update(reason="")
    SeriesView.players.through.objects.filter(player__in=players).delete()
    ids = set(entries.values_list("pk", flat=True))
    if user is not None and user.email_verified_at is not None:
        Helper.objects.filter(email=user.email.casefold()).delete()
    forget_pictures()
    _forget_splits(ids)
    _forget_matches(players)
    _forget_in_log(players, ids)


def _forget_splits(entries: set[int]) -> None:
    for split in AgreedSplit.objects.filter(division__entries__in=entries).distinct():
        if any(entry in entries for entry, _ in split.amounts):
            AgreedSplit.objects.filter(pk=split.pk).update(note="")


def _forget_matches(players: list[Player]) -> None:
    of_match = Q(match__player_0__in=players) | Q(match__player_1__in=players)
    for event in FloorEvent.objects.filter(of_match | Q(player__in=players)).only("params"):
        params = {name: value for name, value in event.params.items() if name not in WRITTEN}
        if params != event.params:
            FloorEvent.objects.filter(pk=event.pk).update(params=params)
    before = Q(before__match__player_0__in=players) | Q(before__match__player_1__in=players)
    Correction.objects.filter(before).update(reason="")


def _forget_in_log(players: list[Player], entries: set[int]) -> None:
    """Remove what was typed about these entries, and about these players' matches, from the log of their events."""
    replaced = set(Substitution.objects.filter(before__in=players).values_list("entry", flat=True))
    concerned = entries | replaced
    divisions = Division.objects.filter(entries__in=concerned).select_related("tournament").distinct()
    topics = {topic for division in divisions for topic in (division.topic, division.tournament.topic)}
    rows = LogEntry.objects.filter(topic__in=topics)
    erase_texts_of(rows.filter(pk__in=_about_entries(rows, concerned)))
    erase_texts_of(rows.filter(pk__in=_about_matches(rows, players)))
    titles = Title.objects.filter(player__in=players).select_related("series", "division")
    withdrawn = LogEntry.objects.filter(
        topic__in={of.topic for title in titles if (of := title.series or title.division) is not None},
        verb="title_withdrawn",
    )
    erase_texts_of(withdrawn.filter(params__title__in=[title.public_id for title in titles]))
    given = LogEntry.objects.filter(verb="series_points_given")
    erase_texts_of(given.filter(params__player__in=[player.public_id for player in players]))
    # A line of quick entry names players in any way, so none of these events' lines stays, nor what was kept of them.
    erase_texts_of(rows.filter(params__line__isnull=False))
    acts = KeptAct.objects.filter(outbox__topic__in=topics)
    acts.update(label="", params={})
    acts.filter(action=NOTE).update(content={})


def _about_entries(rows: QuerySet[LogEntry], entries: set[int]) -> list[int]:
    def concerns(params: dict[str, Any]) -> bool:
        named = [params.get("entry"), *(params.get("entries") or ())]
        return any(entry in entries for entry in named if isinstance(entry, int))

    return [pk for pk, params in rows.values_list("pk", "params").iterator(chunk_size=500) if concerns(params)]


def _about_matches(rows: QuerySet[LogEntry], players: list[Player]) -> list[int]:
    """Return the log entries about fixtures that these players had: corrections and moved deadlines, say."""
    had = Q(match__player_0__in=players) | Q(match__player_1__in=players)
    had |= Q(corrections__before__match__player_0__in=players) | Q(corrections__before__match__player_1__in=players)
    fixtures = Fixture.objects.filter(had).values_list("stage__division__public_id", "number").distinct()
    numbers = {(f"division:{division}", number) for division, number in fixtures}
    named = rows.filter(params__has_key="fixture").values_list("pk", "topic", "params")
    return [pk for pk, topic, params in named.iterator(chunk_size=500) if (topic, params["fixture"]) in numbers]


class StoredByEvents(StoredElsewhere):
    """Entries, and what was written about them and their matches."""

    def lock_entered(self, players: Collection[Player]) -> Iterable[int]:
        return lock_entered(players)

    def merged(self, merge: Merge, players: Collection[int], entered: Collection[int], by: Actor) -> None:
        join_entries(merge, players, entered, by)

    def separating(self, merge: Merge, players: Collection[int], by: Actor, now: datetime) -> None:
        separate_entries(merge, players, by, now)

    def clubs_locked_first(self, players: Collection[Player]) -> Iterable[int]:
        return FinalPlace.objects.filter(player__in=players, taken_back_at=None).values_list("series__club", flat=True)

    def taking_part(self, players: Collection[Player], now: datetime) -> Iterable[Participation]:
        return parts_of(players, now)

    def has_open(self, players: Collection[Player], now: datetime) -> bool:
        return open_entries(players).exists() or bool(held_places(players, now))

    def end_all(self, leaving: Leaving) -> None:
        end_all(leaving)

    def for_members(self, players: Collection[Player], club: Club, now: datetime) -> Iterable[Participation]:
        return for_members(players, club, now)

    def end_membership(self, leaving: Leaving, club: Club) -> None:
        end_membership(leaving, club)

    def return_all(self, leaving: Leaving, left_at: datetime) -> Iterable[Participation]:
        return return_all(leaving, left_at)

    def forget(self, players: list[Player], user: User | None) -> None:
        forget(players, user)

    def guests(self) -> Iterable[QuerySet[Any]]:
        in_event = "division__tournament__club_id"
        yield Entry.objects.order_by().values(person=F("player_id"), of_club=F(in_event))
        yield Substitution.objects.order_by().values(person=F("before_id"), of_club=F(f"entry__{in_event}"))
        pairs = Entry.objects.exclude(player__pair=None).order_by()
        for side in ("first_id", "second_id"):
            yield pairs.values(person=F(f"player__pair__{side}"), of_club=F(in_event))
        # Whom a director entered for a season was one of the club's people before.
        own = SeriesEntry.objects.filter(by=F("player__user")).order_by()
        yield own.values(person=F("player_id"), of_club=F("series__club_id"))


def connect_erasure() -> None:
    """Register what events store about a person, and where people write freely."""
    register(StoredByEvents())
    mentions.register(Tournament, "about", club="club")
    mentions.register(Entry, *Entry.FIELDS, club="division__tournament__club")
    mentions.register(Withdrawal, "reason", club="entry__division__tournament__club")
    mentions.register(Return, "reason", club="withdrawal__entry__division__tournament__club")
    mentions.register(LateEntry, "reason", club="entry__division__tournament__club")
    mentions.register(Batch, "reason", club="stage__division__tournament__club")
    mentions.register(Pairing, "reason", club="batch__stage__division__tournament__club")
    mentions.register(MissedMatch, "reason", club="stage__division__tournament__club")
    mentions.register(Correction, "reason", club="fixture__stage__division__tournament__club")
    mentions.register(Commitment, "reason", club="club")
    mentions.register(SeriesClosing, "reason", club="series__club")
    mentions.register(SeriesPoints, "reason", club="series__club")
    mentions.register(Title, "reason", club="club")
    mentions.register(Draw, "reason", "taken_back_reason", club="stage__division__tournament__club")
    mentions.register(Payment, "note", club="tournament__club")
    mentions.register(CashCount, "note", club="tournament__club")
    mentions.register(CashReopening, "reason", club="count__tournament__club")
    mentions.register(AgreedSplit, "note", club="division__tournament__club")
    mentions.register(FloorEvent, "params", club="tournament__club")
    mentions.register(Wall, "message", club="tournament__club")


# What an export says about events: entries, check-in, withdrawals, money and the floor.


def _in(person: Person, rows: QuerySet[Any], *fields: str, entry: str = "entry") -> Iterable[Row]:
    """Return fields of the rows of this person's entries, with the event and the division."""
    of_person = rows.filter(**{f"{entry}__player__in": person.sides})
    names = {"event": F(f"{entry}__division__tournament__name"), "division_name": F(f"{entry}__division__name")}
    return values(of_person, *fields, **names)


def _own(person: Person, field: str) -> Q:
    """Return the condition that a row of an entry is not about the other of a pair."""
    return Q(**{field: None}) | Q(**{f"{field}__in": person.players})


def _entries(person: Person) -> Iterable[Row]:
    rows = Entry.objects.filter(player__in=person.sides)
    names = {"event": F("division__tournament__name"), "division_name": F("division__name")}
    return values(rows, "public_id", "status", "entered_at", *Entry.FIELDS, **names)


def _check_ins(person: Person) -> Iterable[Row]:
    rows = CheckIn.objects.filter(_own(person, "person"))
    return _in(person, rows, "state", "until", "source", "at")


def _withdrawals(person: Person) -> Iterable[Row]:
    return _in(person, Withdrawal.objects.all(), "reason", "at", "taken_back_at")


def _returns(person: Person) -> Iterable[Row]:
    return _in(person, Return.objects.all(), "reason", "at", entry="withdrawal__entry")


def _late(person: Person) -> Iterable[Row]:
    return _in(person, LateEntry.objects.all(), "reason", "at")


def _byes(person: Person) -> Iterable[Row]:
    return _in(person, ByeRequest.objects.all(), "round", "kind", "at", "taken_back_at")


def _payments(person: Person) -> Iterable[Row]:
    fields = ("public_id", "kind", "method", "amount", "note", "at")
    yield from _in(person, Payment.objects.filter(_own(person, "player")), *fields)
    rows = Payment.objects.filter(entry=None, player__in=person.players)
    yield from values(rows, *fields, event=F("tournament__name"), season_name=F("series__name"))


def _pools(person: Person) -> Iterable[Row]:
    return _in(person, PoolMember.objects.all(), "at", "taken_back_at")


def _splits(person: Person) -> Iterator[Row]:
    """The person's own amounts; what others get belongs to their data."""
    mine = set(Entry.objects.filter(player__in=person.sides).values_list("pk", flat=True))
    rows = AgreedSplit.objects.filter(division__entries__in=mine).distinct().select_related("division__tournament")
    for split in rows.order_by("pk"):
        for entry, amount in split.amounts:
            if entry in mine:
                event = split.division.tournament.name
                yield {"event": event, "amount": amount, "at": split.at, "taken_back_at": split.taken_back_at}


def _letters(person: Person) -> Iterable[Row]:
    rows = Letter.objects.filter(user=person.user) if person.user else Letter.objects.none()
    return values(rows, "facts", "sent_at", "corrected_at", "dismissed_at", event_name=F("event__name"))


def _substitutions(person: Person) -> Iterable[Row]:
    rows = Substitution.objects.filter(Q(before__in=person.sides) | Q(after__in=person.sides))
    names = {"event": F("entry__division__tournament__name"), "division_name": F("entry__division__name")}
    return values(rows, "at", left_player=F("before__public_id"), new_player=F("after__public_id"), **names)


def _floor(person: Person) -> Iterable[Row]:
    rows = FloorEvent.objects.filter(player__in=person.sides)
    return values(rows, "kind", "params", "at", event=F("tournament__name"))


def _helping(person: Person) -> Iterable[Row]:
    if person.user is None:
        return ()
    rows = Helper.objects.filter(user=person.user)
    return values(rows, "added_at", "accepted_at", "removed_at", event=F("tournament__name"))


def _titles(person: Person) -> Iterable[Row]:
    rows = Title.objects.filter(player__in=person.sides)
    names = {"season_name": F("series__name"), "event_name": F("division__tournament__name")}
    return values(rows, "kind", "day", "figure", "at", "withdrawn_at", "reason", club_name=F("club__name"), **names)


def _points_by_hand(person: Person) -> Iterable[Row]:
    rows = SeriesPoints.objects.filter(player__in=person.sides)
    return values(rows, "points", "reason", "at", event_name=F("tournament__name"), season_name=F("series__name"))


def _season_entries(person: Person) -> Iterable[Row]:
    rows = SeriesEntry.objects.filter(player__in=person.sides)
    return values(rows, "at", season_name=F("series__name"))


def _season_views(person: Person) -> Iterable[Row]:
    rows = SeriesView.players.through.objects.filter(player__in=person.sides)
    return values(rows, view_name=F("seriesview__name"), season_name=F("seriesview__series__name"))


def _final_places(person: Person) -> Iterable[Row]:
    rows = FinalPlace.objects.filter(player__in=person.sides)
    return values(
        rows, "rank", "offered_at", "answer_by", "answer", "answered_at", "taken_back_at", season_name=F("series__name")
    )


def _past_placings(person: Person) -> Iterable[Row]:
    rows = PastPlacing.objects.filter(player__in=person.sides)
    return values(rows, "day", "place", "points", event_name=F("event"), season_name=F("season__name"))


SECTIONS = (
    ExportSection("entries", _("Events that you entered."), (Entry,), _entries),
    ExportSection("check-ins", _("When you were checked in."), (CheckIn,), _check_ins),
    ExportSection("withdrawals", _("When you withdrew."), (Withdrawal,), _withdrawals),
    ExportSection("returns", _("When you were let back in."), (Return,), _returns),
    ExportSection("late-entries", _("When you entered late."), (LateEntry,), _late),
    ExportSection("requested-byes", _("Byes that you asked for."), (ByeRequest,), _byes),
    ExportSection("payments", _("What you paid and received."), (Payment,), _payments),
    ExportSection("side-pools", _("Side pools that you joined."), (PoolMember,), _pools),
    ExportSection("agreed-splits", _("Prizes that you agreed to divide."), (AgreedSplit,), _splits),
    ExportSection("substitutions", _("When you replaced somebody, or somebody you."), (Substitution,), _substitutions),
    ExportSection("past-placings", _("Places and points of imported seasons."), (PastPlacing,), _past_placings),
    ExportSection("points-by-hand", _("Points that directors gave you by hand."), (SeriesPoints,), _points_by_hand),
    ExportSection("season-entries", _("Seasons that you entered."), (SeriesEntry,), _season_entries),
    ExportSection(
        "season-views",
        _("Separate rankings that you are in."),
        (SeriesView.players.through,),
        _season_views,
    ),
    ExportSection("final-places", _("Places in finals that you were offered."), (FinalPlace,), _final_places),
    ExportSection("titles", _("Titles that you were awarded."), (Title,), _titles),
    ExportSection("helping", _("Events at which you help."), (Helper,), _helping),
    ExportSection("letters", _("What you were sent on the morning after an event."), (Letter,), _letters),
    ExportSection("floor", _("What directors recorded about you at the tables."), (FloorEvent,), _floor),
)


def connect_exports() -> None:
    """Register what an export says about events."""
    register_sections(*SECTIONS)


LETTERS_KEPT_AT_LEAST = timedelta(days=14)
"""So that none is sent again, and that a correction, which follows within a week, can say what has changed."""


def _expired_letters(now: datetime) -> int:
    before = kept_since(settings.NOTIFICATIONS_KEPT_DAYS, now)
    if before is None:
        return 0
    rows = Letter.objects.annotate(last_at=Coalesce("sent_at", "dismissed_at", "event__starts_at"))
    before = min(before, now - LETTERS_KEPT_AT_LEAST)
    return in_batches(rows.filter(last_at__lt=before), lambda batch: batch.delete())


def connect_retention() -> None:
    """Register what is deleted of events."""
    register_retention("share pictures", delete_unused)
    register_retention("letters", _expired_letters)
