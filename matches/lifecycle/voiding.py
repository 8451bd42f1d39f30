"""Voiding matches, reinstating their results, and the matches that replace them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import Q
from django.urls import reverse

from core.live.publishing import publish_all_on_commit, touch_on_commit
from engine.errors import Refused
from matches.lifecycle.events import events
from matches.lifecycle.finish import close_claims, record_replaced
from matches.lifecycle.locks import matches_topic
from matches.models import Claim, Match, Provisional, Result, Submission
from matches.ratings import services as ratings
from matches.ratings.rated import is_still_rated, measures_play
from players.actors import Actor, log_all
from players.models import Club
from players.people.rows import players_among, touch_users_on_commit

# Voiding matches, and reinstating the results of void matches.
#
# The number of queries does not depend on the number of matches. The caller has locked all of them and settles their
# division: `match_settled` is not sent.


Kind = Result.Kind
BATCH = 500
ACCEPTED = (Submission.Standing.STANDS, Submission.Standing.REPORT)
"""Records that no longer count once their match is void."""


def void_matches(
    rated: Mapping[Match, bool],
    *,
    club: Club | None,
    by: Actor,
    now: datetime,
    reason: str = "",
    own_match: bool = False,
    source: str = Result.Source.DIRECTOR.value,
) -> list[Result]:
    """Void these matches of one club, whether played or not. The matches and their earlier results are kept.

    `rated`: for each match, whether it stays rated; its void version then has the winner, score and record.
    `own_match`: whether directors decide about their own match (`own_match.check_own_match`).
    A match that is void already gets another void version, which may change whether it is rated.
    """
    matches = list(rated)
    versions, played = _versions(matches)
    voids = []
    for match in matches:
        result = played.get(match.pk) if rated[match] else None
        rated_result = result if result is not None and measures_play(result) else None
        void = _next_version(match, rated_result, versions, by, now)
        void.kind, void.reason, void.own_match, void.source = Kind.VOID, reason, own_match, source
        voids.append(void)
    Result.objects.bulk_create(voids, batch_size=BATCH)
    _close_claims(matches, voids, now)
    Submission.objects.filter(match__in=matches, standing__in=ACCEPTED).update(**record_replaced())
    _save(matches, Match.State.VOID, [])
    log_entries = [
        (match.topic, {"version": result.version, "reason": reason, "rated": is_still_rated(match, result)})
        for match, result in zip(matches, voids, strict=True)
    ]
    log_all(by, "match_voided", log_entries, club=club)
    return voids


def reinstate_matches(
    matches: Sequence[Match], *, club: Club | None, by: Actor, now: datetime, reason: str = ""
) -> list[Result]:
    """Reinstate the results that these void matches of one club had, as new versions, with their records.

    `finished_at` does not change, so neither does their order among the rated matches. `reason` is logged; each new
    version has the reason of the result that it repeats.
    Refused: `match_not_void`, `match_without_result`.
    """
    versions, played = _versions(matches)
    results = []
    for match in matches:
        if match.state != Match.State.VOID:
            raise Refused("match_not_void")
        if (before := played.get(match.pk)) is None:
            raise Refused("match_without_result")
        result = _next_version(match, before, versions, by, now)
        result.kind, result.reason, result.source = before.kind, before.reason, before.source
        result.waived, result.own_match = before.waived, before.own_match
        result.finality = before.finality
        results.append(result)
    Result.objects.bulk_create(results, batch_size=BATCH)
    for result in results:
        if result.finality == Result.Finality.PROVISIONAL:
            Provisional.objects.filter(result=played[result.match_id]).update(result=result)
    records = [result.submission_id for result in results if result.submission_id is not None]
    Submission.objects.filter(pk__in=records).update(standing=Submission.Standing.STANDS, refusal=None)
    _save(matches, Match.State.SETTLED, results)
    log_entries = [
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
        for match, result in zip(matches, results, strict=True)
    ]
    log_all(by, "match_reinstated", log_entries, club=club)
    return results


def reopen_match(match: Match, state: str, *, by: Actor, now: datetime) -> None:
    """Let a locked void match that had no result go on in the `state` that it had, with its reports and their records.

    Refused: `match_not_void`.
    """
    if match.state != Match.State.VOID:
        raise Refused("match_not_void")
    void = match.results.order_by("-version")[0]
    closed = list(match.claims.filter(answered_at=void.at).exclude(state=Claim.State.WITHDRAWN))
    for claim in closed:
        is_contested = state == Match.State.DISPUTED and claim.is_signed
        claim.state = Claim.State.CONTESTED if is_contested else Claim.State.OPEN
        claim.answered_at = now if is_contested else None
        claim.save(update_fields=["state", "answered_at"])
    records = Submission.objects.filter(pk__in=[claim.submission_id for claim in closed if claim.submission_id])
    records.filter(**record_replaced()).update(standing=Submission.Standing.REPORT, refusal=None)
    _save([match], state, [])
    log_all(by, "match_reinstated", [(match.topic, {"kind": state})], club=match.club)


def _versions(matches: Iterable[Match]) -> tuple[dict[int, int], dict[int, Result]]:
    """By match: the number of its newest version, and the newest result that is not void."""
    versions: dict[int, int] = {}
    played: dict[int, Result] = {}
    for result in Result.objects.filter(match__in=list(matches)).order_by("version"):
        versions[result.match_id] = result.version
        if result.kind != Kind.VOID:
            played[result.match_id] = result
    return versions, played


def _next_version(
    match: Match, outcome: Result | None, versions: Mapping[int, int], by: Actor, now: datetime
) -> Result:
    """An unsaved version with the winner, score and record of `outcome`, if there is one."""
    return Result(
        match=match,
        version=versions.get(match.pk, 0) + 1,
        winner=outcome.winner if outcome else None,
        score_0=outcome.score_0 if outcome else None,
        score_1=outcome.score_1 if outcome else None,
        submission_id=outcome.submission_id if outcome else None,
        source=Result.Source.DIRECTOR,
        by=by.kind,
        user=by.user,
        at=now,
    )


def _close_claims(matches: Sequence[Match], results: Sequence[Result], now: datetime) -> None:
    waiting = Claim.objects.filter(match__in=matches, state__in=[Claim.State.OPEN, Claim.State.CONTESTED])
    claimed = set(waiting.values_list("match", flat=True))
    for match, result in zip(matches, results, strict=True):
        if match.pk in claimed:
            close_claims(match, result, now)


def _save(matches: Sequence[Match], state: str, results: Iterable[Result]) -> None:
    provisional = {row.match_id for row in results if row.finality == Result.Finality.PROVISIONAL}
    for match in matches:
        match.seq += 1
        match.state, match.provisional = state, match.pk in provisional
        match.unsettled, match.settle_at = False, None
    fields = ["seq", "state", "unsettled", "settle_at", "provisional"]
    Match.objects.bulk_update(matches, fields, batch_size=BATCH)
    publish_all_on_commit((match.topic, match.seq) for match in matches)
    parents = {match.parent_topic for match in matches} - {""}
    touch_on_commit(*(matches_topic(parent) for parent in parents))
    touch_users_on_commit(players_among(pk for match in matches for pk in (match.player_0_id, match.player_1_id)))
    ratings.mark_all_dirty(matches)


# The matches that replaced a void match, so that its printed sheet and its links lead on to them.


def successors_of(match: Match) -> list[tuple[str, str, tuple[str, str]]]:
    """The next match of each player in the same division, as URL, place and names; empty unless this match is void.

    If the two meet again, only that match is returned. The place is empty if it is unknown.
    """
    if match.state != Match.State.VOID or not match.parent_topic:
        return []
    players = (match.player_0_id, match.player_1_id)
    later = list(
        Match.objects.filter(parent_topic=match.parent_topic, pk__gt=match.pk)
        .filter(Q(player_0__in=players) | Q(player_1__in=players))
        .exclude(state=Match.State.VOID)
        .select_related("player_0", "player_1")
        .order_by("pk")
    )
    rematch = next((row for row in later if {row.player_0_id, row.player_1_id} == set(players)), None)
    successors = [rematch] if rematch is not None else _next_of_each(players, later)
    places = events().places([row.pk for row in successors])
    return [(reverse("match", args=[row.public_id]), places.get(row.pk, ""), row.names) for row in successors]


def _next_of_each(players: tuple[int, int], later: list[Match]) -> list[Match]:
    """The first of the later matches of each player, in order."""
    first = {
        next((row.pk for row in later if player in (row.player_0_id, row.player_1_id)), None) for player in players
    }
    return [row for row in later if row.pk in first]
