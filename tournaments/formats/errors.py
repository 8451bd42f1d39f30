"""What a format refuses, and the English sentence for each reason.

The class is the engine's; the codes are this room's. They join the engine's table when this module is
imported, so that `Refused.message` finds them and a shell translates one table only.
"""

from engine.errors import MESSAGES as ENGINE_MESSAGES
from engine.errors import Refused

MESSAGES: dict[str, str] = {
    # Fields and draws
    "field_too_small": "A field of {entries} is too small; {least} is the least.",
    "field_too_large": "A field of {entries} is too large; {most} is the most.",
    "entry_twice": "Entry {entry} is in the field twice.",
    "unknown_entry": "Entry {entry} is not in this field.",
    "seed_too_short": "A draw's seed has at least {least} bytes; this one has {bytes}.",
    "no_bye_left": "No bye is left that a late entrant could take.",
    "unknown_fixture": "There is no fixture M{fixture}.",
    "unknown_bracket": "There is no bracket “{bracket}”.",
    "bad_graph": "The bracket is not sound: M{fixture}, {problem}.",
    # Lower brackets
    "pattern_empty": "The pattern is empty.",
    "pattern_symbol": "“{symbol}” at place {place} is not part of a pattern: letters A to Q, |, ., X and R.",
    "pattern_letter_order": "{letter} is out of order: it cannot follow {before}.",
    "pattern_letter_unknown": "{letter} names a round that the feeding bracket does not have; its last is {last}.",
    "pattern_without_drop": "The first round of a pattern must have entrants, so it begins with a letter.",
    "pattern_round_mixed": "Round {round} “{text}”: | stands alone, for a round without new entrants.",
    "pattern_idle_round": "Round {round} would have {entrants} entrant(s) and no match.",
    "pattern_not_one_left": "After the last round {left} are left; one must be. Add rounds (|), or drop fewer.",
    "pattern_final_early": "X and R come last; “{text}” follows them.",
    "pattern_final_misses": "A second chance for all needs every main round; {missing} never drop(s).",
    "last_chance_empty": "A last chance needs {least} who lose in the consolation; here it would have {losers}.",
    "pattern_needs_final": "The pattern of a double elimination ends in X, or in R for a second final.",
    # Swiss and lives
    "round_open": "Round {round} still has matches without a result.",
    "rounds_over": "All {rounds} rounds are paired.",
    "too_few_players": "Players left: {players}. Two are needed for a match.",
    "too_few_without_byes": "Too many have asked to miss round {round}; players left to pair: {players}.",
    "manual_pair_invalid": "{first} and {second} cannot be fixed as a pair: {reason}.",
    "no_legal_pairing": "Every pairing of round {round} needs a rematch, a second bye, or two who are kept apart.",
    # Round robin and leagues
    "group_count": "{groups} group(s) of at least {least} cannot be made of {entries} entries.",
    "division_size": "A league division has {least} to {most} entries; this one has {entries}.",
    "too_many_matches": "{matches} matches are too many for one stage; {most} is the most.",
    "stage_count": "A division has 1 to {most} stages.",
    "stage_qualifiers": "Say how many go on from stage {stage}; {least} is the least.",
    # Standings and forecasts
    "unknown_tiebreak": "“{name}” is not a tie-break.",
    "tiebreak_needs_one_length": "Points won minus lost needs one match length for all; here are {lengths}.",
    "bad_length": "The length of a match is 1 to {most} points, not {length}.",
    "no_tables": "At least one table is needed.",
    "no_such_format": "“{name}” is not a format.",
    "bad_setting": "{name} cannot be {value}.",
    "setting_not_used": "The setting “{name}” means nothing for the format “{format}”; leave it out.",
}
"""Code -> English template with `{parameter}` places."""

ENGINE_MESSAGES.update(MESSAGES)

__all__ = ["MESSAGES", "Refused"]
