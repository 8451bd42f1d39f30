"""The steps of an evening, on the pages of its directors."""

from typing import Any

from django import template
from django.template import Context

from clubhouse import steps

register = template.Library()


@register.inclusion_tag("clubhouse/_console_head.html", takes_context=True)
def console_head(
    context: Context, page: str, *, may_direct: bool | None = None, has_floor: bool | None = None
) -> dict[str, Any]:
    """Render the head of a director's page; the context names the event, and the division if one is open.

    `has_floor` is the event's, for a page that knows it.
    """
    tournament = context["tournament"]
    directs = context.get("may_direct", False) if may_direct is None else may_direct
    reader = steps.Reader(may_direct=bool(directs), only_helps=bool(context.get("only_helps")))
    is_open = tournament.has_floor if has_floor is None else has_floor
    shown = steps.head(tournament, context.get("division"), page=page, reader=reader, has_floor=is_open)
    return {"tournament": tournament, **shown._asdict()}


@register.inclusion_tag("clubhouse/_step_facts.html", takes_context=True)
def step_facts(context: Context, page: str) -> dict[str, Any]:
    """Render what the steps in the head of an open page say by now."""
    return console_head(context, page)


@register.inclusion_tag("clubhouse/_after_play.html", takes_context=True)
def after_play(context: Context, page: str = "", *, is_main: bool = True) -> dict[str, Any]:
    """Render the way on after the last match of the event; nothing before that, or if it leads to `page` itself.

    It is the main button, unless the page has another one.
    """
    step = steps.after_play(context["tournament"], may_direct=bool(context.get("may_direct")))
    return {"step": step if step is not None and step.key != page else None, "is_main": is_main}
