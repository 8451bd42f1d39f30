"""The director's console."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.messages import sentence
from core.requests import is_htmx
from engine.errors import Refused
from matches.lifecycle.own_match import MayDecide, standing_of
from matches.models import ChatReport, Claim, Match, Objection, Provisional, Result, Submission
from matches.play.chat.services import ReportedMessage, undecided
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from players.access import Role, is_at_least, require, role_in
from players.actors import Actor
from players.people.rows import canonical, player_of
from tournaments import access
from tournaments.events import selectors as events
from tournaments.events.pages import account_needed, by, event_url_args, faulty
from tournaments.events.selectors import DivisionCounts, MatchLine, names_of_rounds
from tournaments.floor.lines import enter_lines
from tournaments.formats.settings import BY_ROUND, NextRound
from tournaments.models import Division, Draw, Fixture, Round, Stage, Tournament
from tournaments.pages.divisions import RoundProgress
from tournaments.results import services as confirmations
from tournaments.results import workers
from tournaments.results.forms import CloseForm, ConfirmForm, QuickForm
from tournaments.results.quick_entry import OutcomeLine, outcome_lines
from tournaments.results.services import provisional_results
from tournaments.standings.placings import champions
from tournaments.standings.rounds import called_in_order, playable
from tournaments.state import log as log_selectors
from tournaments.state.figures import Matches, matches_by
from tournaments.state.names import match_names
from tournaments.state.plans import settings_of
from tournaments.state.sheet_codes import scanned_fixture

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise


# The director's console: what needs attention, what can be played, and the progress.


MOST_NEEDS = 60
MOST_READY = 80
OPEN_CLAIMS = (Claim.State.OPEN, Claim.State.CONTESTED)


@dataclass(slots=True)
class Need:
    """A match that needs the director; `kind` is a key of `NEEDS`."""

    kind: str
    line: MatchLine
    claims: list[Claim] = field(default_factory=list)
    records: list[Submission] = field(default_factory=list)
    objection: Objection | None = None
    provisional: Provisional | None = None
    standing: MayDecide = MayDecide.IMPARTIAL
    """Whether the user may decide the match."""

    @property
    def report_texts(self) -> list[str]:
        """Who reported which score, one sentence for each report."""
        match = self.line.match
        if match is not None and self.provisional is not None:
            return labels.provisional(match, self.provisional)
        return [] if match is None else [labels.report(match, claim) for claim in self.claims]

    @property
    def label(self) -> str:
        """The label of its kind."""
        return str(NEEDS[self.kind].label)

    @property
    def tag(self) -> str:
        """The CSS class of the label."""
        return NEEDS[self.kind].tag

    @property
    def explanation(self) -> str:
        """What the director should know about the kind; may be empty."""
        return str(NEEDS[self.kind].explanation)

    @property
    def accepted_at(self) -> datetime | None:
        """When an unanswered report becomes the result."""
        return self.claims[0].stands_at if self.kind == "claim" else None

    @property
    def final_at(self) -> datetime | None:
        """When a provisional result becomes final by itself; None while nobody knows."""
        return self.provisional.ends_at if self.provisional is not None else None

    @property
    def to_make_final(self) -> str:
        """The id of a provisional result that can be confirmed with one click; empty in the director's own match."""
        row = self.provisional
        return row.public_id if row is not None and self.standing == MayDecide.IMPARTIAL else ""

    @property
    def to_confirm(self) -> Claim | None:
        """The report that can be confirmed with one click; None in the director's own match."""
        may_decide = self.standing == MayDecide.IMPARTIAL
        return self.claims[0] if may_decide and self.kind in ("claim", "untold", "sheet") else None

    @property
    def own_match(self) -> str:
        """Why the director cannot simply confirm their own match; empty otherwise."""
        return str(OWN_MATCH.get(self.standing, ""))

    @property
    def needs_reason(self) -> bool:
        """Whether the director may decide their own match, with a public reason."""
        return self.standing == MayDecide.NEEDS_REASON


