"""Remove the demonstration club with everything that belongs to it."""

from collections import defaultdict
from typing import Any

from django.apps import apps
from django.db import models, transaction

from players.models import Club, Membership, Player, User
from tournaments.demo.cast import ACCOUNTS
from tournaments.demo.club import SLUG

Rows = defaultdict[type[models.Model], set[Any]]


class InUse(Exception):
    """Somebody of the demo club is in another club by now, so nothing was removed; the message names the clubs."""


def remove() -> int:
    """Delete the club, its people and all that refers to them, and return the number of rows. Raises InUse."""
    with transaction.atomic():
        club = Club.objects.select_for_update().get(slug=SLUG)
        rows: Rows = defaultdict(set)
        rows[Club] = {club.pk}
        rows[Player] = set(Player.objects.filter(memberships__club=club).values_list("pk", flat=True))
        emails = [f"{name}@example.org" for name in ACCOUNTS]
        rows[User] = set(User.objects.filter(email__in=emails).values_list("pk", flat=True))
        memberships = Membership.objects.filter(player__in=rows[Player]).exclude(club=club)
        if others := sorted(set(memberships.values_list("club__name", flat=True))):
            raise InUse(", ".join(others))
        references = _references()
        while _grow(rows, references):
            pass
        _clear_optional(rows, references)
        # The keys between these rows are checked at the end of the transaction.
        return sum(_delete(model, ids) for model, ids in rows.items() if ids)


def _references() -> "list[models.ForeignKey[Any, Any]]":
    """Return every foreign key of every table, those of many-to-many relations too."""
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


def _clear_optional(rows: Rows, references: "list[models.ForeignKey[Any, Any]]") -> None:
    for field in references:
        if _is_optional(field) and rows[field.related_model]:
            _referring(field, rows).update(**{field.name: None})


def _delete(model: type[models.Model], ids: set[Any]) -> int:
    rows: models.QuerySet[Any] = models.QuerySet(model).filter(pk__in=ids)
    # Without Django's collector, which refuses what is protected.
    return int(rows._raw_delete(rows.db))  # noqa: SLF001
