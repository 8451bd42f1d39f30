"""The sheet of a kept act: what was done without a connection beside what is there now, and what to do about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.requests import is_htmx
from matches.lifecycle.finish import standing_result
from matches.models import Match
from matches.play.watching import where_of
from matches.presentation.labels import final_score, score_of
from matches.presentation.visibility import Viewer
from players.access import Role, is_at_least
from players.actors import Actor
from players.models import KeptAct
from tournaments import access
from tournaments.events.actions import by, event_url_args
from tournaments.floor.kept.actions import act_of, may_decide
from tournaments.floor.kept.entering import outcome_now
from tournaments.floor.kept.needs import KeptNeed, clock_of, described, fields_of, score_of_act
from tournaments.models import CheckIn, FloorEvent, FloorKind, Tournament
from tournaments.state.names import match_names


@dataclass(frozen=True, slots=True)
class HereNow:
    """What an event has recorded of what a kept act is about."""

    text: str
    at: str = ""
    by: str = ""

    @property
    def heading(self) -> str:
        return " · ".join(part for part in (_("Here now"), self.at, self.by) if part)


def kept_sheet(tournament: Tournament, act: KeptAct, role: Role | None, reader: Actor, now: datetime) -> dict[str, Any]:
    """Return the context of the sheet of a kept act for a reader with this role in the club; None for helpers."""
    (need,) = described(tournament, [act], now)
    decided = act.decided_at
    is_yours = act.is_open and may_decide(act, role)
    outcome = outcome_now(tournament, act, reader, now) if is_yours else None
    return {
        "tournament": tournament,
        "club": tournament.club,
        "need": need,
        "there": None if need.is_note else here_now(need, tournament, now),
        "is_yours": is_yours,
        "may_enter": outcome == KeptAct.Outcome.DONE,
        "is_same": outcome == KeptAct.Outcome.ALREADY,
        "may_direct": is_at_least(role, Role.DIRECTOR),
        "only_helps": role is None,
        "decided": clock_of(decided, now, tournament) if decided is not None else "",
        "change_url": _change_url(need, tournament) if is_yours else "",
    }


def here_now(need: KeptNeed, tournament: Tournament, now: datetime) -> HereNow:
    """Return what is recorded of the match or the player that a kept act is about, since when and by whom."""
    fixture = need.fixture
    if fixture is None:
        return _present(need, tournament, now)
    names = " – ".join(match_names(fixture, staff=True))
    if fixture.match is None:
        return HereNow(_("The players are still to be decided."))
    if fixture.match.state == Match.State.SETTLED:
        return _settled(need, tournament, now)
    where = where_of([fixture.match], Viewer(runs=frozenset({tournament.club_id})), now)[fixture.match.pk]
    facts = FloorEvent.objects.filter(fixture=fixture, match=fixture.match, undone_by=None)
    fact = facts.exclude(kind=FloorKind.UNDONE).select_related("user").order_by("-pk").first()
    text = f"{names}: {where.text}"
    if fact is None:
        return HereNow(text)
    return HereNow(text, clock_of(fact.at, now, tournament), fact.user.display_name if fact.user is not None else "")


def _settled(need: KeptNeed, tournament: Tournament, now: datetime) -> HereNow:
    """Return the result of the match of a kept act."""
    fixture = need.fixture
    assert fixture is not None  # noqa: S101, only asked for settled matches
    assert fixture.match is not None  # noqa: S101
    names, result = match_names(fixture, staff=True), standing_result(fixture.match)
    assert result is not None  # noqa: S101
    score = final_score(fixture.match, result)
    if result.winner is None:
        text = f"{' – '.join(names)}: {result.get_kind_display()}"
    elif score is None:
        text = f"{names[result.winner]}: {result.get_kind_display()}"
    else:
        text = f"{names[result.winner]} {score_of(fixture.match, result.winner, score)}"
    return HereNow(
        text,
        clock_of(result.at, now, tournament),
        result.user.display_name if result.user is not None else "",
    )


def _present(need: KeptNeed, tournament: Tournament, now: datetime) -> HereNow:
    """Return whether the player that a kept act names is here; that nothing is known if it names none."""
    fields = fields_of(need.act)
    players = fields.get("players")
    named = {str(row) for row in (*(players if isinstance(players, list) else [players]), fields.get("entry")) if row}
    rows = CheckIn.objects.filter(entry__division__tournament=tournament, undoes=None, undone_by=None)
    alone = Q(entry__player__public_id__in=named, person=None)
    by_name = rows.filter(alone | Q(entry__public_id__in=named) | Q(person__public_id__in=named))
    names = ("entry__player__merged_into", "person__merged_into")
    last = by_name.select_related("by", *names).order_by("-at", "-pk").first()
    if last is None:
        return HereNow(_("Nothing is recorded."))
    text = f"{(last.person or last.entry.player).full_name} · {last.get_state_display()}"
    who = last.by.display_name if last.by is not None else ""
    return HereNow(text, clock_of(last.at, now, tournament), who)


def _change_url(need: KeptNeed, tournament: Tournament) -> str:
    """Return where what was kept is entered in the ordinary way, filled in as far as it still fits."""
    args, fixture, act = event_url_args(tournament), need.fixture, need.act
    if need.is_note:
        return _line_url(tournament, str(fields_of(act).get("text", "")))
    if fixture is None:
        return reverse("check-in", args=args) if act.action in ("here", "away") else ""
    match, score = fixture.match, score_of_act(act, fixture)
    if match is None or need.now_there or not need.pair:
        return reverse("fixture", args=[*args, fixture.public_id])
    if act.action in ("result", "claim") and score is not None:
        if match.state != Match.State.SETTLED:
            return _line_url(tournament, f"{_name_of(need)} {score[0]}-{score[1]}")
        typed = {"kind": "played", "left": score[0], "right": score[1], "rated": "on"}
        return f"{reverse('fixture-correct', args=[*args, fixture.public_id])}?{urlencode(typed)}"
    if act.action in ("score", "running-score") and score is not None:
        return _line_url(tournament, f"{_name_of(need)} run {score[0]}-{score[1]}")
    if act.action == "start":
        return _line_url(tournament, f"{_name_of(need)} start")
    if act.action == "move" and need.table:
        return _line_url(tournament, f"{_name_of(need)} t{need.table}")
    return reverse("fixture", args=[*args, fixture.public_id])


def _name_of(need: KeptNeed) -> str:
    """Return how a line names the match of a kept act."""
    assert need.fixture is not None  # noqa: S101, asked for a match
    division = need.fixture.stage.division
    several = division.tournament.divisions.count() > 1
    return f"{division.name} m{need.fixture.number}" if several else f"m{need.fixture.number}"


def _line_url(tournament: Tournament, line: str) -> str:
    """Return the page with the quick line of an event, filled in; an event with a floor has it there."""
    return f"{reverse('console', args=event_url_args(tournament))}?{urlencode({'line': line})}"


@open_to(get=Who.HELPERS)
@never_cache
def kept(request: HttpRequest, club: str, slug: str, kept: str) -> HttpResponse:
    """Show a kept act beside what is there now; an htmx request gets only the dialog's content."""
    event, role = access.tournament_with_role(request.user, club, slug, access.HELPER)
    context = kept_sheet(event, act_of(event, kept), role, by(request), timezone.now())
    sheet = "tournaments/floor/kept/_sheet.html"
    return render(request, sheet if is_htmx(request) else "tournaments/floor/sheet.html", {**context, "sheet": sheet})
