"""The files of a data export: the sections that each app registers, and this app's own."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Model, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from players.models import (
    AccountSession,
    Alias,
    ApiToken,
    DataExport,
    Delivery,
    Invitation,
    JoinRequest,
    LogEntry,
    Membership,
    Merge,
    Notification,
    NotificationChoice,
    OwnerOffer,
    Pair,
    Player,
    PushSubscription,
    User,
)
from players.people.pairs import persons
from players.people.rows import pairs_of, player_topic, user_topic

# The files of an export: each app registers the sections that it knows about.


BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class Person:
    """A player with those merged into them, the pairs in which they play, and their account if they have one."""

    players: list[Player]
    user: User | None
    sides: list[Player]
    """The players, and the pairs: whose entries, matches and results are also those of this person."""

    @classmethod
    def of(cls, player: Player) -> "Person":
        """Return the person behind a player who is not merged into another."""
        players = [player, *player.merged.all()]
        return cls(players, player.user, [*players, *pairs_of(players)])

    @property
    def topics(self) -> list[str]:
        """The topics of the player and the account in the log."""
        return [player_topic(player) for player in self.players] + ([user_topic(self.user)] if self.user else [])


Row = dict[str, Any]
Rows = Callable[[Person], Iterable[Row]]
Files = Callable[[Person], Iterable[tuple[str, bytes]]]


@dataclass(frozen=True, slots=True)
class ExportSection:
    """A JSON file with a list of rows, and the models that it shows."""

    name: str
    """Of the file, without extension."""
    about: str | Promise
    """One line for the README."""
    models: tuple[type[Model], ...]
    rows: Rows
    files: Files | None = None
    """What the section adds to the export beside its rows, as (path, content)."""


_sections: list[ExportSection] = []


def register(*sections: ExportSection) -> None:
    """Add sections to every export."""
    _sections.extend(sections)


def sections() -> list[ExportSection]:
    """Return all sections in the order of their registration."""
    return list(_sections)


def files_of(person: Person) -> Iterator[tuple[str, bytes]]:
    """Yield the files that sections add, as (path, content)."""
    for section in _sections:
        if section.files is not None:
            yield from section.files(person)


def values(rows: QuerySet[Any], *fields: str, **renamed: Any) -> Iterator[Row]:
    """Yield these fields of all rows, in order of their id; `renamed` are expressions by their name in the file."""
    return rows.order_by("pk").values(*fields, **renamed).iterator(chunk_size=BATCH_SIZE)


# What an export says about the account, the player, clubs, notifications and the log.


ACCOUNT_FIELDS = (
    "new_email", "email_verified_at", "email_bounced_at", "email_stopped_at", "display_name", "language", "time_zone",
    "theme", "is_active", "suspended_at", "is_staff", "is_superuser", "owns_site", "date_joined", "last_login",
)  # fmt: skip
PLAYER_FIELDS = (
    "public_id", "name", "initials_only", "analysis_visibility", "in_event_lines", "puzzle_choice",
    "collects_decisions", "country", "federation_number", "time_zone", "created_at",
)  # fmt: skip


def _account(person: Person) -> Iterable[Row]:
    if person.user is None:
        return
    for row in values(User.objects.filter(pk=person.user.pk), *ACCOUNT_FIELDS):
        yield {"email": person.user.shown_email} | row


def _players(person: Person) -> Iterable[Row]:
    rows = Player.objects.filter(pk__in=[player.pk for player in person.players])
    return values(rows, *PLAYER_FIELDS, merged_into_player=F("merged_into__public_id"))


def _pairs(person: Person) -> Iterator[Row]:
    """The pairs, with the partner as everybody sees them."""
    own = {player.pk for player in person.players}
    for player in person.sides[len(person.players) :]:
        partner = next((each for each in persons(player) if each.pk not in own), None)
        name = partner.shown_name if partner is not None else ""
        yield {"public_id": player.public_id, "partner": name, "created_at": player.pair.created_at}


def _aliases(person: Person) -> Iterable[Row]:
    return values(Alias.objects.filter(player__in=person.players), "name", "created_at")


def _memberships(person: Person) -> Iterable[Row]:
    rows = Membership.objects.filter(player__in=person.players)
    return values(rows, "role", "joined_at", "left_at", club_name=F("club__name"))


def _invitations(person: Person) -> Iterable[Row]:
    rows = Invitation.objects.filter(player__in=person.players)
    fields = ("email", "created_at", "expires_at", "accepted_at", "withdrawn_at")
    return values(rows, *fields, club_name=F("club__name"))


def _join_requests(person: Person) -> Iterable[Row]:
    rows = JoinRequest.objects.filter(user=person.user) if person.user else JoinRequest.objects.none()
    fields = ("state", "reason", "created_at", "decided_at")
    return values(rows, *fields, club_name=F("club__name"), claimed_name=F("claimed__name"))


def _owner_offers(person: Person) -> Iterable[Row]:
    mine = Q(player__in=person.players) | (Q(by=person.user) if person.user else Q())
    fields = ("kind", "then", "state", "created_at", "expires_at", "decided_at")
    for row in OwnerOffer.objects.filter(mine).select_related("club", "by").order_by("pk"):
        is_own = person.user is not None and row.by == person.user
        yield {
            **{field: getattr(row, field) for field in fields},
            "club_name": row.club.name,
            "reason": row.reason if is_own else "",
        }


def _merges(person: Person) -> Iterable[Row]:
    rows = Merge.objects.filter(player__in=person.players)
    names = {"merged": F("player__name"), "merged_with": F("into__public_id")}
    return values(rows, "merged_at", "undone_at", **names)


def _notifications(person: Person) -> Iterable[Row]:
    rows = Notification.objects.filter(user=person.user) if person.user else Notification.objects.none()
    return values(rows, "kind", "url", "created_at", "read_at")


def _deliveries(person: Person) -> Iterable[Row]:
    rows = Delivery.objects.filter(notification__user=person.user) if person.user else Delivery.objects.none()
    return values(rows, "channel", "state", "sent_at", kind=F("notification__kind"))


def _choices(person: Person) -> Iterable[Row]:
    rows = NotificationChoice.objects.filter(user=person.user) if person.user else NotificationChoice.objects.none()
    return values(rows, "kind", "site", "email", "push")


def _devices(person: Person) -> Iterable[Row]:
    rows = PushSubscription.objects.filter(user=person.user) if person.user else PushSubscription.objects.none()
    return values(rows, "device", "endpoint", "created_at")


def _sessions(person: Person) -> Iterable[Row]:
    rows = AccountSession.objects.filter(user=person.user) if person.user else AccountSession.objects.none()
    return values(rows, "browser", "started_at", "expire_date")


def _tokens(person: Person) -> Iterable[Row]:
    rows = ApiToken.objects.filter(user=person.user) if person.user else ApiToken.objects.none()
    return values(rows, "name", "scopes", "created_at", "expires_at", "last_used_on")


def _done(person: Person) -> Iterable[Row]:
    """What the account did; without the parameters, which may be about other people."""
    rows = LogEntry.objects.filter(user=person.user) if person.user else LogEntry.objects.none()
    return values(rows, "at", "verb", "topic", club_name=F("club__name"))


def _changed(person: Person) -> Iterable[Row]:
    return values(LogEntry.objects.filter(topic__in=person.topics), "at", "verb", "params", club_name=F("club__name"))


def _exports(person: Person) -> Iterable[Row]:
    rows = DataExport.objects.filter(player__in=person.players)
    return values(rows, "requested_at", "state", "finished_at", "expires_at")


SECTIONS = (
    ExportSection("account", _("Your account and its preferences."), (User,), _account),
    ExportSection("players", _("You as a player, and players merged with you."), (Player,), _players),
    ExportSection("pairs", _("Pairs in which you play."), (Pair,), _pairs),
    ExportSection("other-names", _("Other names by which you are found."), (Alias,), _aliases),
    ExportSection("memberships", _("Your clubs."), (Membership,), _memberships),
    ExportSection("invitations", _("Invitations to link your player to an account."), (Invitation,), _invitations),
    ExportSection("join-requests", _("Requests to join a club."), (JoinRequest,), _join_requests),
    ExportSection("owner-offers", _("Offers to own a club, and requests for an owner."), (OwnerOffer,), _owner_offers),
    ExportSection("merges", _("When players were merged with you."), (Merge,), _merges),
    ExportSection("notifications", _("What you were notified of."), (Notification,), _notifications),
    ExportSection("deliveries", _("Emails and push messages that were sent to you."), (Delivery,), _deliveries),
    ExportSection("notification-choices", _("How you want to be notified."), (NotificationChoice,), _choices),
    ExportSection("devices", _("Browsers that show you notifications."), (PushSubscription,), _devices),
    ExportSection("sessions", _("Where you are signed in."), (AccountSession,), _sessions),
    ExportSection("api-tokens", _("Your API tokens, without their keys."), (ApiToken,), _tokens),
    ExportSection("log-of-you", _("What you did, as the log has it."), (LogEntry,), _done),
    ExportSection("log-about-you", _("Changes of your account and player."), (LogEntry,), _changed),
    ExportSection("exports", _("Copies of your data that were made."), (DataExport,), _exports),
)
