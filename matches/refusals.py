"""Messages and HTTP statuses of refusals about matches, results, reports, records, analyses and play here."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES = {
    # Matches, results, reports and proposed times.
    # A club's rating pools
    "pool_name_taken": gettext_noop("This club already has a rating pool called {name}."),
    "pool_bad_stakes": gettext_noop("Write the stakes as length:points, for example 1:6 3:10 5:14."),
    "no_pool_version": gettext_noop("This pool has no settings with the number {number}."),
    "pairs_unrated": gettext_noop("Pairs and single players are rated apart. Choose other ratings, or none."),
    "pool_of_other_club": gettext_noop("This rating pool does not belong to this club."),
    "club_accepted": gettext_noop("{club} has been accepted already."),
    "import_empty": gettext_noop("There are no rows to import. The first row must name the columns: {columns}."),
    "import_too_long": gettext_noop("An import can have up to {most} rows; this one has {count}."),
    "import_bad_row": gettext_noop("Row {row}: “{value}” is not a valid {column}."),
    "import_unreadable_row": gettext_noop("Row {row} is too long. Is a quotation mark missing?"),
    "import_ambiguous": gettext_noop(
        "Row {row}: several members are called {name}. Use a name that only one of them has."
    ),
    "import_same_player": gettext_noop("Row {row}: {name} cannot play themselves."),
    "import_undone": gettext_noop("This import has already been undone."),
    # Matches
    "match_same_player": gettext_noop("A match needs two different players."),
    "match_settled": gettext_noop("This match already has a result. Only a director can change it."),
    "match_void": gettext_noop("This match was voided, so nothing can be reported for it."),
    "match_live": gettext_noop("This match is being played here, so it cannot be reported."),
    "no_running_scores": gettext_noop("This is only possible in matches at the tables of an event."),
    "no_length_offers": gettext_noop("This is only possible in matches at the tables of an event."),
    "match_not_void": gettext_noop("This match has no voided result that could be reinstated."),
    "match_without_result": gettext_noop("This match has no voided result that could be reinstated."),
    "match_disputed": gettext_noop("The players disagree. The director will decide."),
    # Results
    "result_void": gettext_noop("A result can be replaced by another result but not removed."),
    "result_no_winner": gettext_noop("A match that ends this way has no winner."),
    "result_winner_missing": gettext_noop("Select the winner."),
    "result_score_missing": gettext_noop("Enter the score of the match."),
    "result_below_start": gettext_noop("The match started at {left}–{right}, so the score cannot be lower."),
    "result_too_high": gettext_noop("A score can be at most {most}."),
    "result_both_reached": gettext_noop("Only one player can reach {length} points."),
    "result_not_reached": gettext_noop(
        "A match to {length} ends at {length} points; {left}–{right} is not a final score."
    ),
    "score_above_length": gettext_noop(
        "A score in a match to {length} can be at most {length}. Did you mean {left}–{right}?"
    ),
    "result_loser_leads": gettext_noop("At {left}–{right} the other player wins."),
    "own_match": gettext_noop("You play in this match, so another director or assistant has to decide it."),
    "own_match_reason": gettext_noop("You play in this match. Give a reason; everyone can see it next to the result."),
    # Reports
    "claim_open": gettext_noop("You have already reported a different score. Withdraw that report first."),
    "pairs_at_tables": gettext_noop("A pair plays at a table, not here."),
    "partner_reported": gettext_noop("{name} has reported {score} for you both. Withdraw that first."),
    "report_kept": gettext_noop(
        "The match changed before your report arrived, so the report does not count. It was kept, and the director can "
        "see it."
    ),
    "answered_late": gettext_noop("The report had been decided before this arrived."),
    "length_since": gettext_noop("The match was to {was} points when this was typed; now it is to {now}."),
    "start_since": gettext_noop("The match began at {was} when this was typed; now it begins at {now}."),
    "newer_score": gettext_noop("A newer score or a result was entered before this score arrived."),
    "over_since": gettext_noop("A newer score or a result was entered before this score arrived."),
    "nothing_claimed": gettext_noop("There is no report to answer."),
    "nothing_to_concede": gettext_noop("There is no report to answer."),
    "signed_report_first": gettext_noop(
        "A player has already reported this match, so a report from the score sheet does not count."
    ),
    "too_many_sheet_reports": gettext_noop(
        "Too many scores were reported from this score sheet. Ask the director to enter the result."
    ),
    "sheet_sender_missing": gettext_noop("Say who you are: one of the players or someone else."),
    # Objections
    "nothing_to_object_to": gettext_noop("You can only object to a result that was accepted without your answer."),
    "objection_made": gettext_noop("You have already objected to this result. A director will decide."),
    "link_expired": gettext_noop("This link has expired: the event is over."),
    "objection_late": gettext_noop("The time to object ended at {until}. Ask the director to correct the result."),
    "objection_reason_missing": gettext_noop("Say why the result is wrong."),
    "objection_answered": gettext_noop("This objection has already been answered."),
    "objection_answer_missing": gettext_noop("Give a reason for your decision; both players can see it."),
    "note_too_long": gettext_noop("A note can have up to {most} characters."),
    # Records of a match
    "record_unreadable": gettext_noop("No match could be read from this record."),
    "record_unchecked": gettext_noop("This record is still being checked."),
    "record_of_no_match": gettext_noop("This record was not sent for a match."),
    "record_money": gettext_noop("This is a money session, but the match is to {length} points."),
    "record_length": gettext_noop("The match is to {length} points, the record to {stated}."),
    "record_rejected": gettext_noop("The record was not accepted. Errors found: {count}."),
    "record_incomplete": gettext_noop("The record ends at {left}–{right}, before the end of the match."),
    "record_unmoved": gettext_noop(
        "One side never moves in this record, so it does not show that the match was played."
    ),
    "record_repeats": gettext_noop("The same plays already stand for another match."),
    "record_repeats_match": gettext_noop("The same plays already stand for another match: {match}."),
    "record_start": gettext_noop("The match started at {left}–{right}, the record at {stated}."),
    "record_crawford": gettext_noop("The record and the match use different Crawford rules."),
    "record_names": gettext_noop("The names in this record do not show which player is which."),
    "record_disputed": gettext_noop("The players disagree. The director will decide."),
    "record_withdrawn": gettext_noop("The sender has withdrawn the report."),
    "record_proven": gettext_noop("Another record of this match has already been accepted."),
    "already_uploaded": gettext_noop("Your opponent uploaded it already."),
    "record_differs": gettext_noop(
        "It differs from the record that was accepted, first in game {game} at roll {ply}. Both are kept."
    ),
    "record_contradicts": gettext_noop(
        "The record says {left}–{right}, but the match has a different result. Only a director can change it."
    ),
    "record_replaced": gettext_noop("The result of this record was replaced by another."),
    "findings_not_waived": gettext_noop("Select every problem you want to waive. Missing: {count}."),
    "names_not_asked": gettext_noop("It is already known which player of this record is which."),
    "names_ask_other": gettext_noop("Only the sender of this record can say which player is which."),
    # Proposed times
    "times_missing": gettext_noop("Propose at least one time."),
    "too_many_times": gettext_noop("Propose at most {most} times at once."),
    "time_past": gettext_noop("This time is in the past."),
    "time_far": gettext_noop("Propose times within the next year."),
    "time_after_deadline": gettext_noop("The match must be played before its deadline; this time is later."),
    "time_not_proposed": gettext_noop("Choose one of the proposed times."),
    "bad_time": gettext_noop("“{text}” is not a date and time. Write it like this: 2026-11-27 20:00."),
    "time_skipped": gettext_noop("{text} does not exist in this time zone, because the clocks go forward."),
    "proposal_answered": gettext_noop("These proposed times are no longer open."),
    "proposal_own": gettext_noop("Only the other player can accept your times."),
    "no_appointment": gettext_noop("The players have not agreed on a time yet."),
    "appointment_later": gettext_noop("You can say that you are here from {minutes} minutes before the agreed time."),
    "no_show_by_director": gettext_noop(
        "In this event a director decides what happens if a player does not come. Ask the director."
    ),
    "not_here": gettext_noop("First confirm that you are here yourself."),
    "opponent_is_here": gettext_noop("Your opponent is here, too."),
    "no_show_wait": gettext_noop(
        "Your opponent may still come. You can claim the match {minutes} minutes after the agreed time."
    ),
    "proposal_other": gettext_noop("Only the player who proposed these times can withdraw them."),
    # Records.
    "file_missing": gettext_noop("Choose a file or paste a record."),
    "file_twice": gettext_noop("Send either a file or pasted text, not both."),
    "file_empty": gettext_noop("This record is empty."),
    "record_too_large": gettext_noop("A record can be up to {mebibytes} MiB; this one is larger."),
    "format_not_installed": gettext_noop(
        "This site cannot read {format} files. Save the match as .mat and send that. It reads {formats}."
    ),
    "unreadable_record": gettext_noop("No match could be read from this record."),
    "too_many_uploads": gettext_noop("Too many records in a short time. Please try again in {minutes} min."),
    "too_many_downloads": gettext_noop(
        "Too many large files are being downloaded at the moment. Please try again when one has finished."
    ),
    "adjudication_gave_up": gettext_noop(
        "This record could not be checked: every attempt took too long or failed. "
        "The record is kept, but it has no verdict."
    ),
    "no_transcript": gettext_noop("No match could be read from this record."),
    # Analyses.
    "no_analysis_backend": gettext_noop("No program that analyses matches is installed on this site."),
    "analysis_program_fails": gettext_noop(
        "{program} is installed but does not work: it gave no proper answer about a test position."
    ),
    "analysis_timed_out": gettext_noop("The match could not be analysed: the program took too long or failed."),
    "analysis_unreadable": gettext_noop("The match could not be analysed: the program took too long or failed."),
    "analysis_differs": gettext_noop("The analysis was discarded, since it is not about exactly this match."),
    "analysis_gave_up": gettext_noop("The match could not be analysed: the program took too long or failed."),
    "not_analysable": gettext_noop("This record cannot be analysed, since no game in it has legal plays only."),
    "match_too_long_to_analyse": gettext_noop("Matches of up to {most} points can be analysed."),
    # Matches played here.
    "not_live": gettext_noop("This match is not being played here."),
    "match_begun": gettext_noop("This match has already begun or been decided, so it cannot be opened for play here."),
    "not_played_here": gettext_noop("Matches of this event are played over the board."),
    "not_allowed_here": gettext_noop("Players cannot do this."),
    "no_double_ahead": gettext_noop("There is nothing to decide now."),
    "match_paused": gettext_noop("The match is paused."),
    "not_paused": gettext_noop("The match is not paused."),
    "pause_not_now": gettext_noop("You can pause before your own roll or between games."),
    "no_pause_left": gettext_noop("Each player may pause a match {most} times; yours are used up."),
    "no_vacation_left": gettext_noop("Each player may take {most} days of vacation in a match; this would be more."),
    "already_here": gettext_noop("You have already said so."),
    "already_ready": gettext_noop("You have already said so."),
    "not_ready": gettext_noop("The opening roll comes once both players are ready."),
    "resignation_too_low": gettext_noop("You have already offered as much this turn. You can only offer more."),
    "score_in_mid_game": gettext_noop("Set the score between two games. To do it now, end this game first."),
    "no_clock": gettext_noop("This match has no clock, or its clock does not allow this."),
    "no_chain": gettext_noop("Your dice for this match are not ready yet. Reload the page."),
    "new_chain_too_soon": gettext_noop(
        "Another device of yours has just joined this match. Go on with that one, or try again in a minute."
    ),
    "too_many_armings": gettext_noop(
        "You have changed devices {most} times since your last move. Go on with the one you used last."
    ),
    "chain_number_taken": gettext_noop(
        "Another device of yours has just joined this match. Go on with that one, or try again in a minute."
    ),
    "already_away": gettext_noop("This player is already away."),
    "not_away": gettext_noop("Your opponent is not away, or the match does not wait for them."),
    "not_away_long_enough": gettext_noop("Your opponent may still come back."),
    "chat_not_yours": gettext_noop("You cannot write here."),
    "chat_phrases_only": gettext_noop("Players with no club in common can only use the phrases offered."),
    "chat_phrase_or_text": gettext_noop("Send either a phrase or a text."),
    "bad_ping": gettext_noop("This ping does not belong to your side of this match."),
    "server_chains_off": gettext_noop("In this match, your dice must be kept on your own device."),
    # The lobby.
    "too_many_practice_matches": gettext_noop(
        "You have {most} practice matches that are not finished. Finish or concede one of them first."
    ),
    "guest_match_lost": gettext_noop("This match can no longer be continued. Start a new one."),
    "guest_match_long": gettext_noop("This match has become too long. Create an account to keep it, or start another."),
    "nothing_to_take_back": gettext_noop("You have not decided anything yet that could be taken back."),
    "nothing_to_decide": gettext_noop("There is nothing to decide now."),
    "no_hint": gettext_noop("This is only possible in practice matches."),
    "hint_in_play": gettext_noop("There is no hint for this position now, because people are playing it in a match."),
    "no_take_back": gettext_noop("This is only possible in practice matches."),
    "guest_match_kept": gettext_noop("This match already belongs to another account."),
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
    "challenge_self": gettext_noop("A match needs two different players."),
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
    "review_own": gettext_noop("You play in this match, so another director or assistant has to decide it."),
    "no_rematch": gettext_noop("A rematch is only possible after a friendly match."),
    "block_self": gettext_noop("You cannot block yourself."),
}

_NOT_IN_THIS_MATCH_NOW = (
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
_NOT_IN_THE_LOBBY_NOW = (
    *("too_many_practice_matches", "no_practice_program"),
    *("guest_match_lost", "guest_match_long", "nothing_to_take_back", "no_take_back", "guest_match_kept"),
    *("nothing_to_decide", "no_hint", "hint_in_play"),
    *("too_many_challenges", "challenge_gone", "no_rematch", "open_challenges_paused"),
    *("address_unconfirmed", "open_not_rated", "rating_changed"),
)
_NOT_YOURS = ("review_own", "challenge_own", "challenge_of_others", "challenge_blocked")

STATUS = (
    {
        "link_expired": HTTPStatus.GONE,
        "club_accepted": HTTPStatus.CONFLICT,
        "import_undone": HTTPStatus.CONFLICT,
        "own_match": HTTPStatus.FORBIDDEN,
        "match_settled": HTTPStatus.CONFLICT,
        "match_void": HTTPStatus.CONFLICT,
        "match_live": HTTPStatus.CONFLICT,
        "no_length_offers": HTTPStatus.CONFLICT,
        "no_running_scores": HTTPStatus.CONFLICT,
        "match_not_void": HTTPStatus.CONFLICT,
        "match_without_result": HTTPStatus.CONFLICT,
        "match_disputed": HTTPStatus.CONFLICT,
        "claim_open": HTTPStatus.CONFLICT,
        "partner_reported": HTTPStatus.CONFLICT,
        "report_kept": HTTPStatus.CONFLICT,
        "nothing_claimed": HTTPStatus.CONFLICT,
        "nothing_to_concede": HTTPStatus.CONFLICT,
        "signed_report_first": HTTPStatus.CONFLICT,
        "nothing_to_object_to": HTTPStatus.CONFLICT,
        "objection_made": HTTPStatus.CONFLICT,
        "objection_late": HTTPStatus.CONFLICT,
        "objection_answered": HTTPStatus.CONFLICT,
        "proposal_answered": HTTPStatus.CONFLICT,
        "no_appointment": HTTPStatus.CONFLICT,
        "appointment_later": HTTPStatus.CONFLICT,
        "no_show_by_director": HTTPStatus.CONFLICT,
        "not_here": HTTPStatus.CONFLICT,
        "opponent_is_here": HTTPStatus.CONFLICT,
        "no_show_wait": HTTPStatus.CONFLICT,
        "proposal_own": HTTPStatus.FORBIDDEN,
        "proposal_other": HTTPStatus.FORBIDDEN,
        "record_unchecked": HTTPStatus.CONFLICT,
        "names_not_asked": HTTPStatus.CONFLICT,
        "names_ask_other": HTTPStatus.FORBIDDEN,
        "record_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "too_many_uploads": HTTPStatus.TOO_MANY_REQUESTS,
        "too_many_downloads": HTTPStatus.TOO_MANY_REQUESTS,
        "no_transcript": HTTPStatus.NOT_FOUND,
    }
    | dict.fromkeys(_NOT_IN_THIS_MATCH_NOW, HTTPStatus.CONFLICT)
    | dict.fromkeys(_NOT_IN_THE_LOBBY_NOW, HTTPStatus.CONFLICT)
    | dict.fromkeys(_NOT_YOURS, HTTPStatus.FORBIDDEN)
)
"""HTTP status by code, where it is not 422."""
