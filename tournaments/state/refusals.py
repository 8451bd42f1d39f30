"""What this room refuses, and the English sentence for each reason."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES: dict[str, str] = {
    # Events and divisions
    "name_taken": gettext_noop("There is already one of that name: {name}."),
    "tournament_not_open": gettext_noop("This event is not open."),
    "tournament_not_draft": gettext_noop("This event is already published."),
    "no_division": gettext_noop("An event needs at least one division before it is published."),
    "division_drawn": gettext_noop("The draw is already published, so this can no longer be changed."),
    "division_not_drawn": gettext_noop("The draw of this division is not published yet."),
    "bad_round_lengths": gettext_noop("Match lengths are whole numbers from 1 to {most}, one for each round."),
    "no_league": gettext_noop("No division of this event is a league."),
    "season_not_over": gettext_noop("{division} is not over yet; the next season follows from its final table."),
    # Corrections
    "nothing_to_correct": gettext_noop("M{fixture} has no result that could be corrected."),
    "correction_same": gettext_noop("This is what stands for M{fixture} already."),
    "correction_undone": gettext_noop("This correction has been undone already."),
    "correction_not_last": gettext_noop("M{fixture} was corrected again since; undo the later correction first."),
    "round_paired_since": gettext_noop(
        "Round {round} was paired after this correction, by the lives as corrected. Take that round back first, "
        "or correct M{fixture} again."
    ),
    # Rounds that are paired one by one
    "not_by_rounds": gettext_noop("This division has no stage that is paired round by round."),
    "not_with_lives": gettext_noop("Where lives are counted, byes, pairs and rounds follow from the lives alone."),
    "next_stage_begun": gettext_noop("Stage {stage} has begun; the stage before it can have no more rounds."),
    "rounds_paired": gettext_noop("{rounds} rounds are paired already; there cannot be fewer."),
    "round_paired": gettext_noop("Round {round} is paired already."),
    "no_such_round": gettext_noop("There will be no round {round}."),
    "no_bye_requested": gettext_noop("{name} has not asked to miss round {round}."),
    "choose_a_player": gettext_noop("Choose a player from the list."),
    "pair_not_in_round": gettext_noop("{first} and {second} must both be in this round."),
    "pair_twice": gettext_noop("{first} – {second}: one of them is in another pair, or both are the same player."),
    "pair_not_allowed": gettext_noop("{first} and {second} have met, or are not to meet."),
    # Two who are kept apart
    "pair_is_one": gettext_noop("Choose two different players of this division."),
    "nothing_to_keep_apart": gettext_noop("Nothing is left to be drawn here in which two can be kept apart."),
    "not_kept_apart": gettext_noop("{first} and {second} may meet already."),
    # Entries
    "late_entry_not_possible": gettext_noop("Nobody can come late into this format: {format}."),
    "joining_closed": gettext_noop("Joining was possible until {until}."),
    "late_entry_closed": gettext_noop("It is too late to come in: round {round} is paired."),
    "registration_closed": gettext_noop("Registration is closed."),
    "already_entered": gettext_noop("{name} is already entered."),
    "not_entered": gettext_noop("{name} is not entered."),
    "name_ambiguous": gettext_noop("Several people here are called {name}. Choose one from the list."),
    "name_of_member": gettext_noop("Is {name} the member {member}?"),
    "not_withdrawn": gettext_noop("{name} has not withdrawn."),
    "return_too_late": gettext_noop("{name} cannot come back any more: M{fixture} has begun since."),
    "not_late": gettext_noop("{name} did not come in late, or the late entry has been undone already."),
    "late_entry_begun": gettext_noop("The late entry of {name} can no longer be undone: M{fixture} has begun."),
    "late_entry_of_league": gettext_noop("A late entry into a league cannot be undone. Withdraw {name} instead."),
    "late_entry_not_last": gettext_noop("{name} came in late after this. Undo that late entry first."),
    "both_entered": gettext_noop(
        "{name} and {other} both take part in {division}. Withdraw one of them first, then merge them."
    ),
    "csv_without_names": gettext_noop("This file has no column of names: call it “name”, or put the names first."),
    "csv_not_text": gettext_noop("This file is not text. Save it as CSV in UTF-8 and try again."),
    # The draw
    "event_not_published": gettext_noop(
        "Publish the event first. A draw is made only after its commitment is on the club’s public list."
    ),
    "too_few_entries": gettext_noop("{count} entered; at least two are needed for a draw."),
    "no_countdown": gettext_noop("No draft is about to publish itself."),
    "draw_begun": gettext_noop("The draw can no longer be taken back: M{fixture} has begun or is decided."),
    "round_begun": gettext_noop("The round can no longer be taken back: M{fixture} has begun or is decided."),
    "round_not_last": gettext_noop("Only the round paired last can be taken back; that is not round {round}."),
    "round_is_the_draw": gettext_noop("The first round is the draw of the division. Take back the draw instead."),
    "no_draft": gettext_noop("There is no draft of the draw to publish."),
    "draft_in_work": gettext_noop("The draw is being made."),
    "draft_outdated": gettext_noop("The entries or the scores have changed since this draft was made. Make it again."),
    "reason_needed": gettext_noop("Say why the draw is made again; the published page will show it."),
    # Results
    "fixture_not_ready": gettext_noop("M{fixture} cannot have a result yet: its two players are not known."),
    "successor_begun": gettext_noop("The result of M{fixture} can no longer be replaced: M{successor} has begun."),
    "ruling_needs_reason": gettext_noop("Give the reason of the ruling; both players will see it."),
    "season_past": gettext_noop("The last day of this league, {until}, is over; choose a later one in its format."),
    "deadlines_by_season": gettext_noop(
        "This league is played until {until}, and so is every match of it; there are no deadlines by round."
    ),
    "deadline_not_ahead": gettext_noop("A new deadline lies in the future."),
    "bad_deadline": gettext_noop("“{text}” is not a date and time; write 2026-11-27 20:00."),
    # Confirm all unopposed
    "confirm_disputed": gettext_noop("The players do not agree; this match needs a ruling."),
    "confirm_unsigned": gettext_noop("Nobody signed this report from the score sheet. Confirm it by itself."),
    "confirm_record_waits": gettext_noop("A record of this match is still being checked."),
    "confirm_changed": gettext_noop("This report changed meanwhile; look at it again."),
    # One line
    "line_empty": gettext_noop("Type a result, such as m22 11-7."),
    "quick_line_too_long": gettext_noop("A line may have up to {most} characters."),
    "line_without_match": gettext_noop("“{line}” names no match. Begin with its number: m22 11-7."),
    "line_without_result": gettext_noop(
        "M{fixture} is there, but “{rest}” is no result. Write a score (11-7) or: forfeit and a name."
    ),
    "line_draw": gettext_noop("{left}–{right} is a draw; nobody has won."),
    "line_forfeit_who": gettext_noop("Who gives up M{fixture}? Write the name after “forfeit”, or “both”."),
    "line_forfeit_nobody": gettext_noop("“{name}” is neither {left} nor {right}."),
    "line_forfeit_two": gettext_noop("“{name}” can be {left} and {right}; write more of the name."),
    "line_no_fixture": gettext_noop("There is no M{fixture} in {division}."),
    "line_no_division": gettext_noop("There is no division “{name}” here that is being played."),
    "line_which_division": gettext_noop(
        "M{fixture} is in {first} and in {second}. Write the division first: {example} m{fixture} …"
    ),
    "line_settled": gettext_noop("M{fixture} has a result already: {result}."),
    "line_no_result": gettext_noop("This line is no result. Type one such as m22 11-7."),
    "line_nobody": gettext_noop("Nobody called {name} has a match here."),
    "line_name_ambiguous": gettext_noop(
        "“{name}” can be {first} or {second}. Write more of the name, or the match number."
    ),
    "line_which_match": gettext_noop(
        "{name} has several open matches: M{first} and M{second}. Write the match number instead of the name."
    ),
    "line_again": gettext_noop(
        "M{fixture} of {name} stands with this score already. If M{next} ended so too, write m{next} and the score."
    ),
    "too_many_results": gettext_noop("Enter up to {most} results at once."),
    "nothing_to_undo": gettext_noop("You have entered no result here that could be undone."),
    "undo_built_on": gettext_noop("M{fixture} cannot be undone any more: it was changed, or play has gone on from it."),
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
    "not_entered": HTTPStatus.CONFLICT,
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
    "undo_built_on": HTTPStatus.CONFLICT,
}
"""The HTTP status of a code, where it is not 422."""
