"""What has to be as its player saw it for an act that was kept without a connection, and how the act then goes on.

Each assumption locks what its service locks, in the same order. All times run from the arrival of an act: what a
device says of when it was done is shown, and counts for nothing.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from engine.errors import Refused
from matches.lifecycle import provisional
from matches.lifecycle.at_tables import EnteredScore, RunningScore
from matches.lifecycle.events import events
from matches.lifecycle.finish import same_outcome, standing_result
from matches.lifecycle.locks import changed, lock_match
from matches.models import Claim, Match, Result
from matches.reporting import reports
from players.kept.acts import Arrived, Kept, Outcome, Seen
from players.models import LogEntry, Player
from players.people.rows import canonical

SINCE = {"length": "length_since", "start": "start_since"}
"""What a page shows of a match -> the code of an act whose reader saw another one."""


def shown(length: int, start: tuple[int, int]) -> dict[str, Any]:
    """Return what a page shows of a match beside its players, table and scores, as `saw` of an act says it."""
    return {"length": length, "start": list(start)}


def other_terms(match: Match, seen: Seen, noted: Mapping[str, Any] = {}) -> Arrived | None:
    """Return that the locked match has another length or start score than its reader saw.

    `noted` is what else is known of what an act without `saw` was based on.
    """
    saw = {**_noted(match, seen), **noted} if seen.act.saw is None else seen.act.saw
    for name, now in shown(match.length, match.start_score).items():
        if name in saw and saw[name] != now:
            return Arrived(Outcome.DIFFERS, SINCE[name], {"was": _words(saw[name]), "now": _words(now)})
    return None


def _words(value: Any) -> str:
    return "–".join(map(str, value)) if isinstance(value, list) else str(value)


def _noted(match: Match, seen: Seen) -> Mapping[str, Any]:
    """Return the length that the page of an act without `saw` has shown, from the log; empty if it is the same now."""
    entries = LogEntry.objects.filter(topic=match.topic, verb="match_length_changed", at__gt=seen.act.seen_at)
    changes = entries.order_by("pk").values_list("params__changes__match_length", flat=True).first()
    return {"length": changes[0]} if changes else {}


def _other_players(match: Match, seen: Seen) -> Arrived | None:
    """Return that others play in the match than its reader saw, or that they have changed sides."""
    rows = Player.objects.select_related("merged_into").filter(public_id__in=seen.act.pair)
    known = {row.public_id: canonical(row).pk for row in rows}
    if [known.get(name) for name in seen.act.pair] == [canonical(player).pk for player in match.players]:
        return None
    return Arrived(Outcome.DIFFERS, "other_players")


# Reports and running scores.


def _report_counts(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    """Whether a report can still count is for `report_late` to say, which keeps one that comes too late."""
    match = lock_match(form.instance.match.pk)
    return _other_players(match, seen) or other_terms(match, seen) or _contradicted(match, form, seen, now)


def _contradicted(match: Match, form: Any, seen: Seen, now: datetime) -> Arrived | None:
    """Return that somebody else has entered a score since in which the loser of a report has more points."""
    winner, score = form.report
    running = _running(match, now) if match.state == Match.State.OPEN else None
    if running is None or not _is_unseen(running, seen) or running.score[1 - winner] <= score[1 - winner]:
        return None
    return Arrived(Outcome.DIFFERS, "newer_score")


def _report(form: Any, **acting: Any) -> Arrived:
    seat = form.instance
    winner, score = form.report
    report = reports.ScoreReport(winner, score, form.cleaned_data["note"])
    sent = {"match": seat.match, "report": report, **form.version, **acting}
    try:
        stored = reports.report_late(side=seat.side, says_side=form.says_side, **sent)
    except Refused as refused:
        if refused.code != "report_kept":
            raise
        # As an outcome, since a refusal would take back what was kept.
        return Arrived(Outcome.DIFFERS, refused.code)
    return Arrived(Outcome.DONE if stored.created else Outcome.ALREADY)


def _score_stands(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    """A score that was entered since, by anybody else, is newer than this one."""
    with suppress(Refused):  # The service says so, unless the match is over.
        events().lock_scores(form.instance.match, now)
    match = lock_match(form.instance.match.pk)
    if (other := _other_players(match, seen)) is not None:
        return other
    if match.state not in (Match.State.OPEN, Match.State.LIVE):
        return Arrived(Outcome.OVERTAKEN, "over_since")
    running = _running(match, now)
    if running is not None and running.score == form.score:
        return Arrived(Outcome.ALREADY)
    if running is not None and _is_unseen(running, seen):
        return Arrived(Outcome.OVERTAKEN, "newer_score")
    return other_terms(match, seen)


def _enter_score(form: Any, **acting: Any) -> Arrived:
    entered = EnteredScore(**form.seat, score=form.score)
    events().record_score(entered, **acting)
    running = _running(entered.match, acting["now"])
    is_there = running is not None and running.score == entered.score
    return Arrived(Outcome.DONE, made=(running.name,) if running is not None and is_there else ())


def _is_unseen(running: RunningScore, seen: Seen) -> bool:
    return running.at > seen.act.seen_at and running.name not in seen.own


def _running(match: Match, now: datetime) -> RunningScore | None:
    at_tables = events().at_tables([match.pk], {}, now).get(match.pk)
    return at_tables.running if at_tables is not None else None


# Answers to the report that the reader saw. They name no version: what counts is that it is still open.


def _confirm_needed(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    match = lock_match(form.instance.match.pk)
    return _other_players(match, seen) or _stands(match, form.seat["side"], seen, now, is_open=None)


def _seen_needed(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    match, side = lock_match(form.instance.match.pk), form.seat["side"]
    report = _report_seen(match, side, seen)
    is_known = report is not None and report.seen_at is not None
    is_open = Arrived(Outcome.ALREADY) if is_known else None
    return _other_players(match, seen) or _stands(match, side, seen, now, is_open=is_open)


def _contest_in_time(form: Any, seen: Seen, now: datetime) -> Arrived | None:
    match = lock_match(form.instance.match.pk)
    if (other := _other_players(match, seen)) is not None:
        return other
    report = _report_seen(match, form.seat["side"], seen)
    if report is not None and report.state == Claim.State.OPEN:
        return None
    if report is not None and report.state == Claim.State.CONTESTED and match.state == Match.State.DISPUTED:
        return Arrived(Outcome.ALREADY)
    return _late(standing_result(match))


def _stands(match: Match, side: int, seen: Seen, now: datetime, *, is_open: Arrived | None) -> Arrived | None:
    """Return what becomes of an answer that agrees: `is_open` if its report waits, or its result is as it was seen.

    If the report stands by now, nobody needs the answer any more, but its player knows of the result from now on.
    """
    report, result = _report_seen(match, side, seen), standing_result(match)
    if report is not None and report.state == Claim.State.OPEN:
        return is_open
    if match.provisional and result is not None and _was_seen(match, result.at, seen):
        return None
    if report is None or result is None or not _is_same(match, report, result):
        return _late(result)
    if provisional.note_told(match, side, now):
        changed(match)
    return Arrived(Outcome.ALREADY)


def _late(result: Result | None) -> Arrived:
    stood_at = {"stood_at": result.at.isoformat()} if result is not None else {}
    return Arrived(Outcome.DIFFERS, "answered_late", stood_at)


def _report_seen(match: Match, side: int, seen: Seen) -> Claim | None:
    """Return the report of the other side that the reader of an answer saw: the newest of that time."""
    claims = match.claims.filter(side=1 - side).exclude(state=Claim.State.LATE).order_by("-created_at", "-pk")
    return next((claim for claim in claims if _was_seen(match, claim.created_at, seen)), None)


def _was_seen(match: Match, at: datetime, seen: Seen) -> bool:
    return at <= seen.act.seen_at or match.seq == seen.act.seen


def _is_same(match: Match, report: Claim, result: Result) -> bool:
    return same_outcome(match.length, report.winner, report.score, result.winner, result.score)


def _confirm(form: Any, **acting: Any) -> Arrived:
    reports.confirm(**form.seat, key=form.cleaned_data["key"], **acting)
    return Arrived(Outcome.DONE)


def _contest(form: Any, **acting: Any) -> Arrived:
    reports.contest(**form.seat, key=form.cleaned_data["key"], note=form.cleaned_data["note"], **acting)
    return Arrived(Outcome.DONE)


def _acknowledge(form: Any, **acting: Any) -> Arrived:
    reports.acknowledge(**form.seat, **acting)
    return Arrived(Outcome.DONE)


REPORT = Kept(_report_counts, _report)
SCORE = Kept(_score_stands, _enter_score)
CONFIRM = Kept(_confirm_needed, _confirm)
CONTEST = Kept(_contest_in_time, _contest)
SEEN = Kept(_seen_needed, _acknowledge)
