"""The sentences of what is refused in the lobby."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES = {
    "too_many_practice_matches": gettext_noop(
        "You have {most} practice matches that are not finished. Finish or concede one of them first."
    ),
    "no_practice_program": gettext_noop("Levels are not available on this site. Choose a bot instead."),
    "too_many_challenges": gettext_noop("You can have {most} open challenges. Withdraw one of them first."),
    "bad_days": gettext_noop("A turn can last from 1 to {most} days."),
    "open_challenges_paused": gettext_noop(
        "You accepted {most} friendly matches and left before playing. Open challenges are closed to you for {minutes} "
        "more minutes."
    ),
    "challenge_gone": gettext_noop("This challenge is no longer open."),
    "challenge_own": gettext_noop("This is your own challenge. Somebody else has to accept it."),
    "challenge_of_others": gettext_noop("This challenge is between other players."),
    "challenge_self": gettext_noop("You cannot challenge yourself."),
    "challenge_of_bot": gettext_noop("This is a bot. Play a practice match against it."),
    "challenge_blocked": gettext_noop("Friendly matches between you and this player are blocked."),
    "opponent_without_account": gettext_noop("{name} has no account, so they could not accept."),
    "address_unconfirmed": gettext_noop("Confirm your email address first: only then can a friendly match be rated."),
    "open_not_rated": gettext_noop(
        "This challenge is rated, and a match between you two would not be. Challenge this player by name instead."
    ),
    "rating_changed": gettext_noop(
        "The lobby now says something else about whether this match is rated. Read it, then accept."
    ),
    "review_own": gettext_noop("You play in this match. Another officer of the club decides about it."),
    "no_rematch": gettext_noop("A rematch is only possible after a friendly match."),
    "block_self": gettext_noop("You cannot block yourself."),
}
_NOT_AT_THIS_MOMENT = (
    *("too_many_practice_matches", "no_practice_program"),
    *("too_many_challenges", "challenge_gone", "no_rematch", "open_challenges_paused"),
    *("address_unconfirmed", "open_not_rated", "rating_changed"),
)
_NOT_YOURS = ("review_own", "challenge_own", "challenge_of_others", "challenge_blocked")
STATUS = dict.fromkeys(_NOT_AT_THIS_MOMENT, HTTPStatus.CONFLICT) | dict.fromkeys(_NOT_YOURS, HTTPStatus.FORBIDDEN)
"""The HTTP status of a code, where it is not 422."""
