"""What needs a director: disputes, objections, late reports, and rounds that wait for a decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Exists, Max, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.utils.translation import gettext, gettext_lazy

from core.times import next_morning
from formats.settings import BY_ROUND, NextRound
from matches.lifecycle.own_match import OwnMatchRuling, own_match_ruling
from matches.models import ChatReport, Claim, Match, Objection, Provisional, Result, Submission
from matches.play.chat.services import ReportedMessage, undecided
from matches.presentation import labels
from players.access import Role, is_at_least, role_in
from players.actors import Actor
from players.people.rows import canonical, player_of
from tournaments.draws.rounds import WaysOut, paired_stage_of, still_refused, ways_out
from tournaments.events import selectors as event_selectors
from tournaments.events.selectors import ListedMatch
from tournaments.models import Division, Draw, Fixture, Stage, Tournament
from tournaments.standings.rounds import called_in_order
from tournaments.state.names import match_names
from tournaments.state.plans import is_continuous, settings_of

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise


MAX_NEEDS = 60


OPEN_CLAIMS = (Claim.State.OPEN, Claim.State.CONTESTED)


@dataclass(slots=True)
class Need:
    """A match that needs the director; `kind` is a key of `NEEDS`."""

    kind: str
    line: ListedMatch
    claims: list[Claim] = field(default_factory=list)
    records: list[Submission] = field(default_factory=list)
    objection: Objection | None = None
    provisional: Provisional | None = None
    standing: OwnMatchRuling = OwnMatchRuling.IMPARTIAL
    """Whether the user may decide the match."""

    @property
    def report_texts(self) -> list[str]:
        """Who reported which score, one sentence for each report."""
        match = self.line.match
        if match is not None and self.provisional is not None:
            return labels.provisional(match, self.provisional)
        if match is None:
            return []
        # A dispute over one report: the other player has not said another score.
        contests = [labels.contest(match, claim) for claim in self.claims if self.kind == "dispute"]
        return [*(labels.report(match, claim) for claim in self.claims), *(contests if len(contests) == 1 else ())]

    @property
    def label(self) -> str:
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
        return row.public_id if row is not None and self.standing == OwnMatchRuling.IMPARTIAL else ""

    @property
    def to_confirm(self) -> Claim | None:
        """The report that can be confirmed with one click; None in the director's own match."""
        may_decide = self.standing == OwnMatchRuling.IMPARTIAL
        return self.claims[0] if may_decide and self.kind in ("claim", "untold", "sheet") else None

    @property
    def own_match(self) -> str:
        """Why the director cannot simply confirm their own match; empty otherwise."""
        return str(OWN_MATCH.get(self.standing, ""))

    @property
    def needs_reason(self) -> bool:
        """Whether the director may decide their own match, with a public reason."""
        return self.standing == OwnMatchRuling.NEEDS_REASON


class NeedKind(NamedTuple):
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
    OwnMatchRuling.NEEDS_OTHER: gettext_lazy(
        "You play in this match, so another director or assistant has to decide it."
    ),
    OwnMatchRuling.NEEDS_REASON: gettext_lazy("You play in this match, and no one else can decide it."),
}


URGENCY = ("dispute", "objection", "refused", "deadline", "untold", "sheet", "claim", "provisional")


def to_make_final(needs: Sequence[Need]) -> list[str]:
    """Return the ids of provisional results, without the director's own matches."""
    return [need.to_make_final for need in needs if need.to_make_final]


def unopposed(needs: Sequence[Need]) -> list[str]:
    """Return the ids of signed, undisputed reports, without the director's own matches."""
    return [
        claim.public_id
        for need in needs
        if need.kind in ("claim", "untold") and need.standing == OwnMatchRuling.IMPARTIAL
        for claim in need.claims
        if claim.is_signed
    ]


def needs_of(tournament: Tournament, names: Mapping[int, str], by: Actor) -> list[Need]:
    """Return the matches that need `by`, the most urgent first; `names` has every round of the event."""
    fixtures = called_in_order(_open(tournament).filter(_may_need_a_director()))
    return _needs_from(tournament, names, [event_selectors.match_line(row, names, staff=True) for row in fixtures], by)


def reported_messages(tournament: Tournament, divisions: Sequence[Division], by: Actor) -> list[ReportedMessage]:
    """Return the reported chat messages of the event that wait for a decision of its staff; a query, or four."""
    if by.user is None:
        return []
    topics = [division.topic for division in divisions]
    if not ChatReport.objects.filter(message__match__parent_topic__in=topics).exists():
        return []
    messages = undecided(by.user, Q(match__parent_topic__in=topics))
    return messages if messages and is_at_least(role_in(by.user, tournament.club), Role.ASSISTANT) else []


def _needs_from(
    tournament: Tournament, names: Mapping[int, str], lines: Sequence[ListedMatch], by: Actor
) -> list[Need]:
    """Return what needs `by`; `lines` are the open matches of the event in call order."""
    needs = _with_objections(tournament, names, _needs(lines))
    _mark_own_matches(needs, by)
    return needs


