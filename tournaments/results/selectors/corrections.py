"""Corrections as directors see them: what would follow from another result, in words, and what was corrected."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matches.models import Match, Result
from matches.presentation.labels import score_of
from tournaments.models import Correction, Fixture, Tournament
from tournaments.results.result_origins import origins, stands
from tournaments.standings.changes import ChangeLabels, ChangeLine, Cut, cut
from tournaments.state.names import shown
from tournaments.state.preview import Choice, Consequences, CorrectionPreview


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One of the three choices and all it leads to."""

    value: str
    title: str
    text: str
    counts: list[str] = field(default_factory=list)
    changes: Cut = field(default_factory=lambda: cut([]))
    stopped: list[ChangeLine] = field(default_factory=list)
    places: list[tuple[str, Cut]] = field(default_factory=list)
    ratings: Cut = field(default_factory=lambda: cut([]))


@dataclass(frozen=True, slots=True)
class PreviewView:
    """A correction before it is applied, as the page shows it."""

    seq: int
    mark: str
    was: str
    becomes: str
    default: str
    why: str
    choices: list[ChoiceView]


def result_words(
    match: Match, winner: int | None, score: tuple[int, int] | None, kind: str, names: tuple[str, str]
) -> str:
    """A result in a few words."""
    label = str(Result.Kind(kind).label)
    if score is not None and kind == Result.Kind.PLAYED:
        return f"{names[0]} {score_of(match, 0, score)} {names[1]}"
    words = [label if score is None else f"{label} {score_of(match, 0, score)}"]
    words.append(_("%(name)s wins") % {"name": names[winner]} if winner is not None else _("nobody wins"))
    return ", ".join(words)


def preview_view(preview: CorrectionPreview, *, voided_rated: bool = True) -> PreviewView:
    """The choices with what each leads to, and the one that is offered."""
    match = preview.fixture.match
    assert match is not None  # noqa: S101, what is corrected has been played
    labels = ChangeLabels(preview.fixture.stage.division, voided_rated=voided_rated)
    names = (shown(match.player_0, True), shown(match.player_1, True))
    before, new = preview.standing, preview.new
    return PreviewView(
        preview.seq,
        preview.mark,
        result_words(match, before.winner, before.score, before.kind, names),
        result_words(match, new.winner, new.score, new.kind, names),
        preview.default.value,
        _why(preview.all),
        [_choice_view(Choice(choice), following, labels) for choice, following in preview.consequences.items()],
    )


def _why(following: Consequences) -> str:
    """Why to let stand is offered first, where it is."""
    undone = [change for change in following.changes if change.undoes_play]
    if not undone:
        return ""
    numbers = ", ".join(f"M{change.row.number}" for change in undone[:4])
    more = len(undone) - 4
    if more > 0:
        numbers = _("%(numbers)s and %(more)d more") % {"numbers": numbers, "more": more}
    return _("Later matches have begun (%(numbers)s), so letting the result stand is suggested.") % {"numbers": numbers}


def _choice_view(choice: Choice, following: Consequences, labels: ChangeLabels) -> ChoiceView:
    """One of the three choices, with what it leads to."""
    title, text = _titles()[choice]
    changes = [labels.change(change) for change in following.changes]
    ratings = labels.ratings(following)
    return ChoiceView(
        choice.value,
        title,
        text,
        _counts(following, len(ratings)),
        cut(line for line in changes if not line.stopped),
        [line for line in changes if line.stopped],
        labels.places(following.places),
        cut(ratings),
    )


def _titles() -> dict[Choice, tuple[str, str]]:
    return {
        Choice.LET_STAND: (
            _("Let stand"),
            _("Nothing changes. The log notes your review and the reason."),
        ),
        Choice.KEEP_BRACKET: (
            _("Correct, keep the bracket"),
            _("Score, standings and ratings are corrected. Players who have advanced stay where they are."),
        ),
        Choice.CORRECT_ALL: (
            _("Correct all"),
            _("Everything is as if this result had been entered in the first place."),
        ),
    }


def _counts(following: Consequences, ratings: int) -> list[str]:
    """How much would follow, in a few words."""
    changed, voided, stopped = len(following.changes), len(following.voided), len(following.stopped)
    returning, places = len(following.returning), len({change.entry for change in following.places})
    counts = {
        ngettext("%(count)d match changes", "%(count)d matches change", changed): changed,
        ngettext("%(count)d result void", "%(count)d results void", voided): voided,
        ngettext("%(count)d result counts again", "%(count)d results count again", returning): returning,
        ngettext("%(count)d running match stopped", "%(count)d running matches stopped", stopped): stopped,
        ngettext("%(count)d place", "%(count)d places", places): places,
        ngettext("%(count)d rating", "%(count)d ratings", ratings): ratings,
    }
    return [text % {"count": count} for text, count in counts.items() if count]


# What was corrected


@dataclass(frozen=True, slots=True)
class CorrectedLine:
    """A correction that was applied."""

    correction: Correction
    names: tuple[str, str]
    was: str
    became: str
    undone: bool
    last: bool
    """Whether it is what stands, so that it can be undone."""

    @property
    def may_be_undone(self) -> bool:
        """As far as can be told without looking at what follows."""
        return self.last and not self.undone


def corrections_of(tournament: Tournament) -> list[CorrectedLine]:
    """Those of an event, the newest first."""
    return _lines(Correction.objects.filter(fixture__stage__division__tournament=tournament))


def corrections_of_fixture(fixture: Fixture) -> list[CorrectedLine]:
    """Those of a fixture, the newest first."""
    return _lines(Correction.objects.filter(fixture=fixture))


def _lines(rows: Any) -> list[CorrectedLine]:
    corrections = list(
        rows.select_related(
            "fixture__stage__division",
            "before__match__player_0",
            "before__match__player_1",
            "after",
            "by",
            "undone_by",
        ).order_by("-at", "-pk")
    )
    versions = origins([row.before.match_id for row in corrections])
    return [_line(row, versions) for row in corrections]


def _line(row: Correction, versions: Mapping[int, dict[int, int]]) -> CorrectedLine:
    match = row.before.match
    names = (shown(match.player_0, True), shown(match.player_1, True))
    was, became = (
        result_words(match, result.winner, result.score, result.kind, names) for result in (row.before, row.after)
    )
    last = match.state == Match.State.SETTLED and stands(row, versions[match.pk])
    return CorrectedLine(row, names, was, became, hasattr(row, "undone_by"), last)
