"""Remove the demonstration club with everything that belongs to it."""

from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple

from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.db.models import Q
from django.utils.translation import ngettext

from core.messages import sentence
from core.packages import PACKAGES
from demo.club import SLUG, accounts, logins_file
from engine.errors import Refused
from matches.models import BotPlayer, Match, RatingPool
from players.models import Club, Player, User
from players.people.rows import pairs_of
from tournaments.models import Installation, Tournament

Rows = defaultdict[type[models.Model], set[Any]]


class Contents(NamedTuple):
    rows: Rows
    others: list[str]
    """Names of what does not belong to it but shares rows with it, such as another club of its players."""

    @property
    def in_use(self) -> str:
        """The sentence that says who else uses it; empty if nobody does."""
        return sentence("demo_in_use", {"names": ", ".join(self.others)}) if self.others else ""

    @property
    def sizes(self) -> list[str]:
        """How much of each kind there is, in words."""
        clubs, events = len(self.rows[Club]), len(self.rows[Tournament])
        matches, players = len(self.rows[Match]), len(self.rows[Player])
        return [
            ngettext("%(count)s club", "%(count)s clubs", clubs) % {"count": clubs},
            ngettext("%(count)s event", "%(count)s events", events) % {"count": events},
            ngettext("%(count)s match", "%(count)s matches", matches) % {"count": matches},
            ngettext("%(count)s player", "%(count)s players", players) % {"count": players},
        ]


def is_declined() -> bool:
    """Whether the owner has decided against the demo, so that a start does not create it."""
    return Installation.objects.filter(demo_declined_at__isnull=False).exists()


@transaction.atomic
def decline(*, now: datetime) -> int:
    """Remove the demo for good, if there is one, and return the number of rows.

    Refused: `demo_in_use`, `stale`.
    """
    Installation.objects.update_or_create(pk=Installation.ONLY, defaults={"demo_declined_at": now})
    if not accounts().exists():
        return 0
    demo = contents()
    if demo.others:
        raise Refused("demo_in_use", names=", ".join(demo.others))
    references = _references()
    _clear_optional(demo.rows, references)
    transaction.on_commit(lambda: logins_file().unlink(missing_ok=True))
    # The keys between these rows are checked at the end of the transaction.
    count = sum(_delete(model, ids) for model, ids in demo.rows.items() if ids)
    try:
        connection.check_constraints()
    except IntegrityError:
        # Something was added to the demo since its contents were read.
        raise Refused("stale") from None
    return count


def contents() -> Contents:
    """Return the club, its people and all that refers to them and cannot stay without them."""
    rows: Rows = defaultdict(set)
    club = Club.objects.get(slug=SLUG)
    rows[Club] = {club.pk}
    rows[User] = set(accounts().values_list("pk", flat=True))
    people = Player.objects.filter(Q(user=None) | Q(user__in=rows[User]), memberships__club=club)
    rows[Player] = set(people.values_list("pk", flat=True))
    rows[Player] |= set(pairs_of(rows[Player]).values_list("pk", flat=True))
    references = _references()
    while _grow(rows, references):
        pass
    return Contents(rows, _others(rows, references))


def _references() -> "list[models.ForeignKey[Any, Any]]":
    """Return every foreign key of every table, including many-to-many relations."""
    return [
        field
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy
        for field in model._meta.local_fields
        if isinstance(field, models.ForeignKey)
    ]


def _is_optional(field: "models.ForeignKey[Any, Any]") -> bool:
    return field.remote_field.on_delete is models.SET_NULL


def _referring(field: "models.ForeignKey[Any, Any]", rows: Rows) -> "models.QuerySet[Any]":
    return models.QuerySet(field.model).filter(**{f"{field.name}__in": rows[field.related_model]})


def _grow(rows: Rows, references: "list[models.ForeignKey[Any, Any]]") -> bool:
    """Add what refers to the rows and cannot stay without them; return whether there was any more."""
    before = sum(map(len, rows.values()))
    for field in references:
        if not _is_optional(field) and rows[field.related_model]:
            rows[field.model] |= set(_referring(field, rows).values_list("pk", flat=True))
    return sum(map(len, rows.values())) > before


def _others(rows: Rows, references: "list[models.ForeignKey[Any, Any]]") -> list[str]:
    """Return the names of what the rows refer to outside the demo."""
    # The site's own pool and its bots belong to everybody.
    shared = {RatingPool: Q(club=None), Player: Q(pk__in=BotPlayer.objects.values("player"))}
    names = set()
    for field in references:
        target = field.related_model
        if _is_optional(field) or not rows[field.model] or target._meta.app_label not in PACKAGES:
            continue
        referring: models.QuerySet[Any] = models.QuerySet(field.model).filter(pk__in=rows[field.model])
        if outside := set(referring.values_list(field.attname, flat=True)) - rows[target] - {None}:
            others: models.QuerySet[Any] = models.QuerySet(target).filter(pk__in=outside)
            names |= {str(row) for row in (others.exclude(shared[target]) if target in shared else others)}
    return sorted(names)


def _clear_optional(rows: Rows, references: "list[models.ForeignKey[Any, Any]]") -> None:
    for field in references:
        if _is_optional(field) and rows[field.related_model]:
            _referring(field, rows).update(**{field.name: None})


def _delete(model: type[models.Model], ids: set[Any]) -> int:
    rows: models.QuerySet[Any] = models.QuerySet(model).filter(pk__in=ids)
    # Without Django's collector, which refuses what is protected.
    return int(rows._raw_delete(rows.db))  # noqa: SLF001
