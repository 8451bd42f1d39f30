"""The codes with which formats refuse, and their English sentences.

`Refused` is the engine's. Importing this module adds the codes to the engine's messages, so that `Refused.message`
finds them; `tournaments.apps` registers them for translation.
"""

from engine.errors import MESSAGES as ENGINE_MESSAGES
from engine.errors import Refused

FOR_PROGRAMS = {
    "entry_twice": "Entry {entry} is listed twice.",
    "unknown_entry": "Entry {entry} does not take part in this stage.",
    "seed_too_short": "The seed of a draw needs at least {least} bytes; this one has {bytes}.",
    "unknown_bracket": "There is no bracket “{bracket}”.",
    "bad_graph": "The bracket is inconsistent at M{fixture}: {problem}.",
    "unknown_tiebreak": "“{name}” is not a tie-break.",
    "setting_not_used": "The format “{format}” has no setting “{name}”. Leave it out.",
    "no_such_format": "“{name}” is not a format.",
    "stage_count": "A division needs between 1 and {most} stages.",
    "series_facts": "The events cannot be read at {where}: {problem}.",
    "series_object": "The plan cannot be read at {where}: an object is missing.",
    "series_key": "The plan has “{key}” at {where}, which means nothing there. Leave it out.",
    "series_choice": "“{value}” at {where} is not one of these: {choices}.",
    "series_too_deep": "The plan has blocks within blocks more than {most} deep.",
    "series_preset": "There is no preset “{preset}”.",
    "series_final_stages": "The stages of the final must be a list with a rank and a round each.",
}
"""Code -> English template, of what only the API can be asked for; its sentences are not translated."""
MESSAGES: dict[str, str] = {
    **FOR_PROGRAMS,
    # Fields and draws
    "field_too_small": "Too few entries: {entries}. At least {least} are needed.",
    "field_too_large": "Too many entries: {entries}. At most {most} are possible.",
    "no_bye_left": "No bye is left for a late entry.",
    "unknown_fixture": "There is no match M{fixture}.",
    # Lower brackets
    "pattern_empty": "The pattern is empty.",
    "pattern_symbol": "“{symbol}” at position {place} is not allowed in a pattern. Use A to Q, |, ., X and R.",
    "pattern_letter_order": "{letter} cannot follow {before}: letters must be in alphabetical order.",
    "pattern_letter_unknown": "There is no round {letter} in the bracket above; its last round is {last}.",
    "pattern_without_drop": "A pattern begins with a letter, because its first round needs players.",
    "pattern_round_mixed": "Round {round}, “{text}”: | must stand alone. It means a round without new players.",
    "pattern_idle_round": "Round {round} would have no match (players: {entrants}).",
    "pattern_not_one_left": "After the last round {left} players would be left, not one. Add rounds (|) or drop fewer.",
    "pattern_final_early": "X and R must come last in a pattern; look at “{text}”.",
    "pattern_final_misses": "In a double elimination the losers of every main round drop. Missing: {missing}.",
    "last_chance_empty": "Too few players lose in the consolation for a last chance ({losers}); it needs {least}.",
    "pattern_needs_final": "The pattern of a double elimination must end in X, or in R for a second final.",
    # Swiss and lives
    "round_open": "Round {round} still has matches without a result.",
    "rounds_over": "All {rounds} rounds are already paired.",
    "too_few_players": "Too few players are left ({players}); a match needs two.",
    "too_few_without_byes": "Too many players have asked for a bye in round {round}. Players left to pair: {players}.",
    "manual_pair_invalid": "{first} and {second} cannot be paired: {reason}.",
    "no_legal_pairing": "Round {round} cannot be paired without a rematch, a second bye or a pair that is kept apart.",
    "rounds_with_rematches": "With {entries} players, {rounds} rounds need rematches. Most rounds without: {most}.",
    # Round robin and leagues
    "group_count": "There are too few entries ({entries}) for {groups} groups of at least {least} players.",
    "places_field": "From {least} to {most} players.",
    "division_size": "A league division needs {least} to {most} entries; this one has {entries}.",
    "too_many_matches": "A stage can have at most {most} matches; this one would have {matches}.",
    "stage_qualifiers": "Choose how many players qualify from stage {stage}; at least {least} are needed.",
    "switch_needs_knockout": "Stage {stage} has to be a knockout, because a bracket is drawn at a time.",
    "places_after_lives": "{places} places after lives are too many for {entries} players. Choose {most}.",
    "no_places_after_lives": "{places} places after lives are too many for {entries} players. Play to the last match.",
    "starts_later": "Stage {stage} cannot have later starts, because its places follow from the stage before it.",
    # Standings and forecasts
    "tiebreak_needs_one_length": "“Points won minus lost” needs one length for all matches; here they are {lengths}.",
    "bad_length": ENGINE_MESSAGES["bad_length"],
    "no_tables": "At least one table is needed.",
    "bad_setting": "“{value}” is not a valid value for {name}.",
    # Series: facts and plans
    "series_list": "The plan cannot be read at {where}: a list is missing, or is empty or has gaps.",
    "series_text": "“{value}” at {where} is not a name.",
    "series_number": "“{value}” at {where} is not a number such as 2, 0.5 or 1/3.",
    "series_range": "{value} at {where} is out of range: {least} to {most}.",
    "series_line": "At {where} exactly one line is needed, such as points for coming, for wins or for places.",
    "series_too_long": "A plan has at most {most} lines.",
    "series_places": "“{text}” at {where} is not a place such as 3, or places such as 3-4.",
    "series_band_gap": "The bands of the table must cover {number} exactly once.",
    "series_band_overlap": "The bands of the table must cover {number} exactly once.",
    "series_band_order": "Bands must ascend: band {band} ends with {to}, after {before}.",
    "series_band_last": "Band {band} has no upper end, so it must come last.",
    "series_best_and_drop": "Count the best results or drop the worst, not both.",
    "series_final_stage": "“{stage}” is no round in which ranks can start. The rounds are: {choices}.",
    "series_final_order": (
        "List the stages by rank: “{rank}” comes before {first}, and who starts earlier ranks lower."
    ),
    "series_final_full": (
        "Ranks {first} to {last} do not fit into the round “{round}”: {free} places are left in it, and those behind "
        "them need one."
    ),
    "series_final_idle": (
        "Ranks {first} to {last} are too few for the round “{round}”: nobody would play for a place there. Let more "
        "ranks qualify, or let them start later."
    ),
    "series_final_qualifying": (
        "The last ranks cannot play for {places} places: {free} are left in the round in which the ranks before them "
        "start."
    ),
    "series_final_places": "The stages of the final end with rank {last}; the ranks that qualify are {places}.",
    "series_final_byes": (
        "A knockout of {places} players has {fitting} byes in its first round, not {byes}. Leave them out: byes go to "
        "the best ranks by themselves."
    ),
    "series_final_byes_and_stages": (
        "The final has byes or stages, not both: with stages the best ranks start in later rounds."
    ),
    "series_outlook_limits": "What it would take cannot be said where only some results of a month or class count.",
    "series_tie_values": "Name the values that are counted to break ties.",
}
"""Code -> English template with `{parameter}` places."""

ENGINE_MESSAGES.update(MESSAGES)

__all__ = ["MESSAGES", "Refused"]
