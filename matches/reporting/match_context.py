"""Context of the page of a match, for its players, holders of its links, and other visitors."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zlib import crc32

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from core.live.publishing import now_shown
from core.public_ids import new_form_key
from core.times import duration
from engine.records import from_data
from matches.access import MatchSeat, Visitor, action_url, viewer_of
from matches.lifecycle import arrivals, links, provisional
from matches.lifecycle.at_tables import Asked, AtTables, LengthOffer
from matches.lifecycle.begun import has_begun
from matches.lifecycle.events import events
from matches.lifecycle.locks import matches_topic
from matches.lifecycle.voiding import successors_of
from matches.lifecycle.where import Where, WhereState, where_is
from matches.models import (
    BotPlayer,
    Claim,
    ClockPreset,
    LiveMatch,
    Match,
    Objection,
    Proposal,
    Provisional,
    Result,
    Submission,
)
from matches.models.play import INVITE
from matches.play.watching import facts_of
from matches.presentation import labels
from matches.presentation.visibility import Viewer
from matches.ratings import rated
from matches.records import page as record_page
from matches.records.names import OPEN, Mask, mask_for
from matches.records.repeats import sentence_of
from matches.reporting import objections
from matches.reporting.appointments import zone_of
from matches.reporting.for_pairs import acts_of_pairs
from matches.reporting.forms import ScoreForm
from matches.reporting.kept import shown
from matches.reporting.links import link_notes
from matches.reporting.next_steps import Pending, describe, may_concede, next_steps, reports_of
from matches.reporting.records import NOTES, is_from_opponent
from matches.reporting.reports import delivery_status, then_of
from matches.reporting.result_choice import Chosen, PointsChip, ahead, result_choice
from players.models import LogEntry, User
from players.people.rows import canonical

# How the page of a match learns that it has changed.


def version_of(match: Match, viewer: Viewer, now: datetime) -> str:
    """The version of a match that its page shows. It does not change with play on its board here."""
    if match.state == Match.State.LIVE:
        return match.state
    at_table = facts_of([match], viewer, now)[match.pk].at_tables
    if at_table is None:
        return str(match.seq)
    is_closing = at_table.players_offer_from is not None and at_table.players_offer_from <= now
    return f"{match.seq}-{crc32(repr((at_table, is_closing)).encode())}"


def watch_context(match: Match, seat: MatchSeat | None, viewer: Viewer, now: datetime) -> dict[str, Any]:
    """Context that keeps a page up to date with the match: its version, topics and ticket for the stream.

    While the match is played here only its end matters, and its own topic would show spectators when somebody acts.
    """
    if match.state != Match.State.LIVE:
        topics = f"{match.topic}={match.seq}"
    else:
        topics = f"{matches_topic(match.parent_topic)}={now_shown()}" if match.parent_topic else ""
    ticket = links.stream_ticket(match, seat.side) if seat is not None and seat.token else ""
    return {"version": version_of(match, viewer, now), "topics": topics, "ticket": ticket}


# How a match at a table stands, as its pages show it, and the forms with which its players enter and report that.


@dataclass(frozen=True, slots=True)
class ShownRunningScore:
    """The running score of a match. Until somebody enters one, `who` is empty and `score` is the start score."""

    score: tuple[int, int]
    who: str
    at: datetime | None
    notes: tuple[str, ...] = ()
    offer: LengthOffer | None = None
    players_offer_from: datetime | None = None
    asks_when_over: bool = False
    asked: Asked | None = None


def running_score(match: Match, row: AtTables | None) -> ShownRunningScore | None:
    """The running score of an open match; None unless it belongs to an event whose tables are run here."""
    if row is None or match.state != Match.State.OPEN:
        return None
    common = (row.notes, row.offer, row.players_offer_from, row.asks_when_over, row.asked)
    running = row.running
    if running is None:
        return ShownRunningScore(match.start_score, "", None, *common)
    entered_by = match.names[running.side] if running.side is not None else gettext("the director")
    return ShownRunningScore(running.score, entered_by, running.at, *common)


def running_form(seat: MatchSeat, running: ShownRunningScore | None, where: Where) -> dict[str, Any] | None:
    """The form for a player of a match that is called or played; None for everybody else, and other matches."""
    match = seat.match
    if seat.side is None or running is None or match.length == 1:
        return None
    if where.state not in (WhereState.CALLED, WhereState.PLAYING):
        return None
    most = match.length if running.asks_when_over else match.length - 1
    sides = [
        {
            "field": f"score_{side}",
            "name": match.names[side],
            "points": [
                PointsChip(each, each == running.score[side]) for each in range(match.start_score[side], most + 1)
            ],
        }
        for side in (0, 1)
    ]
    return {"url": action_url(seat, "running-score"), "sides": sides}


def report_form(
    seat: MatchSeat, running: ShownRunningScore | None, report: Claim | None, form: ScoreForm | None = None
) -> dict[str, Any]:
    """The form to report a result; it opens at the other side's report, or else at the running score.

    A `form` that was refused, or is previewed, is shown as it was filled in.
    """
    match, score = seat.match, running.score if running is not None else seat.match.start_score
    chosen: Chosen = (report.winner, min(report.score)) if report is not None else ahead(score)
    if form is not None and form.is_bound:
        chosen = form.chosen
    then = (then_of(seat, 0, report), then_of(seat, 1, report))
    return {
        "choice": result_choice(match, match.names, score, reader=seat.side, chosen=chosen, then=then),
        "url": action_url(seat, "claim"),
        "after": match.seq,
        "key": new_form_key(),
        "form": form or ScoreForm(seat=seat),
    }


def over_question(seat: MatchSeat, running: ShownRunningScore | None, where: Where) -> dict[str, Any] | None:
    """The question to a player whether the match is over, and where to answer it; None if it is not asked."""
    if seat.side is None or running is None or running.asked is None or where.state != WhereState.PLAYING:
        return None
    if running.asked.score is None:
        return {"text": gettext("Others wait for this match. Is it over?"), "score": None}
    score = labels.score_of(seat.match, seat.side, running.asked.score)
    return {
        "text": gettext("The score {score} was entered, which decides the match. Is it over?").format(score=score),
        "label": gettext("Yes, report this score"),
        "url": action_url(seat, "report"),
        "score": running.asked.score,
    }


def outbox(seat: MatchSeat, reader: str, now: datetime) -> dict[str, Any]:
    """Where the page keeps what the reader does without a connection, and what of the match it shows."""
    match = seat.match
    return {
        "topic": match.topic,
        "reader": reader,
        "by": match.names[seat.side] if seat.side is not None else "",
        "url": reverse("api-match-kept", args=[match.public_id]),
        "link": seat.token,
        "seen": match.seq,
        "seen_at": math.ceil(now.timestamp() * 1000),
        "players": match.players,
        "names": match.names,
        "length": match.length,
        "saw": json.dumps(shown(match.length, match.start_score)),
    }


# Agreeing on a shorter match, as its players see it: what is on offer to whom, and the form to offer a length.


def shorter_match(
    seat: MatchSeat, running: ShownRunningScore | None, where: Where, now: datetime
) -> dict[str, Any] | None:
    """What a player can do to shorten a match; None for everybody else, and where nothing is on offer or can be."""
    if seat.side is None or running is None or where.state != WhereState.PLAYING:
        return None
    offer = running.offer
    form = _offer_form(seat, running, offer) if may_offer(running, where, now) else None
    if offer is None and form is None:
        return None
    return {"offer": _offer(seat, seat.side, offer) if offer is not None else None, "form": form}


def may_offer(running: ShownRunningScore, where: Where, now: datetime) -> bool:
    """Whether the players can offer a shorter length by themselves."""
    since = running.players_offer_from
    return since is not None and since <= now and where.state != WhereState.ADJOURNED


def _offer_form(seat: MatchSeat, running: ShownRunningScore, offer: LengthOffer | None) -> dict[str, Any] | None:
    lengths = range(max(running.score) + 1, seat.match.length)
    if not lengths or (offer is not None and lengths == range(offer.length, offer.length + 1)):
        return None
    return {"url": action_url(seat, "offer-length"), "lengths": lengths, "score": running.score}


def _offer(seat: MatchSeat, side: int, offer: LengthOffer) -> dict[str, Any]:
    has_agreed = side in offer.agreed
    return {
        "number": offer.number,
        "text": _in_words(seat.match, side, offer),
        # Empty if they have agreed already.
        "accept_label": "" if has_agreed else gettext("Play to {length}").format(length=offer.length),
        "decline_label": gettext("Withdraw") if has_agreed else gettext("Decline"),
        "accept_url": action_url(seat, "accept-length"),
        "decline_url": action_url(seat, "decline-length"),
    }


def _in_words(match: Match, side: int, offer: LengthOffer) -> str:
    name = match.names[1 - side]
    values = {"name": name, "opponent": name, "length": offer.length, "was": offer.was}
    if side in offer.agreed:
        return gettext("You want to play to {length} points instead of {was}. {name} has not answered yet.").format(
            **values
        )
    if offer.side is not None:
        return gettext("{opponent} wants to play to {length} points instead of {was}. Do you agree?").format(**values)
    return gettext(
        "The director proposes to play to {length} points instead of {was}. Both of you have to agree."
    ).format(**values)


# What the page of a match shows, as values for its templates.


RECORDS = 20
"""Most records that are listed."""
Standing = Submission.Standing


def match_page(
    match: Match, seat: MatchSeat | None, now: datetime, user: Visitor, filled: ScoreForm | None = None
) -> dict[str, Any]:
    """Context of the page; `seat` is None for visitors who do not play the match. `filled` is the form of their report.

    Only the players and those who run the match see notes.
    """
    side = seat.side if seat is not None else None
    viewer = viewer_of(user, seat)
    inside = viewer.plays_or_runs(match)
    facts = facts_of([match], viewer, now)[match.pk]
    where = where_is(match, facts)
    claims = reports_of(match)
    records = list(
        match.submissions.select_related("submitter__player")
        .defer("data", "transcript")
        .order_by("created_at")[:RECORDS]
    )
    proposals = list(match.proposals.all())
    results = list(match.results.select_related("user__player", "submission").defer("submission__data"))
    standing = results[0] if results else None
    counting = standing if standing is not None and standing.kind != Result.Kind.VOID else None
    row = provisional.provisional_of(match)
    pending = Pending.of(claims, records, proposals, row)
    context = events().contexts([match.parent_topic]).get(match.parent_topic)
    running = running_score(match, facts.at_tables)
    form = running_form(seat, running, where) if seat is not None else None
    may = _may(match, seat, pending, is_proven=standing is not None and not _takes_record(standing, records, side))
    play_here = _play_here(match, side)
    return {
        "match": match,
        "seat": seat,
        "side": side,
        "context": context,
        "where": where,
        "running": running,
        "running_form": form,
        "report": report_form(seat, running, pending.report, filled)
        if seat is not None and may["may_report"]
        else None,
        "report_is_primary": not may["may_answer"] and not play_here["may_play_here"],
        "over_question": over_question(seat, running, where) if seat is not None else None,
        "shorter": shorter_match(seat, running, where, now) if seat is not None else None,
        "players": [_player(match, counting, player_side, side, running) for player_side in (0, 1)],
        "length": labels.length(match.length),
        "next_steps": _next_steps(match, where, pending, side, now),
        "successors": successors_of(match),
        **_results_context(match, results, claims),
        "acts_of_pairs": acts_of_pairs(match, claims, results),
        "provisional": _provisional(match, row, side) if row is not None else None,
        "objections": [_objection(match, row, inside) for row in match.objections.all()],
        "records": [_record(match, record, side, user, inside=inside) for record in records],
        "is_checking": any(record.standing == Standing.WAITING for record in records),
        "claim_wait": duration(match.claim_wait),
        "zones": [zone_of(match, player_side).key for player_side in (0, 1)],
        "proof": _proof(counting, now, user, inside=inside),
        "may_rematch": _may_rematch(match, side),
        "practised_against": _practised_against(match, side),
        **play_here,
        "never_came": _never_came(match) if inside else [],
        "dice_url": _live_url(match, seat, "dice"),
        "replay_url": _live_url(match, seat, "replay"),
        "arrivals": _arrivals(match, pending.agreed, side, now) if pending.agreed is not None else None,
        **_pending_context(match, pending, claims, side, inside=inside),
        **may,
        **_may_object(match, side, now),
    }


def _next_steps(match: Match, where: Where, pending: Pending, side: int | None, now: datetime) -> list[dict[str, Any]]:
    """What the match waits for, in words."""
    return [
        {"code": step.code, "side": step.side, "until": step.until, "text": describe(step, match, where, pending, side)}
        for step in next_steps(match, where, pending, now)
    ]


def _results_context(match: Match, results: list[Result], claims: Sequence[Claim]) -> dict[str, Any]:
    """The versions of the result, the one that stands first."""
    standing = results[0] if results else None
    notes = link_notes(match, results, claims)
    return {
        "standing": _result(match, standing, notes) if standing is not None else None,
        "is_still_rated": standing is not None and rated.is_still_rated(match, standing),
        "results": [_result(match, result, notes) for result in results],
    }


def _practised_against(match: Match, side: int | None) -> str:
    """The style of the bot in a finished practice match of the reader; empty for other matches."""
    if side is None or match.state != Match.State.SETTLED:
        return ""
    styles = BotPlayer.objects.filter(player__in=match.players).values_list("style", flat=True)
    return styles.first() or ""


def _may_rematch(match: Match, side: int | None) -> bool:
    if side is None or match.state != Match.State.SETTLED or not hasattr(match, "challenge"):
        return False
    return not canonical(match.players[1 - side]).has_left


def _play_here(match: Match, side: int | None) -> dict[str, Any]:
    """Whether the reader can open the match for play here, and its clock in words."""
    of_pairs = any(player.parts is not None for player in match.players)
    if side is None or match.state != Match.State.OPEN or has_begun(match) or of_pairs:
        return {"may_play_here": False}
    rules = events().play_rules(match.parent_topic)
    return {"may_play_here": rules.players_may_open, "play_clock": ClockPreset(rules.clock).label}


def _never_came(match: Match) -> list[str]:
    """Who was invited to the board of an unplayed match and never came."""
    if match.is_over or has_begun(match):
        return []
    live = LiveMatch.objects.filter(pk=match.pk, invited_at__isnull=False).first()
    if live is None or (live.lapsed_at is None and not live.actions.filter(kind=INVITE).exists()):
        return []
    times = live.invitations
    text = ngettext(
        "{name} was invited once and never came.", "{name} was invited {times} times and never came.", times
    )
    missing = {0, 1} - live.sides_that_came()
    return [text.format(name=match.names[side], times=times) for side in sorted(missing)]


def _live_url(match: Match, seat: MatchSeat | None, name: str) -> str:
    """A page of a match played here, by the name of its URL; empty where the match is not played here."""
    if not LiveMatch.objects.filter(pk=match.pk, lapsed_at=None).exists():
        return ""
    return action_url(seat, name) if seat is not None else reverse(f"match-{name}", args=[match.public_id])


def _pending_context(
    match: Match, pending: Pending, claims: Sequence[Claim], side: int | None, *, inside: bool
) -> dict[str, Any]:
    """The reports and the times to play that wait for an answer or hold."""
    is_disputed = match.state == Match.State.DISPUTED
    sent = pending.report or pending.from_sheet
    return {
        "follows": events().consequences(match, sent.winner, side) if sent is not None and not is_disputed else [],
        "open_report": _report(match, pending.report, inside) if pending.report is not None else None,
        "from_sheet": _report(match, pending.from_sheet, inside) if pending.from_sheet is not None else None,
        "late_reports": [_report(match, row, inside) for row in claims if row.state == Claim.State.LATE and inside],
        "who_knows": delivery_status(match, pending.report)
        if pending.report is not None and pending.report.side == side
        else "",
        "my_report": pending.report is not None and pending.report.side == side,
        "disputed": [_report(match, claim, inside) for claim in pending.claims] if is_disputed else [],
        "offered": _times(match, pending.offered, side, inside) if pending.offered is not None else None,
        "agreed": _times(match, pending.agreed, side, inside) if pending.agreed is not None else None,
    }


def _takes_record(result: Result, records: Sequence[Submission], side: int | None) -> bool:
    """Whether this side is asked for a record: there is none, or only the opponent's, and our board shows nothing."""
    if result.submission is None:
        return result.source != Result.Source.LIVE
    has_added = any(row.side == side and (row.refusal or {}).get("code") in NOTES for row in records)
    return is_from_opponent(result.submission, side) and not has_added


