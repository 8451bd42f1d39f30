"""Whose play a reader may see judged."""

import pytest

from matches.analysis.access import (
    decisions_of,
    players_shown,
    seen_of_live,
    seen_of_match,
    seen_of_matches,
    seen_of_record,
)
from matches.models import Analysis, LiveMatch, Match, Submission
from matches.presentation.visibility import NOBODY, Viewer
from players.actors import SYSTEM
from players.models import Player, User
from players.people.erasure import erase_player
from tests.matches.cast import NOW, player_of

pytestmark = pytest.mark.django_db
Audience = Player.AnalysisVisibility


def choose(player: Player, audience: str) -> None:
    Player.objects.filter(pk=player.pk).update(analysis_visibility=audience)


def shown_to(match: Match, user: User | None) -> tuple[bool, bool]:
    """The sides that each function shows to a reader; they have to agree."""
    viewer = Viewer.of(user) if user is not None else NOBODY
    analyses = Analysis.objects.select_related("match__live", "submission")
    record = analyses.get().submission
    assert record is not None
    of_match, of_record = seen_of_match(match, viewer), seen_of_record(record, viewer)
    assert of_match is not None
    assert of_record is not None
    several = seen_of_matches(analyses, viewer)
    for seen in (of_match, of_record, *several):
        assert seen.shown == of_match.shown
        decisions = seen.decisions if seen not in several else decisions_of([seen])
        assert {decision.side for decision in decisions} == {side for side in (0, 1) if seen.shown[side]}
    assert bool(several) == any(of_match.shown)
    return of_match.shown


@pytest.mark.parametrize(
    ("audience", "readers"),
    [
        (Audience.PUBLIC, {"nobody", "dave", "alice", "carol", "bob"}),
        (Audience.CLUB, {"alice", "carol", "bob"}),
        (Audience.PRIVATE, {"bob"}),
    ],
)
def test_a_player_chooses_who_sees_how_they_played(
    analysis: Analysis, match: Match, bob: User, carol: User, alice: User, dave: User, audience: str, readers: set[str]
) -> None:
    player_of(dave)
    choose(match.player_0, audience)
    choose(match.player_1, Audience.PRIVATE)
    everybody: dict[str, User | None] = {"nobody": None, "dave": dave, "alice": alice, "carol": carol, "bob": bob}
    shown = {name: shown_to(match, user) for name, user in everybody.items()}
    assert {name for name, sides in shown.items() if sides[0]} == readers
    assert {name for name, sides in shown.items() if sides[1]} == {"carol"}


def test_a_site_administrator_sees_no_more_than_others(analysis: Analysis, match: Match, dave: User) -> None:
    User.objects.filter(pk=dave.pk).update(is_superuser=True, is_staff=True)
    dave.refresh_from_db()
    assert shown_to(match, dave) == (False, False)


def test_a_player_without_an_account_is_shown_to_nobody(analysis: Analysis, match: Match, alice: User) -> None:
    for player in match.players:
        choose(player, Audience.PUBLIC)
    Player.objects.filter(pk=match.player_1_id).update(user=None)
    assert shown_to(match, alice) == (True, False)


def test_the_replay_of_play_here_has_no_analysis_of_another_record(analysis: Analysis, match: Match) -> None:
    assert seen_of_match(match, NOBODY) is not None
    assert seen_of_live(match, NOBODY) is None


def test_sides_of_a_swapped_record_belong_to_their_players(analysis: Analysis, match: Match, bob: User) -> None:
    choose(match.player_1, Audience.PRIVATE)
    Analysis.objects.update(swapped=True)
    assert shown_to(match, bob) == (False, True)


@pytest.mark.parametrize("state", [Match.State.OPEN, Match.State.LIVE, Match.State.CLAIMED, Match.State.DISPUTED])
def test_nothing_is_shown_before_the_match_is_over(analysis: Analysis, match: Match, bob: User, state: str) -> None:
    """An adjourned match is open, or live where it is played here."""
    Match.objects.filter(pk=match.pk).update(state=state)
    match.refresh_from_db()
    viewer = Viewer.of(bob)
    record = Submission.objects.get()
    assert seen_of_match(match, viewer) is seen_of_record(record, viewer) is None
    assert seen_of_matches(Analysis.objects.select_related("match__live"), viewer) == []


@pytest.mark.parametrize("delay", [0, 30, None])
def test_a_match_that_spectators_saw_late_stays_hidden_when_it_is_voided(
    analysis: Analysis, match: Match, bob: User, delay: int | None
) -> None:
    LiveMatch.objects.create(match=match, state={}, spectators_delay=delay)
    for state, is_shown in ((Match.State.SETTLED, True), (Match.State.VOID, delay == 0)):
        Match.objects.filter(pk=match.pk).update(state=state)
        again, viewer = Match.objects.get(pk=match.pk), Viewer.of(bob)
        assert (seen_of_match(again, viewer) is not None) is is_shown
        assert (seen_of_record(Submission.objects.get(), viewer) is not None) is is_shown
        assert bool(seen_of_matches(Analysis.objects.select_related("match__live"), viewer)) is is_shown


def test_erasure_hides_how_the_player_did(analysis: Analysis, match: Match, carol: User) -> None:
    for player in match.players:
        choose(player, Audience.PUBLIC)
    assert shown_to(match, carol) == (True, True)
    erase_player(player=match.player_0, by=SYSTEM, now=NOW)
    assert shown_to(match, carol) == (False, True)
    assert not analysis.decisions.filter(side=0).exists()
    assert analysis.decisions.filter(side=1).exists()


def test_a_merged_player_stands_for_the_one_they_were_merged_into(match: Match, bob: User) -> None:
    other = Player.objects.create(name="Robert")
    Player.objects.filter(pk=other.pk).update(merged_into=match.player_0)
    assert players_shown(Viewer.of(bob), {other.pk}) == {other.pk}
    assert players_shown(NOBODY, {other.pk}) == set()
