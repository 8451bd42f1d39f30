"""“My matches”: what a player has to do next."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum, auto
from typing import Any

from django.db.models import F, Prefetch, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext

from core.live.publishing import now_shown
from matches.access import MatchSeat, side_of
from matches.lifecycle import links
from matches.lifecycle.at_tables import AtTables
from matches.lifecycle.events import MatchContext, events
from matches.lifecycle.where import Where, WhereFacts, WhereState, where_is
from matches.models import Challenge, Claim, Match, Proposal, Provisional, Result, Submission
from matches.play.watching import facts_of
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from matches.reporting.match_context import (
    outbox,
    over_question,
    report_form,
    running_form,
    running_score,
    shorter_match,
)
from matches.reporting.next_steps import NextStep, Pending, describe, next_steps
from players.actors import Actor
from players.kept.outboxes import reader_id
from players.models import Player, User
from players.models.people import name_in_pair
from players.people.rows import canonical, ids_of, people_of, user_topic

NEVER = float("inf")
OPEN_AT_ONCE = 100
LATEST = 10
CALLED_OR_PLAYING = 1
OVER = (Match.State.SETTLED, Match.State.VOID)


class MatchUrgency(IntEnum):
    """Which of a player's matches comes first, the most urgent first."""

    IN_PLAY = auto()
    CALLED = auto()
    WAITS_FOR_ME = auto()
    READY_NOW = auto()
    """By appointment, or at the tables of an event."""
    READY = auto()
    OTHER = auto()
    PRACTICE = auto()


@dataclass(frozen=True, slots=True)
class MyMatch:
    match: Match
    side: int
    opponent: str
    context: MatchContext | None
    step: NextStep | None
    next_step: str
    asks_me: bool
    result: Result | None
    where: Where
    at_tables: AtTables | None = None
    """How it stands at the tables of its event."""
    place: str = ""
    """Board, round and match number, if known."""
    is_elsewhere: bool = False
    """In another event than the match that is over, for the page of that one."""
    is_practice: bool = False
    """Against a bot."""
    partner: str = ""
    """Of the player in a pair; empty if they play alone."""
    is_second: bool = False
    """Whether they are the second person of their pair."""
    token: str = ""
    """Token of the player's personal link of the match, if the list is for somebody without an account."""

    @property
    def own(self) -> Player:
        """The player, or the pair."""
        return self.match.players[self.side]

    @property
    def urgency(self) -> tuple[MatchUrgency, float]:
        """Sort key: by rank, then by what ends first."""
        until = self.step.until if self.step is not None else None
        return self._rank(), until.timestamp() if until is not None and not self.is_practice else NEVER

    def _rank(self) -> MatchUrgency:
        state, code = self.where.state, self.step.code if self.step is not None else ""
        if self.is_practice:
            return MatchUrgency.PRACTICE
        if state in (WhereState.PLAYING, WhereState.HERE) and code in ("play", "board"):
            return MatchUrgency.IN_PLAY
        if state in (WhereState.CALLED, WhereState.INVITED):
            return MatchUrgency.CALLED
        if self.asks_me:
            return MatchUrgency.WAITS_FOR_ME
        if code not in ("play", "times", "appointment") or state not in (WhereState.READY, WhereState.PLAYING):
            return MatchUrgency.OTHER
        is_ready_at_once = code == "appointment" or self.at_tables is not None
        return MatchUrgency.READY_NOW if is_ready_at_once else MatchUrgency.READY

    @property
    def title(self) -> str:
        """The event, or what else the match is played for."""
        if self.context is not None:
            return self.context.title
        if self.is_practice:
            return gettext("Practice")
        return "" if self.match.parent_topic else gettext("Friendly match")

    @property
    def url(self) -> str:
        """Where the next step is made: the board of a match that is played here, else the page of the match."""
        is_live = self.match.state == Match.State.LIVE
        if self.token:
            return reverse("link-play" if is_live else "match-link", args=[self.token])
        return reverse("match-play" if is_live else "match", args=[self.match.public_id])

    @property
    def won(self) -> bool:
        return self.result is not None and self.result.winner == self.side

    @property
    def score(self) -> str:
        """The score with the player's points first; empty without one that tells who won."""
        score = labels.final_score(self.match, self.result)
        if score is None:
            return ""
        return labels.score_of(self.match, self.side, score)


