"""Corrections as directors see them: previews of another result, and the corrections of an event."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from matches.lifecycle.finish import ResultInput
from matches.models import Match, Result
from matches.presentation.labels import score_of
from tournaments.models import Correction, Division, Fixture, Tournament
from tournaments.prizes.selectors.changes import prize_changes
from tournaments.results.result_origins import is_standing, origins
from tournaments.standings.changes import ChangeLabels, ChangeLine, CollapsedList, collapse
from tournaments.state.names import match_names
from tournaments.state.preview import Choice, Consequences, CorrectionPreview

MOST_NUMBERS = 4
"""Match numbers named in the reason to let a result stand."""


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One of the three choices, with everything that would follow from it."""

    value: str
    title: str
    text: str
    counts: list[str] = field(default_factory=list)
    changes: CollapsedList = field(default_factory=lambda: collapse([]))
    stopped: list[ChangeLine] = field(default_factory=list)
    places: list[tuple[str, CollapsedList]] = field(default_factory=list)
    ratings: CollapsedList = field(default_factory=lambda: collapse([]))
    prizes: CollapsedList = field(default_factory=lambda: collapse([]))


@dataclass(frozen=True, slots=True)
class PreviewView:
    """The preview of a correction as the page shows it."""

    seq: int
    mark: str
    was: str
    becomes: str
    default: str
    why: str
    choices: list[ChoiceView]


def result_text(match: Match, result: ResultInput, names: tuple[str, str]) -> str:
    """Return the score with both names, or the kind of ending and the winner if the match was not played."""
    score = score_of(match, 0, result.score) if result.score is not None else ""
    if score and result.kind == Result.Kind.PLAYED:
        return f"{names[0]} {score} {names[1]}"
    ending = f"{Result.Kind(result.kind).label} {score}".strip()
    winner = _("%(name)s wins") % {"name": names[result.winner]} if result.winner is not None else _("nobody wins")
    return f"{ending}, {winner}"


def preview_view(preview: CorrectionPreview, *, voided_rated: bool = True) -> PreviewView:
    """Return the choices with what follows from each, and which one is preselected."""
    match = preview.fixture.match
    assert match is not None  # noqa: S101, a corrected fixture has a match
    labels = ChangeLabels(preview.fixture.stage.division, voided_rated=voided_rated)
    names = match_names(preview.fixture, staff=True)
    return PreviewView(
        preview.seq,
        preview.mark,
        result_text(match, ResultInput.of(preview.standing), names),
        result_text(match, preview.new, names),
        preview.default.value,
        _reason_to_let_stand(preview.all),
        [
            _choice_view(Choice(choice), following, labels, preview.fixture.stage.division)
            for choice, following in preview.consequences.items()
        ],
    )


def _reason_to_let_stand(following: Consequences) -> str:
    """Explain why letting the result stand is preselected; empty if it is not."""
    undone = [change for change in following.changes if change.undoes_play]
    if not undone:
        return ""
    numbers = ", ".join(f"M{change.row.number}" for change in undone[:MOST_NUMBERS])
    more = len(undone) - MOST_NUMBERS
    if more > 0:
        numbers = _("%(numbers)s and %(more)d more") % {"numbers": numbers, "more": more}
    return _("Later matches have begun (%(numbers)s), so letting the result stand is suggested.") % {"numbers": numbers}


def _choice_view(choice: Choice, following: Consequences, labels: ChangeLabels, division: Division) -> ChoiceView:
    """Return a choice with everything that follows from it."""
    title, text = _titles()[choice]
    changes = [labels.change(change) for change in following.changes]
    ratings = labels.ratings(following)
    prizes = prize_changes(division, following.states)
    return ChoiceView(
        choice.value,
        title,
        text,
        _counts(following, len(ratings), len(prizes)),
        collapse(line for line in changes if not line.stopped),
        [line for line in changes if line.stopped],
        labels.places(following.places),
        collapse(ratings),
        collapse(prizes),
    )


def _titles() -> dict[Choice, tuple[str, str]]:
    return {
        Choice.LET_STAND: (
            _("Let stand"),
            _("Nothing changes. Your review and its reason are logged."),
        ),
        Choice.KEEP_BRACKET: (
            _("Correct, keep the bracket"),
            _("Score, standings and ratings are corrected. Players who have advanced stay where they are."),
        ),
        Choice.CORRECT_ALL: (
            _("Correct all"),
            _("Everything becomes as if this result had been entered in the first place."),
        ),
    }


def _counts(following: Consequences, ratings: int, prizes: int) -> list[str]:
    """Return how many matches, results, places, ratings and prizes would change."""
    changed, voided, stopped = len(following.changes), len(following.voided), len(following.stopped)
    returning, places = len(following.returning), len({change.entry for change in following.places})
    counts = {
        ngettext("%(count)d match changes", "%(count)d matches change", changed): changed,
        ngettext("%(count)d result void", "%(count)d results void", voided): voided,
        ngettext("%(count)d result counts again", "%(count)d results count again", returning): returning,
        ngettext("%(count)d running match stopped", "%(count)d running matches stopped", stopped): stopped,
        ngettext("%(count)d place", "%(count)d places", places): places,
        ngettext("%(count)d rating", "%(count)d ratings", ratings): ratings,
        ngettext("%(count)d prize", "%(count)d prizes", prizes): prizes,
    }
    return [text % {"count": count} for text, count in counts.items() if count]


# Corrections of an event


@dataclass(frozen=True, slots=True)
class CorrectedLine:
    """A correction that was applied."""

    correction: Correction
    names: tuple[str, str]
    was: str
    became: str
    undone: bool
    last: bool
    """Whether its result is the standing one, so that it can be undone."""

    @property
    def may_be_undone(self) -> bool:
        """Whether undoing can be offered; `preview_undo` may still refuse."""
        return self.last and not self.undone


def corrections_of(tournament: Tournament) -> list[CorrectedLine]:
    """Return the corrections of an event, the newest first."""
    return _lines(Correction.objects.filter(fixture__stage__division__tournament=tournament))


def corrections_of_fixture(fixture: Fixture) -> list[CorrectedLine]:
    """Return the corrections of a fixture, the newest first."""
    return _lines(Correction.objects.filter(fixture=fixture))


def _lines(rows: QuerySet[Correction]) -> list[CorrectedLine]:
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
    names = match_names(row.fixture, staff=True, match=match)
    was, became = (result_text(match, ResultInput.of(result), names) for result in (row.before, row.after))
    last = match.state == Match.State.SETTLED and is_standing(row, versions[match.pk])
    return CorrectedLine(row, names, was, became, hasattr(row, "undone_by"), last)
