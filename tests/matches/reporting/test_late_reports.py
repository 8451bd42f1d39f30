"""Bob typed a report without a connection; it arrives later."""

from typing import Any

import pytest
from django.test import Client

from engine.errors import Refused
from matches.lifecycle import links
from matches.lifecycle.begun import derive_begun
from matches.lifecycle.finish import standing_result
from matches.models import Claim, Match
from matches.reporting import reports
from matches.reporting.reports import report_late
from players.actors import Actor
from players.models import LogEntry, Player, User
from tests.matches.cast import BOB, CAROL, match_between, minutes
from tests.pages import html

pytestmark = pytest.mark.django_db


def arrive(match: Match, *, after: int, key: str = "page-1", score: tuple[int, int] = (7, 5), at: float = 30) -> Claim:
    """Bob's report arrives; he typed it on a page that showed the match at `after`."""
    winner = 0 if score[0] > score[1] else 1
    report = reports.ScoreReport(winner, score)
    return report_late(
        match=match, side=BOB, report=report, by=Actor.link(BOB), now=minutes(at), after=after, key=key
    ).report


def test_a_report_counts_from_its_arrival_and_once(match: Match) -> None:
    first = arrive(match, after=match.seq, score=(5, 7))
    assert (first.created_at, first.state) == (minutes(30), Claim.State.OPEN)
    assert first.stands_at == minutes(32), "he can withdraw it for two minutes from its arrival"
    assert arrive(match, after=0, score=(5, 7), at=31) == first, "the same key again"
    assert Claim.objects.count() == 1


def test_a_report_that_comes_too_late_is_kept_as_evidence(match: Match) -> None:
    opened = match.seq
    carol_won = reports.ScoreReport(CAROL, (3, 7))
    reports.report_score(match=match, side=CAROL, report=carol_won, by=Actor.link(CAROL), now=minutes(1))
    for at in (30, 31):
        with pytest.raises(Refused) as refused:
            arrive(match, after=opened, at=at)
        assert refused.value.code == "report_kept"
    late = Claim.objects.get(state=Claim.State.LATE)
    assert (late.score, late.side, late.created_at) == ((7, 5), BOB, minutes(30))
    match.refresh_from_db()
    assert (match.state, standing_result(match)) == (Match.State.CLAIMED, None), "no dispute"
    assert match.begun_at == minutes(1)
    assert LogEntry.objects.filter(verb="late_report_kept").count() == 1


def test_a_late_report_does_not_begin_a_match(match: Match) -> None:
    Match.objects.update(seq=5)
    with pytest.raises(Refused):
        arrive(match, after=4)
    match.refresh_from_db()
    derive_begun(match)
    assert match.begun_at is None


def test_what_can_never_count_is_not_kept(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    Match.objects.update(seq=5)
    with pytest.raises(Refused) as refused:
        arrive(match, after=4, score=(3, 2))
    assert refused.value.code == "result_not_reached"
    monkeypatch.setattr(reports, "MAX_LATE", 1)
    codes = []
    for key in ("one", "two"):
        with pytest.raises(Refused) as refused:
            arrive(match, after=4, key=key)
        codes.append(refused.value.code)
    assert codes == ["report_kept", "stale"]


@pytest.mark.parametrize("side", [BOB, None])
def test_the_page_answers_409_and_shows_it_to_players_only(match: Match, carol: User, side: int | None) -> None:
    link = f"/m/{links.token_for(match, side)}/"
    form: dict[str, Any] = {"after": match.seq, "key": "a", "score_0": 7, "score_1": 5, "i_am": "0", "kept": "on"}
    Match.objects.update(seq=9)
    visitor = Client()
    answer = visitor.post(f"{link}claim/", form)
    assert answer.status_code == 409
    assert 'data-code="report_kept"' in answer.content.decode()
    hers = Client()
    hers.force_login(carol)
    assert "Bob won 7–5." in html(hers.get(f"/matches/{match.public_id}/")).split("data-late-reports")[1]
    assert "data-late-reports" not in html(visitor.get(f"/matches/{match.public_id}/"))


def test_without_a_conflict_the_sheet_reports_as_ever(bob_player: Player, carol_player: Player) -> None:
    match = match_between(bob_player, carol_player)
    link = f"/m/{links.token_for(match, None)}/claim/"
    form = {"after": match.seq, "key": "a", "score_0": 7, "score_1": 5, "i_am": "1", "kept": "on"}
    assert Client().post(link, form).status_code == 302
    assert Claim.objects.get().says_side == CAROL