def _may(match: Match, seat: MatchSeat | None, pending: Pending, *, is_proven: bool) -> dict[str, bool]:
    """Which forms the reader is shown. The services check again what is allowed."""
    side = seat.side if seat is not None else None
    waiting = LiveMatch.objects.filter(pk=match.pk, lapses_at__isnull=False)
    is_invitation = match.state == Match.State.LIVE and bool(match.parent_topic) and waiting.exists()
    is_open = match.state == Match.State.OPEN or (is_invitation and side is not None)
    open_to_claims = (is_open or match.state == Match.State.CLAIMED) and seat is not None
    own = pending.report is not None and pending.report.side == side
    disputed = match.state == Match.State.DISPUTED and side is not None
    return {
        "may_concede": disputed and may_concede(pending.claims, side or 0),
        "may_report": open_to_claims and not own,
        "may_answer": open_to_claims and side is not None and pending.report is not None and not own,
        "may_send": side is not None
        and (is_open or match.state not in (Match.State.VOID, Match.State.LIVE))
        and not is_proven,
        "may_propose": side is not None and is_open,
    }


def _may_object(match: Match, side: int | None, now: datetime) -> dict[str, Any]:
    """Whether the reader can object to the result, and until when."""
    objected = objections.objectable(match, side) if side is not None else None
    if objected is None or objected.is_made:
        return {"may_object": False}
    return {"may_object": objected.until is None or now <= objected.until, "object_until": objected.until}


