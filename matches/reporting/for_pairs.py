"""Who of a pair has said how their match ended, for both."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from matches.models import Claim, Match, Result
from matches.presentation.labels import final_score, score_of, won_score
from players.models import LogEntry, Player
from players.people.rows import canonical, people_of, players_among

REPORTED, WITHDREW, CONFIRMED, CONTESTED, OBJECTED = "reported", "withdrew", "confirmed", "contested", "objected"
ACTS = {
    "claimed": REPORTED,
    "claim_withdrawn": WITHDREW,
    "claim_confirmed": CONFIRMED,
    "dispute_conceded": CONFIRMED,
    "result_final": CONFIRMED,
    "claim_contested": CONTESTED,
    "objected": OBJECTED,
}
"""Verbs of the log by which a side says how its match ended, and what they come to."""


def reporter_in_pair(report: Claim) -> Player | None:
    """Return who of a pair has reported; None for a side of one, and for a report by a record."""
    rows = LogEntry.objects.filter(topic=report.match.topic, verb="claimed", params__claim=report.public_id)
    person = rows.values_list("params__person", flat=True).first()
    return None if person is None else canonical(Player.objects.get(pk=person))


def acts_of_pairs(match: Match, claims: Sequence[Claim], results: Sequence[Result]) -> list[str]:
    """Return, as sentences, who of a pair has said how the match ended, the first act first.

    `claims` and `results` are all of the match. No query for a match of single players.
    """
    pairs = [player.pk for player in match.players if player.parts is not None]
    if not pairs:
        return []
    entries = LogEntry.objects.filter(topic=match.topic, verb__in=ACTS, params__has_key="person").order_by("at", "pk")
    acts = list(entries.values_list("verb", "params"))
    acting = {row.pk: canonical(row) for row in players_among(params["person"] for _verb, params in acts)}
    pair_of: dict[int, int] = {person: pair for pair, couple in people_of(pairs).items() for person in couple}
    names = {player.pk: name for player, name in zip(match.players, match.names, strict=True)}
    scores = _Scores(match, claims, results)
    return [
        _sentence(ACTS[verb], person.shown_name, names[pair_of[person.pk]], scores.of(params))
        for verb, params in acts
        if (person := acting[params["person"]]).pk in pair_of
    ]


class _Scores:
    """The scores that acts are about, the winner's points first."""

    def __init__(self, match: Match, claims: Sequence[Claim], results: Sequence[Result]) -> None:
        self.by_claim = {claim.public_id: won_score(match, claim) for claim in claims}
        self.by_version = {
            result.version: score_of(match, result.winner, score)
            for result in results
            if result.winner is not None and (score := final_score(match, result)) is not None
        }

    def of(self, params: Mapping[str, Any]) -> str:
        """Return the score; empty for an act about a result without one."""
        return self.by_claim.get(params.get("claim", ""), "") or self.by_version.get(params.get("version", 0), "")


def _sentence(act: str, name: str, pair: str, score: str) -> str:
    texts = {
        REPORTED: gettext("{name} reported {score} for {pair}."),
        WITHDREW: gettext("{name} withdrew the report of {score} for {pair}."),
        CONFIRMED: gettext("{name} confirmed {score} for {pair}."),
        CONTESTED: gettext("{name} contested {score} for {pair}."),
        OBJECTED: gettext("{name} objected to the result for {pair}."),
    }
    text = texts[act] if score or act == OBJECTED else gettext("{name} confirmed the result for {pair}.")
    return text.format(name=name, pair=pair, score=score)
