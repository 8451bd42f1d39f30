"""The codes with which tournaments refuse, their English sentences and HTTP statuses."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES: dict[str, str] = {
    # Events and divisions
    "name_taken": gettext_noop("The name {name} is already taken."),
    "tournament_not_open": gettext_noop("This event is not open."),
    "tournament_not_draft": gettext_noop("This event is already published."),
    "no_division": gettext_noop("An event needs at least one division before it is published."),
    "division_drawn": gettext_noop("This can no longer be changed, because the draw is published."),
    "division_not_drawn": gettext_noop("The draw of this division is not published yet."),
    "bad_round_lengths": gettext_noop("Match lengths are whole numbers from 1 to {most}, one for each round."),
    "kiosk_link_used": gettext_noop("This link was used, is too old or was revoked. Ask the director for a new one."),
    "kiosk_undo_late": gettext_noop("This check-in can no longer be undone here. Ask the director."),
    "too_many_helpers": gettext_noop("An event has at most {most} helpers. Remove one first."),
    "helper_disputed": gettext_noop("The players disagree about M{fixture}, so a director has to decide it."),
    "helper_ruled": gettext_noop("A director decides M{fixture}, so only directors can change its result."),
    "helper_round_over": gettext_noop("The round of M{fixture} is over. Ask a director to correct it."),
    "substitution_too_late": gettext_noop("{name} has begun a match, or has a result. Nobody can take the place now."),
    "no_show_late": gettext_noop("M{fixture} has begun or has a result, so nobody is a no-show."),
    "not_substituted": gettext_noop("Nobody took the place of this entry."),
    "venue_table_twice": gettext_noop("Two tables are called {table}."),
    "no_league": gettext_noop("No division of this event is a league."),
    "season_not_over": gettext_noop("{division} is not over yet; the next season depends on its final table."),
    # Corrections
    "nothing_to_correct": gettext_noop("M{fixture} has no result to correct."),
    "correction_same": gettext_noop("This is already the result of M{fixture}."),
    "correction_undone": gettext_noop("This correction has already been undone."),
    "correction_not_last": gettext_noop("M{fixture} has been corrected again since. Undo the later correction first."),
    "round_paired_since": gettext_noop(
        "Round {round} was paired after this correction, with the corrected lives. Take back that round first, or "
        "correct M{fixture} again."
    ),
    # Rounds that are paired one by one
    "not_by_rounds": gettext_noop("No stage of this division is paired round by round."),
    "not_with_lives": gettext_noop("Byes, pairs and rounds cannot be changed in a format with lives."),
    "next_stage_begun": gettext_noop("No more rounds can be added, because stage {stage} has begun."),
    "rounds_paired": gettext_noop("There cannot be fewer than {rounds} rounds; these are already paired."),
    "round_paired": gettext_noop("Round {round} is already paired."),
    "no_such_round": gettext_noop("There will be no round {round}."),
    "no_bye_requested": gettext_noop("{name} has not requested a bye in round {round}."),
    "choose_a_player": gettext_noop("Choose a player from the list."),
    "pair_not_in_round": gettext_noop("{first} and {second} must both play in this round."),
    "pair_twice": gettext_noop(
        "{first} and {second} cannot be paired: one of them is in another pair, or they are the same player."
    ),
    "pair_not_allowed": gettext_noop("{first} and {second} have already met, or are kept apart."),
    # Two who are kept apart
    "pair_is_one": gettext_noop("Choose two different players of this division."),
    "nothing_to_keep_apart": gettext_noop("Nothing is left to draw in which players could be kept apart."),
    "not_kept_apart": gettext_noop("{first} and {second} are not kept apart."),
    # Entries
    "late_entry_not_possible": gettext_noop("Late entries are not possible in this format: {format}."),
    "joining_closed": gettext_noop("Late entries were possible until {until}."),
    "late_entry_closed": gettext_noop("It is too late to enter: round {round} is already paired."),
    "registration_closed": gettext_noop("Registration is closed."),
    "already_entered": gettext_noop("{name} is already entered."),
    "check_in_changed": gettext_noop("This check-in was changed or undone in the meantime."),
    "check_in_closed": gettext_noop("Check-in is not open now. Ask the director."),
    "link_of_opponent": gettext_noop(
        "You play this player, so another director or assistant has to hand out their personal link."
    ),
    "check_in_not_entered": gettext_noop("You are not entered in this event. Ask the director."),
    "not_entered": gettext_noop("{name} is not entered."),
    "name_ambiguous": gettext_noop("Several players are called {name}. Choose one from the list."),
    "name_of_member": gettext_noop("Is {name} the member {member}?"),
    "not_withdrawn": gettext_noop("{name} has not withdrawn."),
    "return_too_late": gettext_noop("{name} can no longer come back: M{fixture} has begun."),
    "not_late": gettext_noop("{name} is not a late entry, or the late entry has already been undone."),
    "late_entry_begun": gettext_noop("The late entry of {name} can no longer be undone: M{fixture} has begun."),
    "late_entry_of_league": gettext_noop("A late entry in a league cannot be undone. Withdraw {name} instead."),
    "late_entry_not_last": gettext_noop("{name} entered late after this. Undo that late entry first."),
    "reentry_not_offered": gettext_noop("Nobody can enter this division again."),
    "reentry_closed": gettext_noop("It is too late to enter again."),
    "reentry_still_in": gettext_noop("{name} is still in the main bracket."),
    "reentry_without_bye": gettext_noop("No bye is left in which somebody could enter again."),
    "reentry_without_substitute": gettext_noop("A re-entry cannot be taken over by a substitute. Undo it instead."),
    "reentry_in_use": gettext_noop("Somebody has entered again. Set an earlier time to end re-entry."),
    "both_entered": gettext_noop(
        "{name} and {other} both take part in {division}. Withdraw one of them first, then merge them."
    ),
    "csv_without_names": gettext_noop("This file has no column of names. Call it “name”, or put it first."),
    "csv_too_large": gettext_noop("A list of names can be up to {mebibytes} MiB; this file is larger."),
    "csv_not_text": gettext_noop("This file is not text. Save it as CSV in UTF-8 and try again."),
    # The draw
    "event_not_published": gettext_noop(
        "Publish the event first. The draw must be on the club’s public list of commitments before it is made."
    ),
    "too_few_entries": gettext_noop("A draw needs at least two entries; there are {count}."),
    "no_countdown": gettext_noop("No countdown is running."),
    "draw_begun": gettext_noop("The draw can no longer be taken back: M{fixture} has begun or has a result."),
    "round_begun": gettext_noop("The round can no longer be taken back: M{fixture} has begun or has a result."),
    "length_round_begun": gettext_noop("Round {round} has begun, so its match length stays as it is."),
    "round_not_last": gettext_noop("Round {round} cannot be taken back. Only the last round can."),
    "round_is_the_draw": gettext_noop("The first round is the draw of the division. Take back the draw instead."),
    "no_draft": gettext_noop("There is no draft to publish."),
    "draft_in_work": gettext_noop("The draw is being made."),
    "draft_outdated": gettext_noop("Entries or scores have changed since this draft was made. Make a new draft."),
    "reason_needed": gettext_noop("Give a reason for the new draw. It is shown with the published draw."),
    # Results
    "fixture_not_ready": gettext_noop("M{fixture} cannot have a result yet: its two players are not known."),
    "successor_begun": gettext_noop("The result of M{fixture} can no longer be changed: M{successor} has begun."),
    "ruling_needs_reason": gettext_noop("Give a reason for the ruling. Both players will see it."),
    "season_past": gettext_noop("The last day of this league, {until}, is over. Choose a later date in its format."),
    "deadlines_by_season": gettext_noop(
        "All matches of this league can be played until {until}; its rounds have no deadlines."
    ),
    "deadline_not_ahead": gettext_noop("The new deadline must be in the future."),
    "bad_deadline": gettext_noop("“{text}” is not a date and time. Write it like this: 2026-11-27 20:00."),
    # Confirm all unopposed
    "confirm_disputed": gettext_noop("The players’ reports differ; this match needs a ruling."),
    "confirm_unsigned": gettext_noop("Nobody signed this report from the score sheet. Confirm it separately."),
    "confirm_record_waits": gettext_noop("A record of this match is still being checked."),
    "confirm_changed": gettext_noop("This report has changed in the meantime. Check it again."),
    "confirm_objected": gettext_noop("A player objects to this result. Answer the objection first."),
    "confirm_own_last": gettext_noop(
        "You play in this match, and no one else can confirm it. Once you close the results, it is final but not rated."
    ),
    # One line
    "line_empty": gettext_noop("Type a result, such as m22 11-7."),
    "quick_line_too_long": gettext_noop("A line can have up to {most} characters."),
    "line_without_match": gettext_noop("“{line}” names no match. Start with its number: m22 11-7."),
    "line_without_result": gettext_noop(
        "“{rest}” is not a result for M{fixture}. Write a score (11-7), or “forfeit” and a name."
    ),
    "line_draw": gettext_noop("{left}–{right} has no winner."),
    "line_forfeit_who": gettext_noop("Who forfeits M{fixture}? Write the name after “forfeit”, or “both”."),
    "line_forfeit_nobody": gettext_noop("“{name}” is neither {left} nor {right}."),
    "line_forfeit_two": gettext_noop("“{name}” could be {left} or {right}. Write more of the name."),
    "line_no_fixture": gettext_noop("There is no M{fixture} in {division}."),
    "line_no_division": gettext_noop("No division “{name}” is being played here."),
    "line_which_division": gettext_noop(
        "M{fixture} is in {first} and in {second}. Write the division first: {example} m{fixture} …"
    ),
    "line_settled": gettext_noop("M{fixture} already has a result: {result}."),
    "line_no_result": gettext_noop("This line is not a result. Type one such as m22 11-7."),
    "line_nobody": gettext_noop("Nobody called {name} has a match here."),
    "line_name_ambiguous": gettext_noop(
        "“{name}” could be {first} or {second}. Write more of the name, or the match number."
    ),
    "line_which_match": gettext_noop(
        "{name} has several open matches: M{first} and M{second}. Write the match number instead of the name."
    ),
    "line_again": gettext_noop(
        "M{fixture} of {name} already has this score. If M{next} ended the same way, write m{next} and the score."
    ),
    "too_many_results": gettext_noop("Enter up to {most} results at once."),
    "nothing_to_undo": gettext_noop("There is no result of yours to undo."),
    "undo_built_on": gettext_noop("M{fixture} can no longer be undone: it was changed, or a later match has begun."),
    # The installation's owner
    "owner_link_used": gettext_noop(
        "This link has already been used. For a new one, restart Barpoint or run ./manage.py owner_link."
    ),
    "owner_link_expired": gettext_noop(
        "This link has expired. For a new one, restart Barpoint or run ./manage.py owner_link."
    ),
    "demo_in_use": gettext_noop("The demo cannot be removed, because others use it: {names}."),
    "demo_gone": gettext_noop("The demo has been removed in the meantime."),
}
"""Code -> English template with `{parameter}` places."""

STATUS = {
    "tournament_not_open": HTTPStatus.CONFLICT,
    "tournament_not_draft": HTTPStatus.CONFLICT,
    "division_drawn": HTTPStatus.CONFLICT,
    "division_not_drawn": HTTPStatus.CONFLICT,
    "not_by_rounds": HTTPStatus.CONFLICT,
    "not_with_lives": HTTPStatus.CONFLICT,
    "rounds_paired": HTTPStatus.CONFLICT,
    "next_stage_begun": HTTPStatus.CONFLICT,
    "round_paired": HTTPStatus.CONFLICT,
    "round_open": HTTPStatus.CONFLICT,
    "rounds_over": HTTPStatus.CONFLICT,
    "no_bye_requested": HTTPStatus.CONFLICT,
    "nothing_to_keep_apart": HTTPStatus.CONFLICT,
    "not_kept_apart": HTTPStatus.CONFLICT,
    "late_entry_not_possible": HTTPStatus.CONFLICT,
    "late_entry_closed": HTTPStatus.CONFLICT,
    "joining_closed": HTTPStatus.CONFLICT,
    "registration_closed": HTTPStatus.CONFLICT,
    "already_entered": HTTPStatus.CONFLICT,
    "check_in_changed": HTTPStatus.CONFLICT,
    "check_in_closed": HTTPStatus.CONFLICT,
    "check_in_not_entered": HTTPStatus.CONFLICT,
    "not_entered": HTTPStatus.CONFLICT,
    "reentry_not_offered": HTTPStatus.CONFLICT,
    "reentry_closed": HTTPStatus.CONFLICT,
    "reentry_still_in": HTTPStatus.CONFLICT,
    "reentry_without_bye": HTTPStatus.CONFLICT,
    "reentry_without_substitute": HTTPStatus.CONFLICT,
    "reentry_in_use": HTTPStatus.CONFLICT,
    "both_entered": HTTPStatus.CONFLICT,
    "not_withdrawn": HTTPStatus.CONFLICT,
    "return_too_late": HTTPStatus.CONFLICT,
    "not_late": HTTPStatus.CONFLICT,
    "late_entry_begun": HTTPStatus.CONFLICT,
    "late_entry_of_league": HTTPStatus.CONFLICT,
    "late_entry_not_last": HTTPStatus.CONFLICT,
    "event_not_published": HTTPStatus.CONFLICT,
    "no_countdown": HTTPStatus.CONFLICT,
    "draw_begun": HTTPStatus.CONFLICT,
    "round_begun": HTTPStatus.CONFLICT,
    "length_round_begun": HTTPStatus.CONFLICT,
    "round_not_last": HTTPStatus.CONFLICT,
    "round_is_the_draw": HTTPStatus.CONFLICT,
    "no_draft": HTTPStatus.CONFLICT,
    "draft_in_work": HTTPStatus.CONFLICT,
    "draft_outdated": HTTPStatus.CONFLICT,
    "fixture_not_ready": HTTPStatus.CONFLICT,
    "successor_begun": HTTPStatus.CONFLICT,
    "no_league": HTTPStatus.CONFLICT,
    "season_not_over": HTTPStatus.CONFLICT,
    "nothing_to_correct": HTTPStatus.CONFLICT,
    "correction_undone": HTTPStatus.CONFLICT,
    "correction_not_last": HTTPStatus.CONFLICT,
    "round_paired_since": HTTPStatus.CONFLICT,
    "line_settled": HTTPStatus.CONFLICT,
    "line_again": HTTPStatus.CONFLICT,
    "nothing_to_undo": HTTPStatus.CONFLICT,
    "too_many_helpers": HTTPStatus.CONFLICT,
    "link_of_opponent": HTTPStatus.FORBIDDEN,
    "helper_disputed": HTTPStatus.FORBIDDEN,
    "helper_ruled": HTTPStatus.FORBIDDEN,
    "helper_round_over": HTTPStatus.FORBIDDEN,
    "undo_built_on": HTTPStatus.CONFLICT,
    "owner_link_used": HTTPStatus.GONE,
    "owner_link_expired": HTTPStatus.GONE,
    "demo_in_use": HTTPStatus.CONFLICT,
    "demo_gone": HTTPStatus.CONFLICT,
}
"""The HTTP status of a code, where it is not 422."""


# The codes with which the floor refuses, their English sentences and HTTP statuses.


FLOOR_MESSAGES: dict[str, str] = {
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

FLOOR_STATUS = {
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


# The codes with which the cash desk and the prizes refuse.


CASH_MESSAGES: dict[str, str] = {
    "cash_closed": gettext_noop("The cash desk is closed. Reopen it to record payments."),
    "cash_not_closed": gettext_noop("The cash desk is open."),
    "owes_less": gettext_noop("{name} owes {amount} now. Perhaps somebody else has just taken the payment."),
    "refund_too_large": gettext_noop("{name} has paid {amount}. No more than that can be refunded."),
    "note_needed": gettext_noop("Say what the money was spent on."),
    "payment_undone": gettext_noop("This payment has already been taken back."),
    "payment_is_undo": gettext_noop("This line takes a payment back. Record the payment again instead."),
    "amount_needed": gettext_noop("Enter an amount other than 0."),
    "box_changed": gettext_noop("There should be {amount} in the box now. Check the payments and close again."),
    "difference_needs_note": gettext_noop("Say what happened: the box differs by {amount}."),
    "pool_joined": gettext_noop("{name} is already in this side pool."),
    "pool_not_joined": gettext_noop("{name} is not in this side pool."),
    "pool_other_division": gettext_noop("This side pool belongs to another division."),
    "bad_shares": gettext_noop("The shares must make 100 %, with a first prize in the first bracket."),
    "registration_too_large": gettext_noop("The registration share is larger than the entry fee."),
    "prizes_not_published": gettext_noop("Publish the prizes before you pay them out."),
    "nothing_due": gettext_noop("Nothing is due to {name} any more. Perhaps somebody else has just paid it."),
    "due_changed": gettext_noop("{amount} is due to {name} now. Check it and pay again."),
    "split_holders": gettext_noop("A split is between at least two players who hold prizes of the same bracket."),
    "split_sum": gettext_noop("The amounts must make {amount} together."),
    "split_taken_back": gettext_noop("This split has already been taken back."),
    "unpaid_entries": gettext_noop("Not everybody has paid: {names}. The draw waits until they have."),
    "currency_in_use": gettext_noop("The currency can no longer be changed, because payments were recorded in it."),
}
"""Code -> English template with `{parameter}` places."""

CASH_STATUS = dict.fromkeys(
    (
        "cash_closed",
        "cash_not_closed",
        "owes_less",
        "payment_undone",
        "payment_is_undo",
        "box_changed",
        "pool_joined",
        "pool_not_joined",
        "prizes_not_published",
        "nothing_due",
        "due_changed",
        "split_taken_back",
        "unpaid_entries",
        "currency_in_use",
    ),
    HTTPStatus.CONFLICT,
)
"""The HTTP status of a code, where it is not 422."""
