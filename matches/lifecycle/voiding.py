"""Matches voided, and what they had standing again.

A bounded number of queries for any number of matches. The caller has locked them all, and sees to what stands above
them: nobody is told.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from engine.errors import Refused
from matches.lifecycle.finish import close_claims, record_replaced
from matches.models import Claim, Match, Result, Submission
from matches.ratings.rated import is_still_rated, measures_play
from matches.ratings.services import ratings
from players.actors import Actor, log_all
from players.models import Club

Kind = Result.Kind
BATCH = 500
COUNTING = (Submission.Standing.STANDS, Submission.Standing.REPORT)
"""A record that stands, or counts as a report, does so no longer once its match is void."""


def void_matches(
    rated: Mapping[Match, bool],
    *,
    club: Club | None,
    by: Actor,
    now: datetime,
    reason: str = "",
    own_match: bool = False,
) -> list[Result]:
    """Voids these matches of one club, played or not; they stay, and their earlier results with them.

    `rated`: whether one that counts for the ratings goes on to; its void version then names winner, score and record.
    `own_match`: whether it is a director's decision on matches of their own (`own_match.check_own_match`).
    One that is void already is voided anew, to have it counted or to have it counted no more.
    """
    matches = list(rated)
    newest, had = _versions(matches)
    made = []
    for match in matches:
        stays = had.get(match.pk) if rated[match] else None
        kept = stays if stays is not None and measures_play(stays) else None
        result = _version(match, kept, newest.get(match.pk, 0) + 1, Kind.VOID, by, now, reason)
        result.own_match = own_match
        made.append(result)
    Result.objects.bulk_create(made, batch_size=BATCH)
    _close_claims(matches, made, now)
    stood = Submission.objects.filter(match__in=matches, standing__in=COUNTING)
    stood.update(**record_replaced())
    _save(matches, Match.State.VOID)
    told = [
        (match.topic, {"version": result.version, "reason": reason, "rated": is_still_rated(match, result)})
        for match, result in zip(matches, made, strict=True)
    ]
    log_all(by, "match_voided", told, club=club)
    return made


def reinstate_matches(
    matches: Sequence[Match], *, club: Club | None, by: Actor, now: datetime, reason: str = ""
) -> list[Result]:
    """Lets the results that these void matches of one club had stand again, as new versions, with their records.

    They ended when they first did, so their places among the rated matches are the same. `reason` is that of taking
    back and goes to the log; a version has the reason of the result that it repeats.
    Refused: `match_not_void`, `match_without_result`.
    """
    newest, had = _versions(matches)
    made = []
    for match in matches:
        if match.state != Match.State.VOID:
            raise Refused("match_not_void")
        if (before := had.get(match.pk)) is None:
            raise Refused("match_without_result")
        result = _version(match, before, newest[match.pk] + 1, before.kind, by, now, before.reason)
        result.source, result.waived, result.own_match = before.source, before.waived, before.own_match
        made.append(result)
    Result.objects.bulk_create(made, batch_size=BATCH)
    records = [result.submission_id for result in made if result.submission_id is not None]
    Submission.objects.filter(pk__in=records).update(standing=Submission.Standing.STANDS, refusal=None)
    _save(matches, Match.State.SETTLED)
    told = [
        (
            match.topic,
            {
                "winner": result.winner,
                "score": list(result.score) if result.score else None,
                "kind": result.kind,
                "source": result.source,
                "version": result.version,
                "reason": reason,
            },
        )
        for match, result in zip(matches, made, strict=True)
    ]
    log_all(by, "match_reinstated", told, club=club)
    return made


def _versions(matches: Iterable[Match]) -> tuple[dict[int, int], dict[int, Result]]:
    """By match: its newest version, and the newest result that is not void."""
    newest: dict[int, int] = {}
    had: dict[int, Result] = {}
    for result in Result.objects.filter(match__in=list(matches)).order_by("version"):
        newest[result.match_id] = result.version
        if result.kind != Kind.VOID:
            had[result.match_id] = result
    return newest, had


def _version(
    match: Match, like: Result | None, version: int, kind: str, by: Actor, now: datetime, reason: str
) -> Result:
    return Result(
        match=match,
        version=version,
        kind=kind,
        winner=like.winner if like else None,
        score_0=like.score_0 if like else None,
        score_1=like.score_1 if like else None,
        submission_id=like.submission_id if like else None,
        source=Result.Source.DIRECTOR,
        reason=reason,
        by=by.kind,
        user=by.user,
        at=now,
    )


def _close_claims(matches: Sequence[Match], made: Sequence[Result], now: datetime) -> None:
    waiting = Claim.objects.filter(match__in=matches, state__in=[Claim.State.OPEN, Claim.State.CONTESTED])
    claimed = set(waiting.values_list("match", flat=True))
    for match, result in zip(matches, made, strict=True):
        if match.pk in claimed:
            close_claims(match, result, now)


def _save(matches: Sequence[Match], state: str) -> None:
    for match in matches:
        match.seq += 1
        match.state, match.unsettled = state, False
    Match.objects.bulk_update(matches, ["seq", "state", "unsettled"], batch_size=BATCH)
    ratings.mark_all_dirty(matches)
