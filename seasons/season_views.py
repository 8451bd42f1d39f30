"""Views of a season: a part of the players, such as ladies or members, who have a table of their own."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.http import Http404
from django.utils.translation import gettext as _

from engine.errors import Refused
from formats.series.table import View
from matches.analysis.classes import CLASSES, class_name
from players.actors import Actor, log
from players.models import Player
from seasons.services import changed_series
from seasons.tables import members_of
from seasons.titles import classes_of
from tournaments.models import Series, SeriesView

MEMBERS = "members"
PLAYERS = "players"
RULES = (PLAYERS, MEMBERS, *(f"class-{bound:g}" for bound, _title in CLASSES))
"""Who may belong to a view: players who were chosen, members of the club, or those of a club class."""


@dataclass(frozen=True, slots=True)
class ViewInput:
    """A view; `players` are those chosen by the rule `players`."""

    name: str
    rule: str
    players: Sequence[Player] = ()


def rule_label(rule: str) -> str:
    if rule == MEMBERS:
        return _("Only members of the club")
    if rule == PLAYERS:
        return _("Players who are chosen")
    return _("Club class “%(name)s”") % {"name": class_name(_bound(rule))}


def _bound(rule: str) -> float:
    return float(rule.partition("-")[2])


def view_of(row: SeriesView) -> View:
    """Return who belongs to a view now, or did at the end of a season that is over.

    Players are known by the ids of those merged into them as well, which announced tables may have. Of a club class,
    only those belong who show everybody how well they play.
    """
    if row.rule == PLAYERS:
        chosen = row.players.values_list("pk", "merged_into")
        players = {into or pk for pk, into in chosen}
    elif row.rule == MEMBERS:
        players = members_of(row.series)
    else:
        bound = _bound(row.rule)
        own = [player for player, best in classes_of(row.series).items() if best == bound]
        players = set(Player.objects.filter(public_id__in=own).values_list("pk", flat=True))
    ids = Player.objects.filter(Q(pk__in=players) | Q(merged_into__in=players)).values_list("public_id", flat=True)
    return View(row.name, frozenset(ids))


def find_view(series: Series, public_id: str | None) -> SeriesView | None:
    """Return a view of a season by its public id; None for the whole table. Raises Http404."""
    if not public_id:
        return None
    row = series.views.filter(public_id=public_id).select_related("series__club").first()
    if row is None:
        raise Http404
    return row


def save_view(*, series: Series, view: ViewInput, by: Actor, changed: str = "") -> SeriesView:
    """Add a view to a season, or change the one whose public id is `changed`.

    Raises Http404 if that is gone. Refused: `series_closed`, `series_view_taken`, `series_view_empty`.
    """
    if view.rule == PLAYERS and not view.players:
        raise Refused("series_view_empty")
    with transaction.atomic():
        row = changed_series(series)
        saved = find_view(row, changed) or SeriesView(series=row)
        if row.views.filter(name__iexact=view.name).exclude(pk=saved.pk).exists():
            raise Refused("series_view_taken", name=view.name)
        saved.name, saved.rule = view.name, view.rule
        saved.save()
        saved.players.set(view.players if view.rule == PLAYERS else ())
        log(by, "series_view_saved", row.topic, club=row.club, name=saved.name, rule=saved.rule)
    return saved


def remove_view(*, series: Series, view: str, by: Actor) -> None:
    """Remove a view by its public id; harmless if that was done before. Refused: `series_closed`."""
    with transaction.atomic():
        row = changed_series(series)
        removed = row.views.filter(public_id=view).first()
        if removed is not None:
            removed.delete()
            log(by, "series_view_removed", row.topic, club=row.club, name=removed.name)
