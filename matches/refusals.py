"""The sentences of what is refused about matches, results, claims, records and proposed times."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES = {
    # Matches
    "match_same_player": gettext_noop("A match needs two different players."),
    "match_settled": gettext_noop("The result of this match stands already. Only a director can change it."),
    "match_void": gettext_noop("This match was voided; nothing more can be reported for it."),
    "match_disputed": gettext_noop("The players do not agree, so this match waits for the director's ruling."),
    # Results
    "result_no_winner": gettext_noop("A match that ended so has no winner."),
    "result_winner_missing": gettext_noop("Say who won."),
    "result_score_missing": gettext_noop("A match that was played needs its score."),
    "result_below_start": gettext_noop("The match began at {left}–{right}, so nobody can have fewer points than that."),
    "result_too_high": gettext_noop("A score may be up to {most}."),
    "result_both_reached": gettext_noop("Only one player can have reached {length} points."),
    "result_not_reached": gettext_noop(
        "A match to {length} is won with {length} points; {left}–{right} is not the end."
    ),
    "result_loser_leads": gettext_noop("At {left}–{right} the other player has won."),
    # Claims
    "claim_open": gettext_noop("Another score is claimed for this side already. Withdraw that claim first."),
    "nothing_claimed": gettext_noop("There is no claim here that waits for an answer."),
    "note_too_long": gettext_noop("A note may have up to {most} characters."),
}

STATUS = {
    "match_settled": HTTPStatus.CONFLICT,
    "match_void": HTTPStatus.CONFLICT,
    "match_disputed": HTTPStatus.CONFLICT,
    "claim_open": HTTPStatus.CONFLICT,
    "nothing_claimed": HTTPStatus.CONFLICT,
}
"""The HTTP status of a code, where it is not 422."""
