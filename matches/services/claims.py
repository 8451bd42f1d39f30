"""What players say about their match, until a result stands (product.md §2, "Results from players").

The loser's own claim stands at once. The winner's waits for the other side, and stands by itself only if that side was
told of it. Two claims that differ, or one that is contested, make a dispute: frozen until a director rules.
"""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction

from engine.errors import Refused
from matches.begun import derive_begun
from matches.models import LONGEST_KEY, Claim, Match, Result, Submission
from matches.services import notices
from matches.services.finish import append_result, check_result, same_outcome
from matches.services.locked import changed, lock_match, lock_match_if_free, refuse_over, refuse_stale
from players.actors import SYSTEM, Actor, log

LONGEST_NOTE = 300
State = Claim.State


class Claimed(NamedTuple):
    """A claim that is in, and whether it is new."""

    claim: Claim
    created: bool


def claim(
    *,
    match: Match,
    side: int | None,
    winner: int,
    score: tuple[int, int],
    by: Actor,
    now: datetime,
    after: int | None = None,
    key: str = "",
    note: str = "",
) -> Claimed:
    """Say how a match that was played to its end ended.

    `side` None is a link that names the match but not who holds it (the sheet's QR code): its claim counts as the
    winner's, so that it never stands before the loser has had his say. The same `key`, or the same words from the same
    side, give the first claim again.
    Refused: `stale`, `key_reused`, `match_settled`, `match_void`, `match_disputed`, `claim_open`, and what
    `finish.check_result` refuses.
    """
    _check_words(key, note)
    speaks_for = winner if side is None else side
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _seen_before(row, speaks_for, winner, score, key)) is not None:
            return Claimed(seen, created=False)
        refuse_stale(row, after)
        refuse_settled_or_disputed(row)
        check_result(length=row.length, start=row.start_score, winner=winner, score=score, kind=Result.Kind.PLAYED)
        open_claims = {claim.side: claim for claim in row.claims.filter(state=State.OPEN)}
        if (own := open_claims.get(speaks_for)) is not None:
            if (own.winner, own.score) != (winner, score):
                raise Refused("claim_open")
            return Claimed(own, created=False)
        new = _new(row, by, now, side=speaks_for, winner=winner, score_0=score[0], score_1=score[1], note=note, key=key)
        log(by, "claimed", row.topic, club=row.club, side=side, winner=winner, score=list(score))
        _follow(row, new, open_claims.get(1 - speaks_for), by, now)
    return Claimed(new, created=True)


def confirm(*, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = "") -> Claim:
    """Agree to what the other side claims; it stands. Refused: `nothing_claimed`, and what `claim` refuses."""
    _check_words(key)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _answered_before(row, 1 - side, key)) is not None:
            return seen
        theirs = _claim_to_answer(row, 1 - side, after)
        theirs.answer_key = key
        theirs.save(update_fields=["answer_key"])
        log(by, "claim_confirmed", row.topic, club=row.club, side=side, claim=theirs.public_id)
        _stand(row, theirs, by, now)
        theirs.refresh_from_db()
    return theirs


def contest(
    *, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = "", note: str = ""
) -> Claim:
    """Say that the other side's claim is wrong, without a score of one's own; a director rules.

    Refused: `nothing_claimed`, and what `claim` refuses.
    """
    _check_words(key, note)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _answered_before(row, 1 - side, key)) is not None:
            return seen
        theirs = _claim_to_answer(row, 1 - side, after)
        theirs.answer_key, theirs.answer_note = key, note
        log(by, "claim_contested", row.topic, club=row.club, side=side, claim=theirs.public_id, note=note)
        _dispute(row, [theirs], now)
    return theirs


def withdraw_claim(
    *, match: Match, side: int, by: Actor, now: datetime, after: int | None = None, key: str = ""
) -> Claim:
    """Take one's own claim back while nobody has answered it. Refused: `nothing_claimed`, and what `claim` refuses."""
    _check_words(key)
    with transaction.atomic():
        row = lock_match(match.pk)
        if (seen := _answered_before(row, side, key)) is not None:
            return seen
        own = _claim_to_answer(row, side, after)
        own.state, own.answered_at, own.answer_key = State.WITHDRAWN, now, key
        own.save(update_fields=["state", "answered_at", "answer_key"])
        log(by, "claim_withdrawn", row.topic, club=row.club, side=side, claim=own.public_id)
        row.state = Match.State.OPEN
        derive_begun(row)
        changed(row, "state", "begun_at")
    return own