class NeedKind(NamedTuple):
    """How a kind of need is shown."""

    label: "StrPromise"
    tag: str = ""
    explanation: "StrPromise | str" = ""


NEEDS = {
    "dispute": NeedKind(gettext_lazy("Dispute"), "tag-danger"),
    "objection": NeedKind(gettext_lazy("Objection"), "tag-danger", gettext_lazy("A player objects to the result.")),
    "refused": NeedKind(
        gettext_lazy("Record rejected"),
        "tag-danger",
        gettext_lazy("A record was uploaded but not accepted as the result."),
    ),
    "deadline": NeedKind(gettext_lazy("Deadline passed"), "tag-warning"),
    "untold": NeedKind(
        gettext_lazy("Not answered"),
        "tag-warning",
        gettext_lazy("The other player has not seen the report, so it will not be accepted automatically."),
    ),
    "sheet": NeedKind(
        gettext_lazy("From the score sheet"),
        "tag-warning",
        gettext_lazy("Nobody signed this report, so it will not be accepted automatically."),
    ),
    "claim": NeedKind(gettext_lazy("Unconfirmed")),
    "provisional": NeedKind(gettext_lazy("Provisional")),
}


OWN_MATCH = {
    MayDecide.NEEDS_OTHER: gettext_lazy("You play in this match, so another director or assistant has to decide it."),
    MayDecide.NEEDS_REASON: gettext_lazy("You play in this match, and no one else can decide it."),
}


URGENCY = ("dispute", "objection", "refused", "deadline", "untold", "sheet", "claim", "provisional")


def unopposed(needs: Sequence[Need]) -> list[str]:
    """Return the ids of signed, undisputed reports, without the director's own matches."""
    return [
        claim.public_id
        for need in needs
        if need.kind in ("claim", "untold") and need.standing == MayDecide.IMPARTIAL
        for claim in need.claims
        if claim.is_signed
    ]


def to_make_final(needs: Sequence[Need]) -> list[str]:
    """Return the ids of provisional results, without the director's own matches."""
    return [need.to_make_final for need in needs if need.to_make_final]


def console_page(tournament: Tournament, chosen: str, by: Actor, now: datetime) -> dict[str, Any]:
    """Return the context of the console for `by`; `chosen` is the public id of the division whose rounds are shown."""
    divisions = events.divisions_of(tournament)
    names = events.names_of_rounds(tournament)
    viewer = Viewer(runs=frozenset({tournament.club_id}))
    lines = events.match_lines(called_in_order(_open(tournament)), names, viewer, now, staff=True)
    needs = _needs_from(tournament, names, lines, by)
    messages = reported_messages(tournament, [row.division for row in divisions], by)
    fixtures = [line.fixture for line in lines]
    taken = {need.line.fixture.pk for need in needs if need.kind in ("dispute", "claim", "untold")}
    can_begin = {fixture.pk for fixture in playable(fixtures)} - taken
    ready = sorted((line for line in lines if line.fixture.pk in can_begin), key=_is_not_in_play)
    division = _chosen(divisions, chosen)
    return {
        "tournament": tournament,
        "club": tournament.club,
        "divisions": divisions,
        "several": len(divisions) > 1,
        "division": division.division if division else None,
        "counted": division,
        "champion": _winner(division, by),
        "needs": needs[:MOST_NEEDS],
        "needs_count": len(needs) + len(messages),
        "messages_reported": messages[:MOST_NEEDS],
        "more_needs": len(needs) > MOST_NEEDS,
        "unopposed": unopposed(needs),
        "to_make_final": to_make_final(needs),
        "has_provisional": any(need.provisional is not None for need in needs),
        "ready": ready[:MOST_READY],
        "ready_count": len(ready),
        "later_count": len(lines) - len(taken | can_begin),
        "rounds": rounds_of(division.division, names) if division else [],
        "round_need": round_need(division.division) if division else None,
        "latest": latest_results(tournament) if division else [],
        "now": now,
    }