def my_matches(user: User, now: datetime) -> dict[str, Any]:
    """The matches a user still has to play or answer, the most urgent first, and their latest results.

    The number of queries does not depend on the number of matches.
    """
    viewer = Viewer.of(user)
    mine = Match.objects.filter(Q(player_0__in=viewer.players) | Q(player_1__in=viewer.players))
    entries = events().entries(viewer.players)
    return {
        "player": viewer.player,
        "topics": f"{user_topic(user)}={now_shown()}",
        "challenges": challenges_of(viewer, now),
        "entries": entries,
        "why_free": [f"{row.title} · {row.status}" for row in entries if row.is_free],
        **_next_others_and_latest(mine, viewer.player, viewer.players, now, reader=reader_id(Actor.of(user))),
    }


def matches_by_link(matches: QuerySet[Match], person: int, players: Collection[int], now: datetime) -> dict[str, Any]:
    """The same lists of these matches for one of their players, who opens each by its personal link.

    `players` are the ids under which the person plays (`ids_of`).
    """
    return _next_others_and_latest(matches, person, players, now, latest=OPEN_AT_ONCE, by_link=True)


def _next_others_and_latest(
    matches: QuerySet[Match],
    person: int | None,
    players: Collection[int],
    now: datetime,
    *,
    latest: int = LATEST,
    by_link: bool = False,
    reader: str = "",
) -> dict[str, Any]:
    """The next match, the others that are open, and the latest results.

    `reader` is whose acts are kept without a connection; by link, whoever has the link of the next match.
    """
    is_open = ~Q(state__in=OVER) | Q(provisional=True)
    rows = _with_rows(matches.filter(is_open).order_by(F("due_at").asc(nulls_last=True), "pk"))
    over = _with_rows(matches.filter(state=Match.State.SETTLED).order_by("-finished_at", "-pk"))
    still_open = [row for row in rows[:OPEN_AT_ONCE] if not row.provisional or _is_to_see(row, players)]
    listed = _my_matches_of([*still_open, *over[:latest]], players, now)
    listed = _in_pairs(listed, person)
    if by_link:
        listed = [replace(row, token=links.token_for(row.match, row.side, second=row.is_second)) for row in listed]
    urgent = sorted(listed[: len(still_open)], key=lambda row: row.urgency)
    # What was kept by the link of a match leaves from here, too.
    tokens = {f"{row.match.topic} link-{row.side}": row.token for row in listed if by_link}
    return {
        "kept_links": json.dumps(tokens) if tokens else "",
        "next": urgent[0] if urgent else None,
        "next_label": action_label(urgent[0]) if urgent else "",
        **(_at_table(urgent[0], reader, now) if urgent else {}),
        "others": urgent[1:],
        "latest": listed[len(still_open) :],
    }


def _in_pairs(listed: Sequence[MyMatch], person: int | None) -> list[MyMatch]:
    """Return the rows with the partner of this person in matches of pairs; one query if there are any."""
    pairs = {row.own.pk: row.own.parts for row in listed if row.own.parts is not None}
    second = {pair for pair, couple in people_of(pairs).items() if couple[1] == person}
    partners = {pair: name_in_pair(parts[pair not in second], staff=False) for pair, parts in pairs.items()}
    return [replace(row, partner=partners.get(row.own.pk, ""), is_second=row.own.pk in second) for row in listed]


def action_label(row: MyMatch) -> str:
    """What the button says that leads to the next step of a match."""
    code = row.step.code if row.step is not None else ""
    if code == "board":
        return gettext("Open the board")
    if code == "answer" and row.asks_me:
        return gettext("Answer")
    if row.asks_me:
        return gettext("Open the match")
    if code not in ("play", "appointment"):
        return gettext("Open the match")
    may_open = events().play_rules(row.match.parent_topic).players_may_open
    return gettext("Play here") if may_open else gettext("Report the result")


def _is_to_see(match: Match, players: Collection[int]) -> bool:
    """Whether a provisional result goes against one of these players, who has not acted on having seen it."""
    row, side = _provisional(match), 0 if match.player_0_id in players else 1
    return row is not None and side in row.sides and row.told[side] is None


def _provisional(match: Match) -> Provisional | None:
    """Return the provisional result, from prefetched rows."""
    result = next(iter(match.results.all()), None) if match.provisional else None
    return result.provisional if result is not None else None