def stand_unanswered(*, claim_id: int, now: datetime) -> Result | None:
    """Let a claim stand whose time has run out; None where it was answered, or waits for a record."""
    found = Claim.objects.filter(pk=claim_id).first()
    if found is None:
        return None
    with transaction.atomic():
        row = lock_match_if_free(found.match_id)
        due = None if row is None else row.claims.filter(pk=claim_id, state=State.OPEN, stands_at__lte=now).first()
        if row is None or due is None or row.state != Match.State.CLAIMED:
            return None
        # A record that came in time is heard first, however long its check takes.
        if row.submissions.filter(standing=Submission.Standing.WAITING, created_at__lte=due.stands_at).exists():
            return None
        log(SYSTEM, "claim_unanswered", row.topic, club=row.club, claim=due.public_id)
        return _stand(row, due, SYSTEM, now)


def told(*, claim_id: int, now: datetime) -> None:
    """Note that the other side was told of a claim: from now on its time runs."""
    found = Claim.objects.filter(pk=claim_id).first()
    if found is None:
        return
    with transaction.atomic():
        row = lock_match(found.match_id)
        waiting = row.claims.filter(pk=claim_id, state=State.OPEN, notified_at__isnull=True).first()
        if waiting is not None:
            _start_waiting(row, waiting, now)
            changed(row)


def reach(*, match: Match, side: int, now: datetime) -> None:
    """Note that somebody opened the personal link of a side: it has seen what is claimed, and can be told things."""
    untold = match.claims.filter(side=1 - side, state=State.OPEN, notified_at__isnull=True)
    if match.reached[side] is not None and not untold.exists():
        return
    with transaction.atomic():
        row = lock_match(match.pk)
        if row.reached[side] is None:
            setattr(row, f"reached_{side}", now)
            row.save(update_fields=[f"reached_{side}"])
        waiting = untold.first()
        if waiting is not None:
            _start_waiting(row, waiting, now)
            changed(row)


def refuse_settled_or_disputed(match: Match) -> None:
    """Refused: `match_settled`, `match_void`, `match_disputed`."""
    refuse_over(match)
    if match.state == Match.State.DISPUTED:
        raise Refused("match_disputed")


def _check_words(key: str, note: str = "") -> None:
    if len(key) > LONGEST_KEY:
        raise Refused("key_too_long", most=LONGEST_KEY)
    if len(note) > LONGEST_NOTE:
        raise Refused("note_too_long", most=LONGEST_NOTE)


def _seen_before(match: Match, side: int, winner: int, score: tuple[int, int], key: str) -> Claim | None:
    seen = match.claims.filter(key=key).first() if key else None
    if seen is not None and (seen.side, seen.winner, seen.score) != (side, winner, score):
        raise Refused("key_reused")
    return seen


def _new(match: Match, by: Actor, now: datetime, **said: Any) -> Claim:
    return Claim.objects.create(match=match, by=by.kind, user=by.user, created_at=now, **said)


def _answered_before(match: Match, claimant: int, key: str) -> Claim | None:
    return match.claims.filter(side=claimant, answer_key=key).first() if key else None


def _claim_to_answer(match: Match, claimant: int, after: int | None) -> Claim:
    refuse_stale(match, after)
    refuse_settled_or_disputed(match)
    found = match.claims.filter(side=claimant, state=State.OPEN).first()
    if found is None:
        raise Refused("nothing_claimed")
    return found


def _follow(match: Match, new: Claim, theirs: Claim | None, by: Actor, now: datetime) -> None:
    """What a new claim leads to, beside the one of the other side if there is one."""
    if theirs is not None and not same_outcome(match.length, theirs.winner, theirs.score, new.winner, new.score):
        _dispute(match, [theirs, new], now)
    elif theirs is not None or new.winner != new.side:
        _stand(match, new, by, now)
        new.refresh_from_db()
    else:
        match.state = Match.State.CLAIMED
        derive_begun(match)
        changed(match, "state", "begun_at")
        if notices.was_reached(match, 1 - new.side):
            _start_waiting(match, new, now)
        notices.claim_made(match, new)


def _start_waiting(match: Match, waiting: Claim, now: datetime) -> None:
    waiting.notified_at = now
    waiting.stands_at = now + timedelta(seconds=match.claim_wait)
    waiting.save(update_fields=["notified_at", "stands_at"])


def _dispute(match: Match, claims: list[Claim], now: datetime) -> None:
    for contested in claims:
        contested.state, contested.answered_at = State.CONTESTED, now
        contested.save(update_fields=["state", "answered_at", "answer_key", "answer_note"])
    match.state = Match.State.DISPUTED
    derive_begun(match)
    changed(match, "state", "begun_at")


def _stand(match: Match, stands: Claim, by: Actor, now: datetime) -> Result:
    return append_result(
        match,
        winner=stands.winner,
        score=stands.score,
        kind=Result.Kind.PLAYED,
        source=Result.Source.CLAIM,
        by=by,
        now=now,
    )