def _provisional(match: Match, row: Provisional, side: int | None) -> dict[str, Any]:
    """The provisional result of a match, and what the reader can do about it."""
    is_objected = row.result.objections.exists()
    untold = [match.names[other] for other in row.sides if row.told[other] is None and other != side]
    return {
        "why": gettext("Based on {reason}, so not rated yet.").format(reason=row.get_why_display()),
        # Who has not seen it; empty if everybody whom it goes against has.
        "untold": gettext("{name} has not seen it.").format(name=", ".join(untold)) if untold else "",
        # When it is final; None while that is open.
        "ends_at": None if is_objected else row.ends_at,
        "may_confirm": side is not None and row.against == side,
        "may_see": side is not None and side in row.sides and row.told[side] is None,
    }


def _objection(match: Match, row: Objection, inside: bool) -> dict[str, Any]:
    return {
        "who": match.names[row.side],
        "reason": row.reason if inside else "",
        "at": row.created_at,
        "state": row.state,
        "label": row.get_state_display(),
        "answer": row.answer if inside else "",
    }


def _player(
    match: Match, standing: Result | None, side: int, mine: int | None, running: ShownRunningScore | None
) -> dict[str, Any]:
    name = match.names[side]
    score = standing.score if standing is not None else None
    if score is None and running is not None and running.who:
        score = running.score
    return {
        "side": side,
        "name": name,
        "public_id": match.players[side].public_id,
        "points": labels.shown_score(match.length, score)[side] if score is not None else None,
        "won": standing is not None and standing.winner == side,
        "is_me": side == mine,
        "start": match.start_score[side],
    }