def needs_of(tournament: Tournament, names: Mapping[int, str], by: Actor) -> list[Need]:
    """Return the matches that need `by`, the most urgent first; `names` are those of all rounds of the event."""
    fixtures = called_in_order(_open(tournament).filter(_may_need_a_director()))
    return _needs_from(tournament, names, [events.match_line(row, names, staff=True) for row in fixtures], by)


def closing_page(
    tournament: Tournament, by: Actor, *, division: Division | None = None, round_: Round | None = None
) -> dict[str, Any]:
    """Return what closing the event, a division or a round would do to each of its provisional results."""
    rows = [
        ClosedLine(
            row.fixture.number,
            match_names(row.fixture, staff=True),
            labels.provisional(row.match, row.report) if isinstance(row.report, Provisional) else [],
            row.report.public_id if row.report is not None else "",
            row.code,
        )
        for row in provisional_results(tournament, by, division=division, round_=round_)
    ]
    return {
        "confirmed": [row for row in rows if not row.code],
        "unrated": [row for row in rows if row.result and row.code],
        "left": [row for row in rows if not row.result],
        "results": [row.result for row in rows if row.result],
    }


class ClosedLine(NamedTuple):
    """A provisional result, and what closing would do to it."""

    number: int
    names: tuple[str, str]
    texts: list[str]
    result: str
    """Its id; empty if closing leaves it to somebody else."""
    code: str

    @property
    def why_left(self) -> str:
        """Why it stays provisional."""
        return sentence(self.code, {})


def _is_not_in_play(line: MatchLine) -> bool:
    return line.where is None or not line.where.is_in_play


def reported_messages(tournament: Tournament, divisions: Sequence[Division], by: Actor) -> list[ReportedMessage]:
    """Return the reported chat messages of the event that wait for a decision of its staff; a query, or four."""
    if by.user is None:
        return []
    topics = [division.topic for division in divisions]
    if not ChatReport.objects.filter(message__match__parent_topic__in=topics).exists():
        return []
    messages = undecided(by.user, Q(match__parent_topic__in=topics))
    return messages if messages and is_at_least(role_in(by.user, tournament.club), Role.ASSISTANT) else []


def _needs_from(tournament: Tournament, names: Mapping[int, str], lines: Sequence[MatchLine], by: Actor) -> list[Need]:
    """Return what needs `by`; `lines` are the open matches of the event in the order in which they are called."""
    needs = _with_objections(tournament, names, _needs(lines))
    _mark_own_matches(needs, by)
    return needs


def _winner(counted: DivisionCounts | None, by: Actor) -> str:
    """Return who won the division on the screen; empty until it is over."""
    if counted is None or by.user is None:
        return ""
    return champions(by.user, [counted.division]).get(counted.division.pk, "")


def _mark_own_matches(needs: Sequence[Need], by: Actor) -> None:
    """Set `standing` on the needs of matches the director plays in; merged players count as one."""
    player = player_of(by.user) if needs and by.user is not None else None
    if player is None:
        return
    own = canonical(player).pk
    for need in needs:
        match = need.line.match
        if match is not None and own in [canonical(participant).pk for participant in match.players]:
            need.standing = standing_of(match, by)


def _open(tournament: Tournament) -> QuerySet[Fixture]:
    open_claims = Claim.objects.filter(state__in=OPEN_CLAIMS)
    refused = Submission.objects.filter(standing=Submission.Standing.REFUSED).defer("data", "transcript")
    # `called_in_order` sorts them.
    unordered = events.open_fixtures(tournament).order_by()
    return unordered.prefetch_related(
        Prefetch("match__claims", queryset=open_claims.order_by("side", "created_at"), to_attr="open_claims"),
        Prefetch("match__submissions", queryset=refused.order_by("created_at"), to_attr="refused_records"),
    )


def _may_need_a_director() -> Q:
    """Return the condition for open matches that may need somebody: reported, with a record, or overdue."""
    claims = Claim.objects.filter(match=OuterRef("match"), state__in=OPEN_CLAIMS)
    refused = Submission.objects.filter(match=OuterRef("match"), standing=Submission.Standing.REFUSED)
    reported = Q(match__state__in=(Match.State.CLAIMED, Match.State.DISPUTED))
    return reported | Q(deadline_done=True) | Exists(claims) | Exists(refused)


