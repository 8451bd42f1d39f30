"""The sentences of what is refused in matches that are played here."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES = {
    "not_live": gettext_noop("This match is not being played here."),
    "match_begun": gettext_noop("This match has already begun or been decided, so it cannot be opened for play here."),
    "not_played_here": gettext_noop("Matches of this event are played over the board."),
    "not_allowed_here": gettext_noop("Players cannot do this."),
    "match_paused": gettext_noop("The match is paused."),
    "not_paused": gettext_noop("The match is not paused."),
    "pause_not_now": gettext_noop("You can pause before your own roll or between games."),
    "no_pause_left": gettext_noop("Each player may pause a match {most} times; yours are used up."),
    "no_vacation_left": gettext_noop("Each player may take {most} days of vacation in a match; this would be more."),
    "already_here": gettext_noop("You have already said that you are here."),
    "already_ready": gettext_noop("You have already said you are ready."),
    "not_ready": gettext_noop("The opening roll comes once both players are ready."),
    "resignation_too_low": gettext_noop("You have already offered as much this turn. You can only offer more."),
    "score_in_mid_game": gettext_noop("Set the score between two games. To do it now, end this game first."),
    "no_clock": gettext_noop("This match has no clock, or its clock does not allow this."),
    "no_chain": gettext_noop("Your dice for this match are not ready yet. Reload the page."),
    "new_chain_too_soon": gettext_noop(
        "Another new device has just joined this match. This one can join a minute later, or play on with that one."
    ),
    "too_many_armings": gettext_noop(
        "You have changed devices {most} times since your last move. Go on with the one you used last."
    ),
    "chain_number_taken": gettext_noop("Another of your devices has joined at the same moment. Try again."),
    "already_away": gettext_noop("This player is already away."),
    "not_away": gettext_noop("Your opponent is not away, or the match does not wait for them."),
    "not_away_long_enough": gettext_noop("Your opponent may still come back."),
    "chat_not_yours": gettext_noop("You cannot write here."),
    "chat_phrases_only": gettext_noop("Players with no club in common can only use the phrases offered."),
    "chat_phrase_or_text": gettext_noop("Send either a phrase or a text."),
    "bad_ping": gettext_noop("This ping does not belong to your side of this match."),
    "server_chains_off": gettext_noop("In this match, your dice must be kept on your own device."),
}
_NOT_AT_THIS_MOMENT = (
    "not_live",
    "match_begun",
    "not_played_here",
    "match_paused",
    "not_paused",
    "already_here",
    "already_ready",
    "not_ready",
    "new_chain_too_soon",
    "too_many_armings",
    "chain_number_taken",
    "already_away",
    "not_away",
    "not_away_long_enough",
)
STATUS = dict.fromkeys(_NOT_AT_THIS_MOMENT, HTTPStatus.CONFLICT)
"""The HTTP status of a code, where it is not 422."""
