"""Refusals, and the English sentence for each code of a refusal or finding.

A code is stable and comes with parameters. Pages and the API translate the template of a code and fill in the same
parameters; the command line shows it in English.
"""

from collections.abc import Mapping
from typing import Any

FOR_PROGRAMS = {
    "bad_counts": "A position is 26 whole numbers: the checkers on each point, as seen by the player on roll.",
    "too_many_checkers": "A side has {count} checkers; 15 is the most it can have.",
    "wrong_bar_side": "The bars of the two sides are swapped in this position.",
    "bad_position_id": "“{text}” is not a GNU Backgammon position ID.",
    "bad_match_id": "“{text}” is not a GNU Backgammon match ID.",
    "bad_letters": "“{text}” is not a board of 26 letters as in an XGID.",
    "bad_xgid": "“{text}” is not an XGID.",
    "no_checkers_left": "There are no checkers on this board.",
    "two_sides_on_a_point": "Both sides have checkers on point {point}.",
    "bad_score_pair": "A score is two whole numbers, such as (2, 1), not {score}.",
    "cannot_write": "A match cannot be written as “{format}”.",
}
"""Code -> English template, for what only programs can send; no page shows it, so it is not translated."""

MESSAGES: dict[str, str] = {
    # Notation
    "bad_dice": "{dice} is not a roll of two dice with numbers from 1 to 6.",
    "bad_notation": "“{text}” is not a play in backgammon notation.",
    # Plays
    "no_such_move": "Checkers move towards home only: from the bar or a higher point to a lower point, or off.",
    "no_checker": "There is no checker to move on {point}.",
    "bar_first": "A checker on the bar must enter before any other checker moves.",
    "blocked": "From {source}, point {point} is blocked: the opponent has two or more checkers there.",
    "wrong_die": "No die moves a checker from {source} to {target}.",
    "more_than_dice": "This play moves more than the dice allow.",
    "not_all_home": "No checker can be borne off while another is outside the home board.",
    "higher_checker": "This die cannot bear off from {point} while a checker is on a higher point.",
    "must_play": "There is a legal play, so the roll must be played.",
    "must_play_both": "Both dice can be played, so both must be.",
    "must_play_larger": "Only one of the dice can be played, so it must be the larger: {die}.",
    "must_play_more": "As much of a double as possible must be played, here {count} of 4 steps.",
    "ambiguous": "Several ways to make this play hit different checkers, and the record does not say which it was.",
    # Matches
    "bad_length": "The length of a match is 1 to {most} points, not {length}.",
    "bad_score": "A match to {length} cannot be at {left}–{right}.",
    "match_over": "The match is over.",
    "not_your_turn": "It is not your turn.",
    "not_now": "This cannot be done at this stage of the game.",
    "no_flag_fallen": "The opponent has not run out of time.",
    "bad_ruling": (
        "To end a game, choose its winner and award one to three times the cube, or enough points to win the match."
    ),
    "bad_resignation": "Only a single game, a gammon or a backgammon can be resigned.",
    # Live play
    "bad_clock": "A clock needs some time, and none of its values can be negative.",
    "bad_link": "This is not a link of a dice chain.",
    "chain_exhausted": "This dice chain is used up; a new one is needed.",
    # The cube
    "double_before_opening": "Nobody can double before the opening roll.",
    "cube_in_one_point": "A match to one point is played without the cube.",
    "cube_in_crawford": "This is the Crawford game: it is played without the cube.",
    "cube_not_owned": "The opponent owns the cube, so only the opponent may double.",
    "cube_value": "The cube turns to {cube} here, not to {stated}.",
    "dead_cube": "This double gains nothing: the cube is already high enough to win the match.",
    "nothing_to_take": "There is nothing to answer here.",
    "double_unanswered": "The double was neither taken nor dropped.",
    "take_missing": "The take is not recorded, but play went on with the doubled cube.",
    "drop_missing": "The drop is not recorded; the double ended the game.",
    "beaver_in_match": "Beavers are allowed in money play only, not in a match.",
    "cube_set": "The record sets the cube to {cube} instead of recording a double.",
    # Adjudication: plays
    "reordered": "The steps are legal, but not in the order in which they are recorded.",
    "hidden_hit": "This play also hits a checker on its way, which the record does not show.",
    "last_checker_one_die": "The last checker was borne off with one die; strictly, both had to be played.",
    "false_star": "The record marks a hit on {point}, but nothing was hit there.",
    "missing_star": "The hit on {point} is not marked.",
    "stars_absent": "This record does not mark hits with a star; they were worked out from the plays.",
    "opening_double": "A game cannot open with the double {dice}: equal dice are rolled again.",
    "wrong_side": "It was the other player's turn.",
    "roll_missing": "The roll of this turn is missing.",
    "play_missing": "The play of {dice} is missing, so the rest of this game cannot be checked.",
    "play_forced": "The play is not recorded, but only one was possible.",
    "last_play_missing": "The last roll, {dice}, was not played because the game was given up.",
    "illegal_play_stood": "The record marks this play of {dice} as illegal; it stood, and the game went on from there.",
    "followed_from_likeliest": "From here on, the game is checked from the position that best fits the next plays.",
    "position_set": "The record sets up a position that was not reached by play.",
    "play_after_game": "The game was already over.",
    "nothing_to_answer": "There is nothing to answer here.",
    # Adjudication: results
    "length_missing": "The record does not say how many points the match was played to.",
    "no_games": "The record contains no games.",
    "play_after_match": "The match was already won before this game.",
    "too_many_findings": "There are too many problems; the rest of the record was not checked.",
    "jacoby_in_match": "The record says that the Jacoby rule was on, but it applies to money play only.",
    "crawford_already_played": "One side starts one point short of the match. The record fits the rules only if the "
    "Crawford game was played before.",
    "start_score": "The match starts at {left}–{right}.",
    "score_contradicts": "The record starts this game at {stated}, but the games before it add up to {counted}.",
    "not_crawford": "The record marks this as the Crawford game, but it is not.",
    "result_missing": "The result of this game is not recorded.",
    "wrong_winner": "The record gives this game to the player who lost it.",
    "wrong_points": "The points of this game are {stated} in the record, but {counted} by the board and the cube.",
    "points_capped": "The record counts only the {stated} points that were needed, of {counted} won.",
    "match_not_won": "The record says that this game won the match, but it gave {counted} of {needed} points needed.",
    "game_unfinished": "This game has no end, but another game follows.",
    "resignation_implied": "The game stops here with a result (points: {points}), so it was resigned.",
    "resigned_too_much": "The game was resigned for {points} points, more than could still be lost.",
    "match_conceded": "The points of this result ({stated}) mean that the match was conceded or lost on time.",
    "side_never_moved": "One side never moves in this record, so it does not show that the match was played.",
    "impossible_points": "With the cube on {cube} a game cannot be worth {stated} points.",
    # Records
    "file_too_large": "The file is larger than {limit} bytes, far more than a match record needs.",
    "not_text": "The file is not a match record in a supported format: .mat or .txt, SGF, .xg or JSON.",
    "unknown_format": "The file is not a match record in a supported format: .mat or .txt, SGF, .xg or JSON.",
    "is_pdf": "Pictures, PDFs, office documents and web pages cannot be read as a record. Export the match as "
    ".mat or text.",
    "is_image": "Pictures, PDFs, office documents and web pages cannot be read as a record. Export the match as "
    ".mat or text.",
    "is_document": "Pictures, PDFs, office documents and web pages cannot be read as a record. Export the match as "
    ".mat or text.",
    "is_web_page": "Pictures, PDFs, office documents and web pages cannot be read as a record. Export the match as "
    ".mat or text.",
    "is_chess": "This file is of another game, not backgammon.",
    "is_zip": "This is a ZIP archive. Unpack it and send one record at a time.",
    "no_match": "The record contains no games.",
    "too_many_games": "The record is far longer than a match can be.",
    "too_many_plies": "The record is far longer than a match can be.",
    "too_many_values": "The record is far longer than a match can be.",
    "too_many_lines": "The record is far longer than a match can be.",
    "inflates_too_much": "The file is larger than {limit} bytes, far more than a match record needs.",
    "damaged_file": "The file is damaged or incomplete and cannot be unpacked.",
    "other_game": "This file is of another game, not backgammon.",
    "bad_json": "The file is not valid JSON; the error is at line {line}, column {column}.",
    "other_json": "The file is not a match record in a supported format: .mat or .txt, SGF, .xg or JSON.",
    "unknown_version": "The record has version {version}; only version {known} is supported.",
    "bad_field": "In the record, {where} should be {expected}.",
    "several_matches": "The file holds more than one match; only the first was read.",
    "line_too_long": "A line of {characters} characters was skipped; no row of a match is that long.",
    "unreadable_cell": "This could not be understood: “{text}”.",
    "unreadable_line": "This line looks like a play but has no row number, so it was skipped: “{text}”.",
    "unreadable_position": "This could not be understood: “{text}”.",
    "after_result": "This comes after the result of the game: “{text}”.",
    "second_result": "This comes after the result of the game: “{text}”.",
    "names_change": "From here on the players are called “{left}” and “{right}”.",
    "cut_short": "The file ends unexpectedly; the rest is missing.",
    "unknown_fields": "Unknown fields were skipped ({count}); the first is “{first}”.",
    "money_game": "This is a single game that the site records as a match to {length} points: read as a money game "
    "with the Jacoby rule.",
    "settled_game": "The players agreed on a result (points: {points}) instead of finishing this game.",
    "other_variant": "The record is of {name}; only standard backgammon can be checked.",
}
"""Code -> English template with `{parameter}` places, for refusals and findings alike."""

MESSAGES |= FOR_PROGRAMS


class Refused(Exception):
    """Raised for bad input and for what the rules do not allow; nothing has changed.

    `code` is stable and meant for programs; `params` fill the sentence of that code.
    """

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code, params)
        self.code = code
        self.params = params

    @property
    def message(self) -> str:
        """The sentence in English."""
        return sentence(self.code, self.params)

    def __str__(self) -> str:
        return self.message


def sentence(code: str, params: Mapping[str, Any]) -> str:
    """Return the English sentence of a code; the bare code if it is unknown, `?` for a missing parameter.

    Codes and parameters may come from an uploaded record, so they are never used as a template.
    """
    template = MESSAGES.get(code)
    return code if template is None else template.format_map(_Blanks(params))


class _Blanks(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return "?"
