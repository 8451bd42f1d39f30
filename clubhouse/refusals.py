"""The codes of the refusals of pages that compose the others, with their English sentences and HTTP statuses."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES: dict[str, str] = {
    "no_league": gettext_noop("No division of this event is a league."),
    "season_not_over": gettext_noop("{division} is not over yet; the next season depends on its final table."),
    "start_undo_over": gettext_noop("The start can no longer be undone: the minute for that is over."),
    "evening_needs_players": gettext_noop("Tick at least two players under “Names”."),
}

STATUS = {
    "start_undo_over": HTTPStatus.CONFLICT,
    "no_league": HTTPStatus.CONFLICT,
    "season_not_over": HTTPStatus.CONFLICT,
}
