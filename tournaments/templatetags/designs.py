"""The format of a division, in a few words."""

from django import template

from tournaments.models import Division
from tournaments.state.format_labels import stages_name
from tournaments.state.stages import stage_settings

register = template.Library()


@register.simple_tag
def format_of(division: Division) -> str:
    """Describe all stages of a division, such as “4 groups, then knockout”."""
    return stages_name(stage_settings(division))
