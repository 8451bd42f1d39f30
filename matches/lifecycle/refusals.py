"""The sentences of what is refused about matches, results, claims, records and proposed times."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES = {
    # A club's rating pools
    "pool_name_taken": gettext_noop("This club already has a rating pool called {name}."),
    "pool_of_other_club": gettext_noop("This rating pool belongs to another club."),
    "import_empty": gettext_noop("There are no rows to import. The first row names the columns: {columns}."),
    "import_too_long": gettext_noop("An import may have up to {most} rows; this one has {count}."),
    "import_bad_row": gettext_noop("Row {row}: “{value}” is not a valid {column}."),
    "import_ambiguous": gettext_noop("Row {row}: several members are called {name}. Use a name that only one has."),
    "import_same_player": gettext_noop("Row {row}: {name} cannot play themselves."),
    "import_undone": gettext_noop("This import has been undone already."),
    # Matches
    "match_same_player": gettext_noop("A match needs two different players."),
    "after_missing": gettext_noop(
        "Say which state of the match this was decided on: its seq as “after”, or its ETag as If-Match."
    ),
    "match_settled": gettext_noop("The result of this match stands already. Only a director can change it."),
    "match_void": gettext_noop("This match was voided; nothing more can be reported for it."),
    "match_live": gettext_noop("This match is being played here; it cannot be reported meanwhile."),
    "match_not_void": gettext_noop("This match was not voided, so there is nothing to take back."),
    "match_without_result": gettext_noop("This match had no result before it was voided, so none can stand again."),
    "match_disputed": gettext_noop("The players do not agree, so this match waits for the director's ruling."),
    # Results
    "result_void": gettext_noop("A result is replaced by another result, never by none."),
    "result_no_winner": gettext_noop("A match that ended so has no winner."),
    "result_winner_missing": gettext_noop("Say who won."),
    "result_score_missing": gettext_noop("A match that was played needs its score."),
    "result_below_start": gettext_noop("The match began at {left}–{right}, so nobody can have fewer points than that."),
    "result_too_high": gettext_noop("A score may be up to {most}."),
    "result_both_reached": gettext_noop("Only one player can have reached {length} points."),
    "result_not_reached": gettext_noop(
        "A match to {length} is won with {length} points; {left}–{right} is not the end."
    ),
    "score_above_length": gettext_noop(
        "A match to {length} is reported with at most {length} points. Did you mean {left}–{right}?"
    ),
    "result_loser_leads": gettext_noop("At {left}–{right} the other player has won."),
    "own_match": gettext_noop("This decides a match that you play in, so another director or assistant has to do it."),
    "own_match_reason": gettext_noop(
        "This decides a match that you play in. Give a reason; it is shown to everybody beside the result."
    ),
    # Claims
    "claim_open": gettext_noop("You have reported another score already. Take that report back first."),
    "nothing_claimed": gettext_noop("There is no report here that waits for an answer."),
    "nothing_to_concede": gettext_noop("There is no other report in dispute here that you could agree to."),
    "signed_report_first": gettext_noop(
        "A player has reported this match already, so a report from the score sheet changes nothing."
    ),
    "too_many_sheet_reports": gettext_noop(
        "Too many scores were reported with this score sheet. Ask the director to enter the result."
    ),
    "sheet_sender_missing": gettext_noop("Say who you are: one of the players, or somebody else."),
    # Objections
    "nothing_to_object_to": gettext_noop("You can object only to a result that came to stand without your answer."),
    "objection_made": gettext_noop("You have objected to this result already. A director decides."),
    "objection_late": gettext_noop("An objection was possible until {until}. Ask the director to correct the result."),
    "objection_reason_missing": gettext_noop("Say why the result is wrong."),
    "objection_answered": gettext_noop("This objection was answered already."),
    "objection_answer_missing": gettext_noop("Give the reason for your decision; both players see it."),
    "note_too_long": gettext_noop("A note may have up to {most} characters."),
    # Records of a match
    "record_unreadable": gettext_noop("Nothing in this record could be read as a match."),
    "record_unchecked": gettext_noop("This record is still being checked."),
    "record_of_no_match": gettext_noop("This record was not sent in for a match."),
    "record_money": gettext_noop("This is a money session; the match goes to {length} points."),
    "record_length": gettext_noop("The match goes to {length} points, the record to {stated}."),
    "record_rejected": gettext_noop("The record was not accepted; errors found in it: {count}."),
    "record_incomplete": gettext_noop("The record ends at {left}–{right}, before the match was over."),
    "record_unmoved": gettext_noop("In this record one side never moves, so it shows no match played."),
    "record_start": gettext_noop("The match began at {left}–{right}, the record at {stated}."),
    "record_crawford": gettext_noop("The record and this match differ in the Crawford rule."),
    "record_names": gettext_noop("The names in this record do not tell which player is which."),
    "record_disputed": gettext_noop(
        "The players do not agree, so the director rules; this record is before him when he does."
    ),
    "record_withdrawn": gettext_noop("Its sender has taken the report back."),
    "record_proven": gettext_noop("Another record of this match was accepted before."),
    "record_contradicts": gettext_noop(
        "The record says {left}–{right}, but another result stands already. Only a director can change it."
    ),
    "record_replaced": gettext_noop("Another result has replaced the one of this record."),
    "findings_not_waived": gettext_noop("A ruling must name every fault that it waives; missing: {count}."),
    "names_not_asked": gettext_noop("It is known already which player of this record is which."),
    "names_ask_other": gettext_noop("Whoever sent this record in is asked which player is which."),
    # Proposed times
    "times_missing": gettext_noop("Propose at least one time."),
    "too_many_times": gettext_noop("Propose at most {most} times at once."),
    "time_past": gettext_noop("This time is in the past."),
    "time_far": gettext_noop("Propose times within the next year."),
    "time_after_deadline": gettext_noop("The match must be played before its deadline; this time is later."),
    "time_not_proposed": gettext_noop("This time was not proposed."),
    "bad_time": gettext_noop("“{text}” is not a date with a time."),
    "time_skipped": gettext_noop("There is no {text} in this time zone: the clocks go forward over it."),
    "proposal_answered": gettext_noop("These times are not open any more."),
    "proposal_own": gettext_noop("The other player accepts one of your times."),
    "proposal_other": gettext_noop("Only the player who proposed these times can take them back."),
}

STATUS = {
    "import_undone": HTTPStatus.CONFLICT,
    "own_match": HTTPStatus.FORBIDDEN,
    "stale": HTTPStatus.CONFLICT,
    "match_settled": HTTPStatus.CONFLICT,
    "match_void": HTTPStatus.CONFLICT,
    "match_live": HTTPStatus.CONFLICT,
    "match_not_void": HTTPStatus.CONFLICT,
    "match_without_result": HTTPStatus.CONFLICT,
    "match_disputed": HTTPStatus.CONFLICT,
    "claim_open": HTTPStatus.CONFLICT,
    "nothing_claimed": HTTPStatus.CONFLICT,
    "nothing_to_concede": HTTPStatus.CONFLICT,
    "signed_report_first": HTTPStatus.CONFLICT,
    "nothing_to_object_to": HTTPStatus.CONFLICT,
    "objection_made": HTTPStatus.CONFLICT,
    "objection_late": HTTPStatus.CONFLICT,
    "objection_answered": HTTPStatus.CONFLICT,
    "proposal_answered": HTTPStatus.CONFLICT,
    "proposal_own": HTTPStatus.FORBIDDEN,
    "proposal_other": HTTPStatus.FORBIDDEN,
    "record_unchecked": HTTPStatus.CONFLICT,
    "names_not_asked": HTTPStatus.CONFLICT,
    "names_ask_other": HTTPStatus.FORBIDDEN,
}
"""The HTTP status of a code, where it is not 422."""
