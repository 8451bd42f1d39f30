"""Personal links of a match: their URLs, handing them out, and revoking them."""

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext

from core.locks import for_update
from matches.lifecycle.locks import lock_match
from matches.lifecycle.own_match import OwnMatchRuling, own_match_ruling, side_of
from matches.models import Claim, Match, Result
from players.actors import Actor, log
from players.models import Club, LogEntry
from players.people.rows import accounts_of, canonical, persons_among

# Personal links of a match whose director plays it: whoever has the opponent's link could confirm their own report.
#
# While somebody else on the staff can hand it out, the director does not see the opponent's link. Where nobody else
# can, they see it, the log has it, and so does every result that they won and that the link answered.


LINK_SHOWN, LINKS_SHOWN = "opponent_link_shown", "division_links_shown"
"""Verbs of the log: the link of a match, and links for the event of players of a division, or of one `player`."""


def withheld_side(match: Match, by: Actor) -> int | None:
    """Return the side whose personal link this director does not get, or None if they get both."""
    own_side = side_of(match, by)
    if own_side is None or match.is_over or own_match_ruling(match, by) == OwnMatchRuling.NEEDS_REASON:
        return None
    return 1 - own_side


def log_link_shown(*, match: Match, by: Actor) -> None:
    """Log that a director who plays the match got the opponent's link, once for each link."""
    own_side = side_of(match, by)
    if own_side is not None and withheld_side(match, by) is None:
        generation = match.link_generations[1 - own_side]
        _log_once(by, LINK_SHOWN, match.topic, match.club, generation=generation)


def log_links_shown(*, topics: Collection[str], club: Club, by: Actor, player: int | None = None) -> None:
    """Log, once for each of these divisions, that a director who plays there got links for the event.

    The links of all their players, or of one `player`.
    """
    for topic in topics:
        _log_once(by, LINKS_SHOWN, topic, club, player=player)


def _log_once(by: Actor, verb: str, topic: str, club: Club | None, **params: int | None) -> None:
    logged = LogEntry.objects.filter(topic=topic, verb=verb, user=by.user).values_list("params", flat=True)
    if params not in logged:
        log(by, verb, topic, club=club, **params)


def link_notes(match: Match, results: Sequence[Result], claims: Sequence[Claim]) -> dict[int, str]:
    """Return result version -> a remark, if the director who won had got the link that answered for the loser."""
    results_by_link = {result.version: result for result in results if _is_answered_by_link(match, result, claims)}
    if not results_by_link:
        return {}
    entries = LogEntry.objects.filter(
        Q(topic=match.topic, verb=LINK_SHOWN) | Q(topic=match.parent_topic, verb=LINKS_SHOWN), user__isnull=False
    )
    handouts = list(entries.values_list("user", "at", "params"))
    accounts = accounts_of(match.players)
    return {
        version: gettext("{loser} answered by personal link, which {winner} could see as a director.").format(
            loser=match.names[1 - result.winner], winner=match.names[result.winner]
        )
        for version, result in results_by_link.items()
        if result.winner is not None
        for winner, losers in [(match.players[result.winner].pk, persons_among([match.players[1 - result.winner]]))]
        if any(
            user in accounts.get(winner, ()) and at <= result.at and params.get("player") in (None, *losers)
            for user, at, params in handouts
        )
    }


def _is_answered_by_link(match: Match, result: Result, claims: Sequence[Claim]) -> bool:
    """Whether the loser may have answered, reported or played by personal link."""
    if result.winner is None:
        return False
    loser = 1 - result.winner
    reported = any(claim.side == loser and claim.by == LogEntry.By.LINK for claim in claims)
    played = result.source == Result.Source.LIVE and canonical(match.players[loser]).user_id is None
    return result.by == LogEntry.By.LINK or reported or played


@transaction.atomic
def revoke_link(*, match: Match, side: int, generation: int, by: Actor) -> Match:
    """Replace the personal link of a side by a new one; QR codes already printed stop working.

    `generation` names the link to revoke. If it was revoked already nothing changes, so that a second click does not
    end the new link.
    """
    locked = lock_match(match.pk)
    if locked.link_generations[side] == generation:
        name = f"link_generation_{side}"
        setattr(locked, name, generation + 1)
        locked.save(update_fields=[name])
        log(by, "link_revoked", locked.topic, club=locked.club, side=side)
    return locked


@transaction.atomic
def revoke_all_links(*, players: Collection[int], topics: Collection[str] | None = None) -> None:
    """End the personal links of these players, in all matches or those with these parent topics; the caller logs it."""
    matches = Match.objects.filter(Q(player_0__in=players) | Q(player_1__in=players))
    if topics is not None:
        matches = matches.filter(parent_topic__in=topics)
    ids = [match.pk for match in for_update(matches.order_by("pk"))]
    of_matches = Match.objects.filter(pk__in=ids)
    of_matches.filter(player_0__in=players).update(link_generation_0=F("link_generation_0") + 1)
    of_matches.filter(player_1__in=players).update(link_generation_1=F("link_generation_1") + 1)