def _mark_own_matches(needs: Sequence[Need], by: Actor) -> None:
    """Set `standing` on the needs of matches the director plays in; merged players count as one."""
    player = player_of(by.user) if needs and by.user is not None else None
    if player is None:
        return
    own = canonical(player).pk
    for need in needs:
        match = need.line.match
        if match is not None and own in [canonical(participant).pk for participant in match.players]:
            need.standing = own_match_ruling(match, by)


def _open(tournament: Tournament) -> QuerySet[Fixture]:
    open_claims = Claim.objects.filter(state__in=OPEN_CLAIMS)
    refused = Submission.objects.filter(standing=Submission.Standing.REFUSED).defer("data", "transcript")
    # `called_in_order` sorts them.
    unordered = event_selectors.open_fixtures(tournament).order_by()
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


def _needs(lines: Sequence[ListedMatch]) -> list[Need]:
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
        .select_related(
            "match__player_0__merged_into", "match__player_1__merged_into", "round__bracket", "stage__division"
        )
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
    line = event_selectors.match_line(fixture, names, staff=True)
    if objections := getattr(fixture.match, "open_objections", []):
        return [Need("objection", line, objection=objection) for objection in objections]
    return [Need("provisional", line, provisional=provisional)] if provisional is not None else []


def _kind(line: ListedMatch, claims: Sequence[Claim], records: Sequence[Submission]) -> str | None:
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


@dataclass(frozen=True, slots=True)
class RoundNeed:
    """A round that needs the director: "draft", "refused", or "complete" if the next one can be requested.

    `round` is 0 for the first pairs of a stage without rounds.
    """

    kind: str
    round: int
    refusal: Mapping[str, Any] | None = None
    ways_out: WaysOut | None = None
    """What a director can do about a refused round."""


def round_need(division: Division) -> RoundNeed | None:
    """Return what a stage paired round by round needs from the director, or None.

    Two queries beside its stages; the stage is derived only if a round was refused. A refusal counts as long as what
    it follows from has not changed.
    """
    running = [row for row in division.stages.all() if row.format in BY_ROUND and row.status == Stage.Status.RUNNING]
    stage = min(running, key=lambda row: row.number, default=None)
    last = stage.draws.filter(round__gt=0).order_by("-number").first() if stage is not None else None
    if stage is None or last is None:
        return None
    if is_continuous(stage):
        return RoundNeed("draft", 0) if last.state == Draw.State.DRAFT else None
    if last.state == Draw.State.DRAFT:
        return RoundNeed("draft", last.round)
    if last.refusal:
        current = paired_stage_of(division)
        if not still_refused(current, last):
            return RoundNeed("complete", last.round)
        return RoundNeed("refused", last.round, last.refusal, ways_out(current, last.refusal["code"]))
    left = Fixture.objects.filter(stage=stage, status__in=(Fixture.Status.READY, Fixture.Status.WAITING))
    if last.state == Draw.State.PUBLISHED and settings_of(stage).next_round == NextRound.ASK and not left.exists():
        return RoundNeed("complete", last.round)
    return None


@dataclass(frozen=True, slots=True)
class LatestResult:
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
        .select_related("match__player_0__merged_into", "match__player_1__merged_into", "stage__division")
        .prefetch_related(Prefetch("match__results", queryset=Result.objects.order_by("-version")))
        .order_by("-result_at", "-number")[:most]
    )
    return [
        LatestResult(fixture, fixture.match.results.all()[0], match_names(fixture, staff=True))
        for fixture in fixtures
        if fixture.match is not None
    ]


# The letters of the morning after, which wait for the end of an event.


LONGEST_NIGHT = timedelta(days=1)
WAITS_FOR = timedelta(hours=72)
"""How long after the last result letters are sent (clubhouse/letters/timing.py)."""


def waiting_letters(event: Tournament, now: datetime) -> list[str]:
    """Return what tells directors on the morning after that an event is not finished: one sentence, or none.

    An event that goes on for longer than a day has no letter yet.
    """
    begins, ends = next_morning(event.starts_at, event.time_zone), event.starts_at + LONGEST_NIGHT + WAITS_FOR
    if event.status != Tournament.Status.RUNNING or not begins <= now <= ends:
        return []
    played = Fixture.objects.filter(stage__division__tournament=event, match__finished_at__isnull=False)
    last: datetime | None = played.aggregate(at=Max("match__finished_at"))["at"]
    if last is None or last - event.starts_at > LONGEST_NIGHT:
        return []
    if not next_morning(last, event.time_zone) <= now <= last + WAITS_FOR:
        return []
    first = event_selectors.open_fixtures(event).order_by("number").first()
    return (
        [] if first is None else [gettext("Last night’s letter waits: M%(number)s is open.") % {"number": first.number}]
    )
