"""How the matches of a division are played here, for the app of matches."""

from matches.lifecycle.play_rules import PlayRules
from tournaments.models import Division

PREFIX = "division:"


def play_rules_of(topic: str) -> PlayRules:
    """The rules of the division with this topic; the default rules for other topics."""
    if not topic.startswith(PREFIX):
        return PlayRules()
    division = Division.objects.filter(public_id=topic.removeprefix(PREFIX)).first()
    return rules_of(division) if division is not None else PlayRules()


def rules_of(division: Division) -> PlayRules:
    """The rules of a division."""
    return PlayRules(
        mode=division.play_mode,
        clock=division.clock,
        overtime_minutes=division.overtime_minutes,
        turn_days=division.turn_days,
        bank_days=division.bank_days,
        flag_rule=division.flag_rule,
        spectators_delay=division.spectators_delay,
        no_show_loses=division.no_show_loses,
        no_show_minutes=division.no_show_minutes,
    )