def _needs(lines: Sequence[MatchLine]) -> list[Need]:
    needs = []
    for line in lines:
        claims, records = getattr(line.match, "open_claims", []), getattr(line.match, "refused_records", [])
        if (kind := _kind(line, claims, records)) is not None:
            needs.append(Need(kind, line, claims, records))
    return sorted(needs, key=lambda need: URGENCY.index(need.kind))


def _with_objections(tournament: Tournament, names: Mapping[int, str], needs: list[Need]) -> list[Need]:
    """Add the open objections to results of the event, and its provisional results; a query, or four."""
    still_open = Objection.objects.filter(state=Objection.State.OPEN)
    objected = (
        Fixture.objects.filter(
            Q(match__objections__state=Objection.State.OPEN) | Q(match__provisional=True),
            stage__division__tournament=tournament,
            match__state=Match.State.SETTLED,
        )
        .select_related("match__player_0", "match__player_1", "round__bracket", "stage__division")
        .prefetch_related(Prefetch("match__objections", queryset=still_open, to_attr="open_objections"))
        .distinct()
        .order_by("number")
    )
    if not objected.values("pk").exists():
        return needs
    fixtures = list(objected)
    waiting = [row.match_id for row in fixtures if row.match is not None and row.match.provisional]
    not_final = Provisional.objects.filter(ended_at=None, result__match__in=waiting).select_related("result")
    provisional = {row.result.match_id: row for row in (not_final if waiting else ())}
    settled = [need for row in fixtures for need in _needs_of_settled(row, names, provisional.get(row.match_id or 0))]
    return sorted([*settled, *needs], key=lambda need: URGENCY.index(need.kind))


def _needs_of_settled(fixture: Fixture, names: Mapping[int, str], provisional: Provisional | None) -> list[Need]:
    """Return the open objections of a match with a result; without any, its provisional result."""
    line = events.match_line(fixture, names, staff=True)
    if objections := getattr(fixture.match, "open_objections", []):
        return [Need("objection", line, objection=objection) for objection in objections]
    return [Need("provisional", line, provisional=provisional)] if provisional is not None else []


def _kind(line: MatchLine, claims: Sequence[Claim], records: Sequence[Submission]) -> str | None:
    state = line.match.state if line.match is not None else ""
    if state == Match.State.DISPUTED:
        return "dispute"
    if records:
        return "refused"
    if line.fixture.deadline_done:
        return "deadline"
    if state == Match.State.CLAIMED:
        is_counting_down = any(claim.stands_at is not None for claim in claims)
        return "claim" if is_counting_down else "untold"
    if claims:
        return "sheet"
    return None


def _chosen(divisions: Sequence[DivisionCounts], chosen: str) -> DivisionCounts | None:
    named = [counted for counted in divisions if counted.division.public_id == chosen]
    running = [counted for counted in divisions if counted.division.status == Division.Status.RUNNING]
    return next(iter(named or running or divisions), None)


def rounds_of(division: Division, names: Mapping[int, str]) -> list[RoundProgress]:
    """Return the matches of each round of a division; `names` are those of all rounds of the event; two queries."""
    rounds = list(
        Round.objects.filter(bracket__stage__division=division)
        .select_related("bracket")
        .order_by("bracket__stage__number", "bracket__order", "number")
    )
    matches = matches_by("round", Fixture.objects.filter(stage__division=division))
    return [RoundProgress(names[row.pk], row.length, row.deadline, matches.get(row.pk, Matches(0))) for row in rounds]


@dataclass(frozen=True, slots=True)
class RoundNeed:
    """A round that needs the director: "draft", "refused", or "complete" if the next one can be requested."""

    kind: str
    round: int
    refusal: Mapping[str, Any] | None = None