def _result(match: Match, result: Result, notes: Mapping[int, str]) -> dict[str, Any]:
    return {
        "version": result.version,
        "summary": _decided(match, result),
        "kind": labels.ending(match, result),
        "source": result.get_source_display(),
        "who": who(match, result.by, result.user, None),
        "at": result.at,
        "reason": result.reason,
        # Whether it is provisional, or nobody but the winner confirmed it; else empty.
        "finality": "" if result.finality == Result.Finality.FINAL else str(result.get_finality_display()),
        # A remark if one of the two players decided it; else empty.
        "own_match": gettext("Decided by one of the two players, as the club's only director.")
        if result.own_match
        else "",
        # A remark if the winner, a director, had got the link by which the loser answered; else empty.
        "link_note": notes.get(result.version, ""),
        "waived": [_waived(*finding) for finding in result.waived],
        # The public id of its record; empty without one.
        "record": result.submission.public_id if result.submission is not None else "",
    }


def _decided(match: Match, result: Result) -> str:
    """Who won by this version. For a void version that stays rated: who had won."""
    if result.kind != Result.Kind.VOID:
        return labels.ended(match, result.winner, result.score)
    if result.winner is None:
        return gettext("Void.")
    return gettext("Void, but played: {who_won}").format(who_won=labels.ended(match, result.winner, result.score))


