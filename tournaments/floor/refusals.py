"""The codes with which the floor refuses, their English sentences and HTTP statuses."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES: dict[str, str] = {
    "not_on_floor": gettext_noop("M{fixture} is not played at the tables of this event."),
    "match_called": gettext_noop("M{fixture} is already called to table {table}."),
    "match_playing": gettext_noop("M{fixture} is already being played."),
    "match_finished": gettext_noop("M{fixture} is reported or decided."),
    "match_held": gettext_noop("M{fixture} is held. Release it first."),
    "not_called": gettext_noop("M{fixture} is not called."),
    "event_paused": gettext_noop("The event is paused. Resume it first."),
    "event_not_paused": gettext_noop("The event is not paused."),
    "pause_not_ahead": gettext_noop("The end of the pause must be in the future."),
    "player_busy": gettext_noop("A player of M{fixture} is still at M{other}."),
    "table_taken": gettext_noop("M{fixture} is at table {table}."),
    "table_free": gettext_noop("No match is at table {table}."),
    "table_out_of_use": gettext_noop("Table {table} is out of use."),
    "no_table_free": gettext_noop("No table is free for M{fixture}."),
    "no_such_table": gettext_noop("There is no table {table}."),
    "table_label_taken": gettext_noop("There is already a table {table}."),
    "too_many_tables": gettext_noop("An event can have up to {most} tables."),
    "running_score_over": gettext_noop(
        "{left}–{right} decides a match to {length} points. Enter it as the result of M{fixture}."
    ),
    "match_adjourned": gettext_noop("M{fixture} is adjourned. Let it go on first."),
    "not_adjourned": gettext_noop("M{fixture} is not adjourned."),
    "not_playing": gettext_noop("M{fixture} is not being played."),
    "not_shorter": gettext_noop("M{fixture} is to {length} points. A shorter length is from {least} to {most}."),
    "cannot_shorten": gettext_noop("M{fixture} stands {left}–{right} to {length} points, so it cannot be shortened."),
    "match_level": gettext_noop("M{fixture} stands {left}–{right}, so nobody leads."),
    "running_score_changed": gettext_noop("M{fixture} stands {left}–{right} now. Look at it again."),
    "length_changed_since": gettext_noop("The length of M{fixture} was changed since."),
    "players_may_not_offer": gettext_noop(
        "Ask the director: players can offer to shorten M{fixture} once the event should be over, if it then shortens "
        "matches."
    ),
    "too_many_offers": gettext_noop("Too many lengths were offered for this match. Ask the director."),
    "offer_gone": gettext_noop("This length is not on offer any more. Look at M{fixture} again."),
    "too_many_scores": gettext_noop("Too many scores of this match were entered. Tell the director how it stands."),
    "running_score_replaced": gettext_noop("Another running score was entered since."),
    "directors_only": gettext_noop("Only directors of this event can do this."),
    "not_in_match": gettext_noop("This player is not in M{fixture}."),
    "nothing_to_undo_on_floor": gettext_noop("There is nothing of yours to undo on the floor."),
    "not_last_on_floor": gettext_noop(
        "This was not undone: you have done something else on the floor since. Undo that first."
    ),
    "floor_built_on": gettext_noop("This can no longer be undone: more has happened at the match or table since."),
}
"""Code -> English template with `{parameter}` places."""

STATUS = {
    "directors_only": HTTPStatus.FORBIDDEN,
    "not_on_floor": HTTPStatus.CONFLICT,
    "match_called": HTTPStatus.CONFLICT,
    "match_playing": HTTPStatus.CONFLICT,
    "match_finished": HTTPStatus.CONFLICT,
    "match_held": HTTPStatus.CONFLICT,
    "not_called": HTTPStatus.CONFLICT,
    "event_paused": HTTPStatus.CONFLICT,
    "event_not_paused": HTTPStatus.CONFLICT,
    "player_busy": HTTPStatus.CONFLICT,
    "table_taken": HTTPStatus.CONFLICT,
    "table_free": HTTPStatus.CONFLICT,
    "table_out_of_use": HTTPStatus.CONFLICT,
    "no_table_free": HTTPStatus.CONFLICT,
    "table_label_taken": HTTPStatus.CONFLICT,
    "nothing_to_undo_on_floor": HTTPStatus.CONFLICT,
    "not_last_on_floor": HTTPStatus.CONFLICT,
    "floor_built_on": HTTPStatus.CONFLICT,
    "match_adjourned": HTTPStatus.CONFLICT,
    "not_adjourned": HTTPStatus.CONFLICT,
    "not_playing": HTTPStatus.CONFLICT,
    "cannot_shorten": HTTPStatus.CONFLICT,
    "match_level": HTTPStatus.CONFLICT,
    "running_score_changed": HTTPStatus.CONFLICT,
    "length_changed_since": HTTPStatus.CONFLICT,
    "players_may_not_offer": HTTPStatus.CONFLICT,
    "too_many_offers": HTTPStatus.CONFLICT,
    "offer_gone": HTTPStatus.CONFLICT,
    "too_many_scores": HTTPStatus.CONFLICT,
    "running_score_replaced": HTTPStatus.CONFLICT,
}
"""The HTTP status of a code, where it is not 422."""