def _at_table(row: MyMatch, reader: str, now: datetime) -> dict[str, Any]:
    """What a player can do at the table of their next match, sent by its personal link if the list has those."""
    seat = MatchSeat(row.match, row.side, Actor.link(row.side), row.token)
    running = running_score(row.match, row.at_tables)
    is_at_table = row.at_tables is not None and row.where.state in (WhereState.CALLED, WhereState.PLAYING)
    may_report = is_at_table and row.match.state == Match.State.OPEN
    return {
        "outbox": outbox(seat, reader or reader_id(seat.by), now),
        "report": report_form(seat, running, None) if may_report else None,
        "report_is_primary": True,
        "running_form": running_form(seat, running, row.where),
        "over_question": over_question(seat, running, row.where),
        "shorter": shorter_match(seat, running, row.where, now),
    }


def _my_matches_of(matches: Sequence[Match], players: Collection[int], now: datetime) -> list[MyMatch]:
    """The rows of matches in their order; places of those that are not over."""
    contexts = events().contexts({match.parent_topic for match in matches})
    places = events().places([match.pk for match in matches if not match.is_over])
    facts = facts_of(matches, Viewer(players=frozenset(players)), now)
    return [
        _my_match_of(match, players, facts[match.pk], contexts.get(match.parent_topic), places.get(match.pk, ""), now)
        for match in matches
    ]


def challenges_of(viewer: Viewer, now: datetime) -> list[Challenge]:
    """The friendly matches that others have challenged the viewer to, the newest first."""
    rows = Challenge.objects.filter(opponent__in=viewer.players, state=Challenge.State.OPEN, expires_at__gt=now)
    return list(rows.select_related("challenger"))


def _with_rows(matches: QuerySet[Match]) -> QuerySet[Match]:
    unanswered = [Claim.State.OPEN, Claim.State.CONTESTED]
    waiting = [Submission.Standing.WAITING, Submission.Standing.NAMES]
    times = [Proposal.State.OPEN, Proposal.State.ACCEPTED]
    rows = matches.select_related("player_0__merged_into", "player_1__merged_into", "club").annotate(
        bot_side=F("live__bot_side")
    )
    return rows.prefetch_related(
        Prefetch("claims", Claim.objects.filter(state__in=unanswered)),
        Prefetch("submissions", Submission.objects.filter(standing__in=waiting).defer("data", "transcript")),
        Prefetch("proposals", Proposal.objects.filter(state__in=times)),
        Prefetch("results", Result.objects.select_related("provisional").order_by("match_id", "-version")),
    )


def what_next(seat: MatchSeat, now: datetime) -> MyMatch | None:
    """The next match of whoever has this seat other than its own, for a page that needs nothing more from them.

    One of the same event comes first, even if another event calls.
    """
    but, side = seat.match, side_of(seat)
    person = seat.by.person or canonical(but.players[side]).pk
    same = ids_of(person)
    mine = Match.objects.filter(Q(player_0__in=same) | Q(player_1__in=same)).exclude(pk=but.pk)
    still_to_play = mine.filter(state__in=[Match.State.OPEN, Match.State.LIVE])
    rows = _with_rows(still_to_play.order_by(F("due_at").asc(nulls_last=True), "pk"))
    event = next(iter(events().contexts([but.parent_topic]).values()), None)
    return min(
        (
            replace(row, is_elsewhere=None not in (event, row.context) and not _is_of(event, row.context))
            for row in _in_pairs(_my_matches_of(list(rows[:OPEN_AT_ONCE]), same, now), person)
        ),
        key=lambda row: (not _is_of(event, row.context), row.urgency),
        default=None,
    )


def _is_of(event: MatchContext | None, context: MatchContext | None) -> bool:
    return event is not None and context is not None and event.event_url == context.event_url


def _my_match_of(
    match: Match, players: Collection[int], facts: WhereFacts, context: MatchContext | None, place: str, now: datetime
) -> MyMatch:
    side, where = 0 if match.player_0_id in players else 1, where_is(match, facts)
    rows = match.claims.all(), match.submissions.all(), match.proposals.all()
    pending = Pending.of(*rows, _provisional(match))
    steps = next_steps(match, where, pending, now)
    # Whoever is called or plays has no use for what was proposed before.
    at_board = [step for step in steps if step.code == "play"] if where.rank <= CALLED_OR_PLAYING else []
    first = next(iter(at_board or steps), None)
    return MyMatch(
        match=match,
        side=side,
        opponent=match.names[1 - side],
        context=context,
        step=first,
        next_step=describe(first, match, where, pending, side) if first is not None else "",
        asks_me=first is not None and first.side == side,
        result=next(iter(match.results.all()), None),
        where=where,
        at_tables=facts.at_tables,
        place=place,
        is_practice=match.bot_side is not None,  # type: ignore[attr-defined]  # annotated
    )
