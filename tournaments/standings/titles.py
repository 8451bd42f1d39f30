"""Titles of the stages of a division, and the links between them on a page."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from tournaments.formats.settings import ELIMINATION
from tournaments.models import Stage


def stage_title(stage: Stage, *, several: bool) -> str:
    """What a stage is called, with its number where there are others."""
    name = str(stage.get_format_display())
    if not several:
        return name[:1].upper() + name[1:]
    return _("Stage %(number)d: %(format)s") % {"number": stage.number, "format": name}


def jumps(stages: Sequence[Any]) -> list[tuple[str, str, int]]:
    """Where one can jump to in a page of several brackets: each bracket of an elimination, every other stage whole.

    Anchor, title, and how many matches are being played there.
    """
    found: list[tuple[str, str, int]] = []
    for one in stages:
        if one.stage.format in ELIMINATION and one.trees:
            found += [(f"tree-{tree.key}", tree.title, tree.live) for tree in one.trees]
        else:
            found.append(
                (
                    f"stage-{one.stage.number}",
                    stage_title(one.stage, several=True),
                    sum(tree.live for tree in one.trees),
                )
            )
    return found if len(found) > 1 else []
