"""Which decisions a reader may see judged. Pages, replays, reports, the API and downloads all get them here.

Each player chooses who else sees how well they played (`Player.AnalysisVisibility`). The play of players without an
account is shown to nobody, and a director or the holder of a link sees no more than others. Nothing is shown of a match
that is not over, or that spectators see with a delay that has not ended: not even to its players.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet

from engine.cube import Side
from matches.analysis.arithmetic import Summary, summary
from matches.analysis.selectors import analysis_of_match, analysis_of_record
from matches.lifecycle.spectators import is_behind_for_spectators
from matches.models import Analysis, Decision, Match, Submission
from matches.presentation.visibility import Viewer
from matches.ratings.rated import merged_players
from players.models import Membership, Player

Audience = Player.AnalysisVisibility


@dataclass(frozen=True, slots=True)
class SeenAnalysis:
    """An analysis as one reader may see it; sides are those of the record."""

    analysis: Analysis
    shown: tuple[bool, bool]
    """Whether the reader may see how each side played."""
    decisions: tuple[Decision, ...] = ()
    """Of the sides that are shown, in the order of the record; empty until the analysis is done."""

    @property
    def is_done(self) -> bool:
        """Whether there are decisions to show."""
        return self.analysis.state == Analysis.State.DONE

    @property
    def summary(self) -> Summary:
        """The totals; those of a side that is not shown are empty."""
        return summary(self.decisions)


def players_shown(viewer: Viewer, players: Collection[int]) -> frozenset[int]:
    """Return which of these players (ids) let the viewer see how well they play. At most three queries.

    A merged player stands for the one they were merged into.
    """
    same = merged_players()
    canonical_ids = {player: same.get(player, player) for player in players}
    claimed = Player.objects.filter(pk__in=set(canonical_ids.values()), user__isnull=False, erased_at__isnull=True)
    choices = dict(claimed.order_by().values_list("pk", "analysis_visibility"))
    shown = {player for player, choice in choices.items() if choice == Audience.PUBLIC or player == viewer.player}
    for_clubs = {player for player, choice in choices.items() if choice == Audience.CLUB} - shown
    if for_clubs and viewer.clubs:
        shared = Membership.objects.filter(player__in=for_clubs, club__in=viewer.clubs, left_at__isnull=True)
        shown |= set(shared.order_by().values_list("player", flat=True))
    return frozenset(player for player, canonical_id in canonical_ids.items() if canonical_id in shown)


def is_open_to_analysis(match: Match) -> bool:
    """Whether the match and the delay of its spectators have ended."""
    return match.is_over and not is_behind_for_spectators(match)


def seen_of_match(match: Match, viewer: Viewer) -> SeenAnalysis | None:
    """Return the analysis of an authorised match; None if there is none or nothing may be shown yet."""
    analysis = analysis_of_match(match) if is_open_to_analysis(match) else None
    return _seen(analysis, match, viewer) if analysis is not None else None


def seen_of_live(match: Match, viewer: Viewer) -> SeenAnalysis | None:
    """Return the same for the games that were played here; None as well where a record has replaced their result."""
    seen = seen_of_match(match, viewer)
    return seen if seen is not None and seen.analysis.submission_id is None else None


def seen_of_record(submission: Submission, viewer: Viewer) -> SeenAnalysis | None:
    """Return the analysis of an authorised record; None if there is none or nothing may be shown yet.

    The players of a record that was sent for no match are unknown, and everybody who has its URL sees all of it.
    """
    match = submission.match
    if match is not None and not is_open_to_analysis(match):
        return None
    analysis = analysis_of_record(submission)
    return _seen(analysis, match, viewer) if analysis is not None else None


def seen_from_sender(submission: Submission, viewer: Viewer) -> SeenAnalysis | None:
    """Return the analysis that was part of an authorised record; None if there is none or nothing may be shown yet.

    It is its sender's, so it is never mixed with an analysis made here.
    """
    match = submission.match
    if match is not None and not is_open_to_analysis(match):
        return None
    stored = submission.analyses.filter(origin=Analysis.Origin.SENDER, state=Analysis.State.DONE)
    analysis = stored.order_by("-pk").first()
    return _seen(analysis, match, viewer) if analysis is not None else None


def seen_of_matches(analyses: Iterable[Analysis], viewer: Viewer) -> list[SeenAnalysis]:
    """Return finished analyses of matches that the viewer may see and that are over, with few queries.

    Load them with `select_related("match__live")`. Analyses of which nothing may be shown are left out. Decisions are
    not loaded, since an event may have some ten thousand: `decisions_of` queries them.
    """
    rows = [row for row in analyses if row.match is not None and is_open_to_analysis(row.match)]
    sides = {row.pk: _players(row, row.match) for row in rows if row.match is not None}
    shown_players = players_shown(viewer, {player for pair in sides.values() for player in pair})
    shown = {pk: (left in shown_players, right in shown_players) for pk, (left, right) in sides.items()}
    return [SeenAnalysis(row, shown[row.pk]) for row in rows if any(shown[row.pk])]


def decisions_of(seen: Collection[SeenAnalysis]) -> QuerySet[Decision]:
    """Return the decisions of the shown sides of these analyses, in no order and without candidates."""
    return Decision.objects.filter(_visible(seen)).defer("candidates").order_by()


def side_in_match(analysis: Analysis, side: Side) -> Side:
    """Return the side of the match that a side of the record is, and the reverse."""
    return 1 - side if analysis.swapped else side


def _seen(analysis: Analysis, match: Match | None, viewer: Viewer) -> SeenAnalysis:
    shown = (True, True)
    if match is not None:
        left, right = _players(analysis, match)
        shown_players = players_shown(viewer, {left, right})
        shown = (left in shown_players, right in shown_players)
    seen = SeenAnalysis(analysis, shown)
    if not seen.is_done or not any(shown):
        return seen
    decisions = Decision.objects.filter(_visible([seen])).order_by("game", "event", "pk")
    return replace(seen, decisions=tuple(decisions))


def _players(analysis: Analysis, match: Match) -> tuple[int, int]:
    """The ids of the players by sides of the record."""
    ids = match.player_0_id, match.player_1_id
    return (ids[1], ids[0]) if analysis.swapped else ids


def _visible(seen: Collection[SeenAnalysis]) -> Q:
    """The condition of decisions of the shown sides of done analyses."""
    sides = {(True, True): (0, 1), (True, False): (0,), (False, True): (1,)}
    condition = Q(pk__in=())
    for shown, of_sides in sides.items():
        ids = [row.analysis.pk for row in seen if row.shown == shown and row.is_done]
        if ids:
            condition |= Q(analysis__in=ids, side__in=of_sides)
    return condition