def _waived(code: str, game: int | None, ply: int | None) -> str:
    place = [
        gettext("Game {number}").format(number=game) if game is not None else "",
        gettext("roll {number}").format(number=ply) if ply is not None else "",
    ]
    return " · ".join(filter(None, [code, *place]))


def who(match: Match, by: str, user: User | None, side: int | None) -> str:
    """Name of the person who did something: a user, a player, a link holder or the system."""
    if user is not None:
        player = getattr(user, "player", None)
        return player.shown_name if player is not None else user.display_name
    if by == LogEntry.By.SYSTEM:
        return "Barpoint"
    return match.names[side] if side is not None else gettext("Someone with the score sheet")


def _report(match: Match, report: Claim, inside: bool) -> dict[str, Any]:
    return {
        "side": report.side,
        "reporter": labels.reporter_of(match, report),
        "summary": labels.ended(match, report.winner, report.score),
        "contest": labels.contest(match, report),
        "winner": report.winner,
        "score": labels.won_score(match, report),
        "points": labels.shown_score(match.length, report.score),
        "at": report.created_at,
        "note": report.note if inside else "",
        "answer": report.answer_note if inside else "",
        # The public id of the record sent with it; empty without one.
        "record": report.submission.public_id if report.submission is not None else "",
        "is_seen": report.seen_at is not None,
        "is_own_loss": report.is_own_loss,
    }