def round_need(division: Division) -> RoundNeed | None:
    """Return what a stage paired round by round needs from the director, or None; two queries beside its stages."""
    running = [row for row in division.stages.all() if row.format in BY_ROUND and row.status == Stage.Status.RUNNING]
    stage = max(running, key=lambda row: row.number, default=None)
    last = stage.draws.filter(round__gt=0).order_by("-number").first() if stage is not None else None
    if stage is None or last is None:
        return None
    if last.state == Draw.State.DRAFT:
        return RoundNeed("draft", last.round)
    if last.refusal:
        return RoundNeed("refused", last.round, last.refusal)
    left = Fixture.objects.filter(stage=stage, status__in=(Fixture.Status.READY, Fixture.Status.WAITING))
    if last.state == Draw.State.PUBLISHED and settings_of(stage).next_round == NextRound.ASK and not left.exists():
        return RoundNeed("complete", last.round)
    return None


@dataclass(frozen=True, slots=True)
class LatestResult:
    """A recent result."""

    fixture: Fixture
    result: Result
    names: tuple[str, str]


def latest_results(tournament: Tournament, most: int = 8) -> list[LatestResult]:
    """Return the newest results, so that the director sees what was just entered."""
    newest = Result.objects.filter(match=OuterRef("match")).order_by("-at")
    fixtures = list(
        Fixture.objects.filter(
            stage__division__tournament=tournament, match__state=Match.State.SETTLED, match__isnull=False
        )
        .annotate(result_at=Subquery(newest.values("at")[:1]))
        .select_related("match__player_0", "match__player_1", "stage__division")
        .prefetch_related(Prefetch("match__results", queryset=Result.objects.order_by("-version")))
        .order_by("-result_at", "-number")[:most]
    )
    return [
        LatestResult(fixture, fixture.match.results.all()[0], match_names(fixture, staff=True))
        for fixture in fixtures
        if fixture.match is not None
    ]


# The director's console: what needs attention, quick entry, the log, and the state of the workers.


