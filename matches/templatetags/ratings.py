"""Template tags of rankings and players."""

from typing import Any

from django import template
from django.template.defaultfilters import floatformat

register = template.Library()


@register.inclusion_tag("matches/rankings/_change.html")
def change(points: float, digits: int = 2) -> dict[str, Any]:
    """Render rating points won or lost, with a sign that screen readers announce."""
    size = floatformat(abs(points), digits)
    return {"up": points >= 0, "size": size}


@register.filter
def signed(points: float) -> str:
    """Rating points with plus or minus: +4.10, −6.48."""
    return f"{'+' if points >= 0 else '−'}{floatformat(abs(points), 2)}"
