"""Titles of the stages of a division, and the links between them on a page."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from tournaments.formats.settings import ELIMINATION
from tournaments.models import Stage


def stage_title(stage: Stage, *, several: bool) -> str:
    """Return the title of a stage, numbered if the division has several."""
    name = str(stage.get_format_display())
    if not several:
        return name[:1].upper() + name[1:]
    return _("Stage %(number)d: %(format)s") % {"number": stage.number, "format": name}


def jumps(stages: Sequence[Any]) -> list[tuple[str, str, int]]:
    """Return links within a page of several brackets as (anchor, title, number of matches being played).

    Each bracket of an elimination gets a link; every other stage gets one. Empty if there would be only one.
    """
    links: list[tuple[str, str, int]] = []
    for shown in stages:
        if shown.stage.format in ELIMINATION and shown.trees:
            links += [(f"tree-{tree.key}", tree.title, tree.live) for tree in shown.trees]
        else:
            links.append(
                (
                    f"stage-{shown.stage.number}",
                    stage_title(shown.stage, several=True),
                    sum(tree.live for tree in shown.trees),
                )
            )
    return links if len(links) > 1 else []