@account_needed
@never_cache
@require_safe
def console(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show what needs the director, what can be played and the progress; an htmx request gets only the live part.

    Once an event has a floor, its page takes the place of the console.
    """
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    if event.has_floor:
        query = f"?{request.GET.urlencode()}" if request.GET else ""
        return redirect(f"{reverse('floor', args=event_url_args(event))}{query}")
    context = _context(request, event, request.GET.get("division", ""))
    name = "tournaments/pages/_console.html" if is_htmx(request) else "tournaments/pages/console.html"
    return render(request, name, context)


def _context(request: HttpRequest, tournament: Tournament, division: str) -> dict[str, Any]:
    role = access.require_in(request.user, tournament, access.HELPER)
    context = console_page(tournament, division, by(request), timezone.now())
    if (need := context["round_need"]) is not None and need.refusal:
        context["round_refusal"] = sentence(need.refusal["code"], need.refusal["params"])
    context["focus_line"] = "entered" in request.GET
    context["quick_url"] = reverse("console-quick", args=event_url_args(tournament))
    context |= {"may_direct": is_at_least(role, Role.DIRECTOR), "only_helps": role is None}
    return {**context, "health": workers.short(timezone.now())}


@account_needed
@require_POST
def quick(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Enter results typed as lines; lines that were not entered come back for editing."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = QuickForm(request.POST, tournament=event)
    if not form.is_valid():
        return _console_with_outcomes(request, event, form)
    if (fixture := scanned_fixture(event, form.data["line"])) is not None:
        # A sheet was scanned, or its code typed, without a result.
        return redirect("fixture", *event_url_args(event), fixture.public_id)
    division = form.cleaned_data["division"]
    try:
        outcomes = enter_lines(
            tournament=event, text=form.cleaned_data["line"], division=division, by=by(request), now=timezone.now()
        )
    except Refused as refused:
        form.refuse(refused)
        return _console_with_outcomes(request, event, form)
    lines = outcome_lines(event, outcomes)
    if any(not line.is_done for line in lines):
        return _console_with_outcomes(request, event, form, lines)
    for line in lines:
        messages.success(request, line.text)
    query = {"entered": "1"} | ({"division": division.public_id} if division else {})
    return redirect(f"{reverse('console', args=event_url_args(event))}?{urlencode(query)}")


def _console_with_outcomes(
    request: HttpRequest, tournament: Tournament, form: QuickForm, lines: Sequence[OutcomeLine] = ()
) -> HttpResponse:
    """Render the console with the outcome of each line; lines that were not entered come back for editing."""
    context = _context(request, tournament, form["division"].value() or "")
    context["line"] = "\n".join(line.typed for line in lines if not line.is_done) or form["line"].value() or ""
    context |= {"line_form": form, "outcomes": lines, "focus_line": True}
    is_help = form.is_valid() and all(line.is_done or line.is_help for line in lines)
    if is_help:
        context["line"] = ""
    status = HTTPStatus.OK if is_help else HTTPStatus.UNPROCESSABLE_ENTITY
    return render(request, "tournaments/pages/console.html", context, status=status)


@account_needed
@require_POST
def confirm_all(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Confirm every unopposed report that the director saw, and list what was confirmed and what was not."""
    event = access.tournament_as(request.user, club, slug, access.HELPER)
    form = ConfirmForm(request.POST, tournament=event)
    url = reverse("console", args=event_url_args(event))
    if not form.is_valid():
        return faulty(request, form, url)
    division = form.cleaned_data["division"]
    outcomes = confirmations.confirm_all(
        tournament=event, reports=form.reports, division=division, by=by(request), now=timezone.now()
    )
    if confirmed := [f"M{row.open_report.fixture.number}" for row in outcomes if not row.code]:
        messages.success(request, _("Confirmed: %(matches)s.") % {"matches": ", ".join(confirmed)})
    for row in outcomes:
        if row.code:
            messages.warning(request, f"M{row.open_report.fixture.number}: {sentence(row.code, {})}")
    return redirect(f"{url}?{urlencode({'division': division.public_id})}" if division else url)


@account_needed
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def close(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the provisional results of the event, of a division or a round, and confirm what is left of them."""
    event = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    sent = request.POST if request.method == "POST" else request.GET
    form = CloseForm(sent, tournament=event, rounds=names_of_rounds(event))
    url = reverse("console", args=event_url_args(event))
    if not form.is_valid():
        return faulty(request, form, url)
    if request.method != "POST":
        context = closing_page(event, by(request), **form.closed)
        return render(request, "tournaments/pages/close.html", {**context, "form": form, **_head(request, event)})
    closed = confirmations.close_results(
        tournament=event, results=form.reports, by=by(request), now=timezone.now(), **form.closed
    )
    if done := [f"M{row.open_report.fixture.number}" for row in closed if not row.code]:
        messages.success(request, _("Closed: %(matches)s.") % {"matches": ", ".join(done)})
    for row in closed:
        if row.code:
            messages.warning(request, f"M{row.open_report.fixture.number}: {sentence(row.code, {})}")
    return redirect(url)


@account_needed
@require_safe
def log(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show the log: who did what, when, from what to what."""
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    kind, who, number = (request.GET.get(name, "") for name in ("kind", "who", "page"))
    head = _head(request, event)
    context = {**head, **log_selectors.log_page(event, kind, who, number, directs=head["may_direct"])}
    name = "tournaments/pages/_log.html" if is_htmx(request) else "tournaments/pages/log.html"
    return render(request, name, context)


def _head(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return the context that every console page needs."""
    role = require(request.user, tournament.club, Role.ASSISTANT)
    division = tournament.divisions.first()
    may_direct = is_at_least(role, Role.DIRECTOR)
    return {"tournament": tournament, "club": tournament.club, "division": division, "may_direct": may_direct}


@account_needed
@never_cache
@require_safe
def status(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Show whether beat, broker and workers are alive, and what is queued."""
    event = access.tournament_as(request.user, club, slug, Role.ASSISTANT)
    context = {**_head(request, event), **workers.status_page(timezone.now())}
    name = "tournaments/pages/_status.html" if is_htmx(request) else "tournaments/pages/status.html"
    return render(request, name, context)
