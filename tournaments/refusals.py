"""What this room refuses, and the English sentence for each reason."""

MESSAGES: dict[str, str] = {
    "stale": "Somebody else has changed this meanwhile. Look again, then repeat what you wanted.",
    "name_taken": "There is already one of that name: {name}.",
    "tournament_not_open": "This event is not open.",
    "tournament_not_draft": "This event is already published.",
    "no_division": "An event needs at least one division before it is published.",
    "division_drawn": "The draw is already published, so this can no longer be changed.",
    "division_not_drawn": "The draw of this division is not published yet.",
    "registration_closed": "Registration is closed.",
    "already_entered": "{name} is already entered.",
    "not_entered": "{name} is not entered.",
    "too_few_entries": "{count} entered; at least two are needed for a draw.",
    "no_draft": "There is no draft of the draw to publish.",
    "draft_in_work": "The draw is being made.",
    "draft_outdated": "The entries have changed since this draft was drawn. Draw again.",
    "reason_needed": "Say why the draw is made again; the published page will show it.",
    "fixture_not_ready": "M{fixture} cannot have a result yet: its two players are not known.",
    "successor_begun": "The result of M{fixture} can no longer be replaced: M{successor} has begun.",
    "bad_round_lengths": "Match lengths are whole numbers from 1 to {most}, one for each round.",
    "bad_time_zone": "“{name}” is not a time zone.",
}
"""Code -> English template with `{parameter}` places."""