def _record(match: Match, record: Submission, side: int | None, user: Visitor, *, inside: bool) -> dict[str, Any]:
    mask = OPEN if inside else mask_for(user, record)
    asks = record.standing == Standing.NAMES and side is not None and record.side == side
    return {
        "public_id": record.public_id,
        "name": mask.text(record.file_name) or gettext("pasted text"),
        "sender": who(match, LogEntry.By.LINK, record.submitter, record.side),
        "at": record.created_at,
        "standing": record.standing,
        "why": _why(record, record.refusal, record.side == side, mask, user) if record.refusal else "",
        # Whether it agrees with the result, which another record shows.
        "agrees": (record.refusal or {}).get("code") in NOTES,
        # The names in the record, if this reader has to say which player is which.
        "names": _names(record) if asks else None,
    }


def _why(record: Submission, refusal: Mapping[str, Any], is_own: bool, mask: Mask, user: Visitor) -> str:
    """Why a record is not that of the result, to its sender or to others."""
    code = refusal["code"]
    if code == "already_uploaded" and not is_own:
        code = "record_proven"
    return sentence_of(record, code, mask.inside(refusal["params"]), user)


def _names(record: Submission) -> tuple[str, str] | None:
    """The names in a record. Its transcript is loaded only for a reader who has to tell them apart."""
    data = Submission.objects.values_list("transcript", flat=True).get(pk=record.pk)
    return labels.names(from_data(data).players) if data else None


def _times(match: Match, proposal: Proposal, side: int | None, inside: bool) -> dict[str, Any]:
    return {
        "public_id": proposal.public_id,
        "proposer": match.names[proposal.side],
        "mine": proposal.side == side,
        "note": proposal.note if inside else "",
        "times": proposal.instants if proposal.agreed_at is None else [proposal.agreed_at],
    }


def _arrivals(match: Match, agreed: Proposal, side: int | None, now: datetime) -> dict[str, Any]:
    """Who is there for the appointment, and what the reader may do about it."""
    may_arrive = side is not None and agreed.agreed_at is not None and now >= agreed.agreed_at - arrivals.EARLY
    may_arrive = may_arrive and match.state == Match.State.OPEN and agreed.here[side or 0] is None
    claim_from = None
    rules = events().play_rules(match.parent_topic)
    if side is not None and match.state == Match.State.OPEN and rules.no_show_loses:
        claim_from = arrivals.claimable_from(agreed, side, rules)
    return {
        "names": [name for name, here in zip(match.names, agreed.here, strict=True) if here is not None],
        # Whether the reader is to come, or waits for the opponent.
        "is_near": may_arrive or claim_from is not None,
        "may_arrive": may_arrive,
        # None where it is not up to the reader to claim that the opponent has not come.
        "claim_from": claim_from,
        "may_claim": claim_from is not None and claim_from <= now,
    }


def _proof(standing: Result | None, now: datetime, user: Visitor, *, inside: bool) -> dict[str, Any] | None:
    """Context of the record that the result is based on."""
    if standing is None or standing.submission_id is None:
        return None
    record = Submission.objects.defer("data").get(pk=standing.submission_id)
    mask = OPEN if inside else mask_for(user, record)
    return record_page.submission_page(record, now, mask, turned=bool(record.swapped))
