"""Titles of a club: proposed by rule, awarded and withdrawn by a director, and what corrections do to them."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from formats.series.numbers import written
from matches.models import Analysis, Decision, Match, Result
from players.actors import SYSTEM
from players.models import Club, LogEntry, Membership, Player, User
from players.people.erasure import erase_player
from seasons.changes import season_changes
from seasons.season_views import ViewInput, save_view, view_of
from seasons.services import change_plan, close_series, reopen_series
from seasons.tables import SeasonTable, closing_of, newest_plan, season_table
from seasons.titles import (
    award_title,
    division_title_changes,
    proposals,
    proposals_left,
    supported,
    title_reason,
    titles_of,
    winners_of,
    withdraw_title,
)
from tests.event_cast import NOON
from tests.seasons.test_seasons import cast, night, refused, season
from tests.tournaments.support.correcting import Cup, won_by
from tournaments.models import Series, Title
from tournaments.results.corrections import preview_correction
from tournaments.state.preview import Choice

__all__ = ["cast"]
pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(days=2)
AUCKLAND = "Pacific/Auckland"


def closed(name: str = "Autumn") -> Series:
    """A season of all nights so far, closed."""
    row = season(name=name)
    close_series(series=row, after=0, by=SYSTEM, now=NOON)
    return row


def winner_of(row: Series) -> Player:
    return Player.objects.get(public_id=season_table(row).season.rows[0].player)


def turned(cup: Cup) -> None:
    """Give the last match of an evening to its loser."""
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    cup.correct(final, won_by(1 - winner))


def award(row: Series, kind: str = "season", player: Player | None = None) -> Title:
    who = (player or winner_of(row)).public_id
    return award_title(club=row.club, kind=kind, player=who, of=row, by=SYSTEM, now=NOON)


# The rules


@pytest.mark.slow
def test_a_season_gives_titles_once_it_is_closed(cast: list[Player]) -> None:
    night(cast, "one", seed=1, weeks=2)
    night(cast[:4], "two", seed=2, weeks=1)
    row = season()
    assert proposals_left(row) == proposals(row.club, NOON) == []
    close_series(series=row, after=0, by=SYSTEM, now=NOON)
    offered = proposals_left(row)
    assert offered == proposals(row.club, NOON)
    by_kind = {kind: {p.player for p in offered if p.kind == kind} for kind in Title.Kind.values}
    assert by_kind["season"] == {winner_of(row).public_id}
    assert by_kind["evenings"] == {player.public_id for player in cast[:4]}
    assert by_kind["newcomer"] == by_kind["event"] == set()
    wins = {player.public_id: wins_of(player) for player in cast}
    assert by_kind["wins"] == {player for player, count in wins.items() if count == max(wins.values())}
    streaks = {player.public_id: streak_of(player) for player in cast}
    longest = max(streaks.values())
    sharing = {player for player, count in streaks.items() if count == longest}
    assert by_kind["streak"] == (sharing if 2 * len(sharing) <= len(cast) else set())
    assert title_reason(next(p for p in offered if p.kind == "wins")) == f"{max(wins.values())} wins"


def streak_of(player: Player) -> int:
    """Counted from the results in the order in which they were entered, the earlier evening first."""
    rows = Result.objects.select_related("match").order_by("pk")
    longest = now = 0
    for row in rows:
        if player in row.match.players and row.winner is not None:
            now = now + 1 if row.match.players[row.winner] == player else 0
            longest = max(longest, now)
    return longest


def wins_of(player: Player) -> int:
    """Counted from the results."""
    newest = {row.match_id: row for row in Result.objects.select_related("match").order_by("version")}
    return sum(row.winner is not None and row.match.players[row.winner] == player for row in newest.values())


def test_the_best_newcomer_had_not_played_in_the_club_before(cast: list[Player]) -> None:
    night(cast[:6], "long ago", weeks=40)
    night(cast, "one", seed=3, weeks=1)
    row = closed()
    offered = {p.player for p in proposals_left(row) if p.kind == "newcomer"}
    ranks = {line.player: line.rank or 99 for line in season_table(row).season.rows}
    new = {player.public_id: ranks[player.public_id] for player in cast[6:]}
    assert offered == {player for player, rank in new.items() if rank == min(new.values())}


def test_the_first_day_of_a_season_is_that_of_its_club(cast: list[Player], club: Club) -> None:
    """When it is ten in the morning in Auckland, it is still the day before in UTC."""
    Club.objects.filter(pk=club.pk).update(time_zone=AUCKLAND)
    night(cast[:6], "long ago", weeks=40)
    event = night(cast, "one", seed=3).division.tournament
    first_day = NOON.date() - timedelta(days=100)
    event.starts_at, event.time_zone = datetime.combine(first_day, time(10), ZoneInfo(AUCKLAND)), AUCKLAND
    event.save()
    row = closed()
    assert row.first_day == first_day
    newcomers = {p.player for p in proposals_left(row) if p.kind == "newcomer"}
    assert newcomers
    assert newcomers <= {player.public_id for player in cast[6:]}


def test_an_event_that_counts_in_no_season_gives_its_winner_a_title(cast: list[Player], club: Club) -> None:
    cup = night(cast, "one", weeks=1)
    (offered,) = proposals(club, NOON)
    assert (offered.kind, [offered.player]) == ("event", winners_of(cup.division))
    season()
    assert proposals(club, NOON) == []
    assert proposals(club, NOON + timedelta(days=400)) == []


def test_what_more_than_half_of_the_table_shares_is_no_title(cast: list[Player]) -> None:
    night(cast, "one", seed=1, weeks=2)
    night(cast[:5], "two", seed=2, weeks=1)
    assert "evenings" not in {proposal.kind for proposal in proposals_left(closed())}


@pytest.mark.slow
def test_whoever_wins_the_final_of_a_season_is_its_champion(cast: list[Player]) -> None:
    night(cast, "one", weeks=2)
    row = season()
    cup = night(cast[:4], "final", seed=5)
    row.counted.filter(tournament=cup.division.tournament).delete()
    Series.objects.filter(pk=row.pk).update(final=cup.division.tournament)
    row.refresh_from_db()
    close_series(series=row, after=row.seq, by=SYSTEM, now=NOON)
    (champion,) = winners_of(cup.division)
    offered = {(p.kind, p.player) for p in proposals(row.club, NOON)}
    assert ("champion", champion) in offered
    assert "event" not in {kind for kind, _player in offered}
    title = award(row, "champion", Player.objects.get(public_id=champion))
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    preview = preview_correction(fixture=final, new=won_by(1 - winner), voided_rated=True)
    gained, lost = division_title_changes(cup.division, preview.consequences[Choice.CORRECT_ALL].states)
    assert gained.text.startswith("Champion would be")
    assert "no longer be supported" in lost.text
    assert (gained.title, lost.title) == (None, title.public_id)
    assert supported([title]) == {title.pk}
    turned(cup)
    assert supported(titles_of(Title.objects.all())) == set()


# Awarding and withdrawing


def test_a_title_is_awarded_once_withdrawn_with_a_reason_and_awarded_again(cast: list[Player]) -> None:
    night(cast, "one")
    row = closed()
    title = award(row)
    assert award(row) == title
    assert "season" not in {p.kind for p in proposals_left(row)}
    withdraw_title(title=title, reason="Played for another club", by=SYSTEM, now=LATER)
    with refused("title_withdrawn"):
        withdraw_title(title=title, reason="Again", by=SYSTEM, now=LATER)
    assert "season" in {p.kind for p in proposals_left(row)}
    assert award(row) != title
    assert Title.objects.count() == 2
    verbs = LogEntry.objects.filter(topic=row.topic, verb__startswith="title").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == ["title_awarded", "title_withdrawn", "title_awarded"]


def test_only_what_the_results_give_can_be_awarded(cast: list[Player]) -> None:
    night(cast, "one")
    row = season()
    with refused("title_not_proposed"):
        award(row)
    close_series(series=row, after=0, by=SYSTEM, now=NOON)
    last = Player.objects.get(public_id=season_table(row).season.rows[-1].player)
    for kind, player in (("season", last), ("event", winner_of(row))):
        with refused("title_not_proposed"):
            award(row, kind, player)
    with refused("title_not_proposed"):
        award_title(club=row.club, kind="season", player="nobodyatal", of=row, by=SYSTEM, now=NOON)


def test_the_title_of_a_merged_player_is_that_of_the_other(cast: list[Player]) -> None:
    night(cast, "one")
    row = closed()
    title = award(row)
    other = Player.objects.create(name="Robert")
    Player.objects.filter(pk=title.player_id).update(merged_into=other)
    (read,) = titles_of(Title.objects.all())
    assert supported([read]) == {title.pk}
    assert award(row, player=other) == title
    assert "Season winner" in Client().get(f"/players/{other.public_id}/").content.decode()


# Corrections


def test_a_correction_is_previewed_and_marks_the_title_without_changing_it(cast: list[Player]) -> None:
    cup = night(cast, "one")
    row = closed()
    champion = winner_of(row)
    title = award(row)
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    preview = preview_correction(fixture=final, new=won_by(1 - winner), voided_rated=True)
    assert season_changes(cup.division, preview.consequences[Choice.LET_STAND].states) == []
    (changes,) = season_changes(cup.division, preview.consequences[Choice.CORRECT_ALL].states)
    turned(cup)
    new = winner_of(row)
    assert f"Season winner would be {new.name}." in [change.text for change in changes.titles]
    assert any(f"of {champion.name} would no longer be supported" in change.text for change in changes.titles)
    title.refresh_from_db()
    assert (title.player, title.withdrawn_at) == (champion, None)
    assert supported(titles_of(Title.objects.all())) == set()
    assert [p.player for p in proposals_left(row) if p.kind == "season"] == []
    for path in (
        f"/players/{champion.public_id}/",
        "/clubs/harbour/hall-of-fame/",
        f"/clubs/harbour/seasons/{row.slug}/",
    ):
        assert "no longer support it" in Client().get(path).content.decode(), path
    turned(cup)
    assert supported(titles_of(Title.objects.all())) == {title.pk}


def test_the_page_of_a_correction_says_which_titles_it_touches(
    cast: list[Player], club: Club, alice_client: Client
) -> None:
    cup = night(cast, "one")
    row = closed()
    award(row)
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    event = cup.division.tournament
    url = f"/events/{club.slug}/{event.slug}/fixtures/{final.public_id}/correct/"
    score = {"left": "2", "right": "3"} if winner == 0 else {"left": "3", "right": "2"}
    page = alice_client.get(url, {"winner": str(1 - winner), "kind": "played", "rated": "1", **score}).content.decode()
    assert "would no longer be supported" in page
    assert "Season winner would be" in page


def test_a_correction_of_a_single_event_is_previewed_for_its_title(cast: list[Player], club: Club) -> None:
    cup = night(cast, "one")
    (offered,) = proposals(club, NOON)
    assert offered.division is not None
    award_title(club=club, kind="event", player=offered.player, of=offered.division, by=SYSTEM, now=NOON)
    final = cup.settled()[-1]
    winner = Result.objects.filter(match=final.match).latest("version").winner
    assert winner is not None
    preview = preview_correction(fixture=final, new=won_by(1 - winner), voided_rated=True)
    gained, lost = division_title_changes(cup.division, preview.consequences[Choice.CORRECT_ALL].states)
    assert "would be" in gained.text
    assert "no longer be supported" in lost.text
    assert division_title_changes(cup.division, preview.consequences[Choice.LET_STAND].states) == []


# Pages, privacy and erasure


@pytest.mark.slow
def test_directors_award_with_one_tap_and_everybody_reads_it(
    cast: list[Player], club: Club, alice_client: Client
) -> None:
    night(cast, "one")
    empty = Client().get("/clubs/harbour/hall-of-fame/").content.decode()
    assert "No title has been awarded yet." in empty
    row = closed()
    url = f"/clubs/harbour/seasons/{row.slug}/"
    assert "Award" in alice_client.get(url).content.decode()
    assert "Season winner" not in Client().get(url).content.decode()
    data = {"kind": "season", "player": winner_of(row).public_id, "series": row.public_id}
    assert alice_client.post("/clubs/harbour/titles/award/", data).url == url
    for path in (url, "/clubs/harbour/hall-of-fame/", f"/players/{data['player']}/"):
        assert "Season winner" in Client().get(path).content.decode(), path
    title = Title.objects.get()
    withdraw = f"/clubs/harbour/titles/{title.public_id}/withdraw/"
    alice_client.post(withdraw, {"reason": ""})
    title.refresh_from_db()
    assert title.withdrawn_at is None
    alice_client.post(withdraw, {"reason": "A mistake"})
    assert "Season winner" not in Client().get(url).content.decode()
    hall = "/clubs/harbour/hall-of-fame/"
    assert "A mistake" in alice_client.get(hall).content.decode()
    assert "A mistake" not in Client().get(hall).content.decode()


@pytest.mark.parametrize("period", ["2026-11", "2026-13", "nonsense"])
def test_an_old_link_to_a_month_opens_the_hall_of_fame(club: Club, client: Client, period: str) -> None:
    page = client.get(f"/clubs/{club.slug}/hall-of-fame/", {"period": period})
    assert page.status_code == 200
    assert "No title has been awarded yet." in page.content.decode()


def test_hidden_players_and_erased_ones(cast: list[Player], club: Club) -> None:
    night(cast, "one")
    row = closed()
    champion = winner_of(row)
    Player.objects.filter(pk=champion.pk).update(name="Robert Hidden", initials_only=True)
    title = award(row)
    withdraw_title(title=title, reason="Robert Hidden asked for it", by=SYSTEM, now=LATER)
    award(row)
    paths = ["/clubs/harbour/hall-of-fame/", f"/clubs/harbour/seasons/{row.slug}/", "/api/v1/clubs/harbour/titles/"]
    for path in paths:
        assert "Robert Hidden" not in Client().get(path).content.decode(), path
    erase_player(player=Player.objects.get(pk=champion.pk), by=SYSTEM, now=LATER)
    assert "Former member" in Client().get(paths[0]).content.decode()
    assert "Hidden" not in str(list(Title.objects.values_list("reason", flat=True)))
    assert "Hidden" not in str(list(LogEntry.objects.values_list("params", flat=True)))
    assert Title.objects.filter(withdrawn_at=None).count() == 1


def test_a_season_that_was_reopened_keeps_its_titles(cast: list[Player]) -> None:
    night(cast, "one")
    row = closed()
    award(row)
    reopen_series(series=row, reason="One more night", after=1, by=SYSTEM, now=LATER)
    assert closing_of(row) is None
    assert proposals_left(row) == []
    assert len(supported(titles_of(Title.objects.all()))) == 1


# The best of each class


@pytest.fixture
def classed(cast: list[Player], club: Club) -> list[Player]:
    """Members whose analysed matches give half of them one class and half of them another; all show it."""
    night(cast, "one", weeks=1)
    Club.objects.filter(pk=club.pk).update(class_points=1)
    for number, player in enumerate(cast):
        Membership.objects.create(club=club, player=player)
        user = User.objects.create_user(email=f"p{number}@example.org", password="x")
        Player.objects.filter(pk=player.pk).update(user=user, analysis_visibility="public")
    halves = {player.pk: number % 2 for number, player in enumerate(cast)}
    for match in Match.objects.all():
        analysis = Analysis.objects.create(match=match, state=Analysis.State.DONE, backend="gnubg", finished_at=NOON)
        for event, player in enumerate(match.players):
            Decision.objects.create(
                analysis=analysis, game=1, event=event, side=event, kind="play", phase="contact", cube=1, own_away=3,
                opposing_away=3, played="8/5", best="8/5", counted=True, error=(0.01, 0.018)[halves[player.pk]],
            )  # fmt: skip
    return cast


def test_the_best_of_each_class_is_proposed_at_the_close(classed: list[Player]) -> None:
    row = closed()
    ranks = {line.player: line.rank for line in season_table(row).season.rows}
    offered = {(p.figure, p.player) for p in proposals_left(row) if p.kind == "class"}
    for bound, half in (("6.5", classed[::2]), ("10", classed[1::2])):
        best = min(ranks[player.public_id] or 99 for player in half)
        sharing = {player.public_id for player in half if ranks[player.public_id] == best}
        assert {player for figure, player in offered if figure == bound} == sharing
    title = award(row, "class", Player.objects.get(public_id=sharing.pop()))
    assert title_reason(title) == "first in the table of all whose club class is “Advanced”"
    assert supported([title]) == {title.pk}
    # The title stays when its player no longer shows how they play; nobody else gets it for that.
    Player.objects.filter(pk=title.player_id).update(analysis_visibility="private")
    assert supported([title]) == {title.pk}
    Player.objects.filter(pk=title.player_id).update(analysis_visibility="public")
    Title.objects.filter(pk=title.pk).update(player=next(p for p in classed[::2] if p.pk != title.player_id))
    assert supported(titles_of(Title.objects.filter(pk=title.pk))) == set()


def test_a_view_of_a_class_has_only_those_who_show_it_to_everybody(classed: list[Player]) -> None:
    row = season()
    view = save_view(series=row, view=ViewInput("Masters", "class-6.5"), by=SYSTEM)
    assert view_of(view).players == {player.public_id for player in classed[::2]}
    for player, shown_to in ((classed[0], "private"), (classed[2], "club")):
        Player.objects.filter(pk=player.pk).update(analysis_visibility=shown_to)
    assert view_of(view).players == {player.public_id for player in classed[4::2]}


def test_a_class_that_its_players_keep_private_gives_no_title(classed: list[Player]) -> None:
    for player in classed[:4]:
        Player.objects.filter(pk=player.pk).update(analysis_visibility="club")
    row = closed()
    shown = {player.public_id for player in classed[4:]}
    winners = {p.player for p in proposals_left(row) if p.kind == "class"}
    assert winners
    assert winners <= shown
    # Of a class with one player, nobody is the best.
    Player.objects.filter(pk__in=[player.pk for player in classed[4:7]]).update(analysis_visibility="private")
    assert [p for p in proposals_left(row) if p.kind == "class"] == []


@pytest.mark.slow
def test_programs_read_what_a_correction_does_to_seasons_and_titles(
    cast: list[Player], club: Club, alice_client: Client
) -> None:
    night(cast, "zero", seed=4, weeks=1)
    cup = night(cast, "one")
    row = closed()
    title = award(row)
    final = cup.settled()[-1]
    side = Result.objects.filter(match=final.match).latest("version").winner
    assert side is not None
    before = season_table(row)
    url = f"/api/v1/fixtures/{final.public_id}/corrections/preview/"
    body = {"winner": 1 - side, "score": [2, 3] if side == 0 else [3, 2]}
    answer = alice_client.post(url, body, content_type="application/json")
    assert answer.status_code == 200, answer.content
    by_choice = {choice["choice"]: choice for choice in answer.json()["choices"]}
    assert by_choice["let_stand"]["seasons"] == by_choice["let_stand"]["titles"] == []
    (season_,) = by_choice["correct_all"]["seasons"]
    assert (season_["series"], season_["closed"], season_["qualify"]) == (row.public_id, True, [])
    turned(cup)
    after = season_table(row)
    event = cup.division.tournament.public_id

    def shown(standing: SeasonTable, player: str, when: str) -> dict[str, object]:
        line = standing.season.row(player)
        assert line is not None
        points = standing.season.points[event][player].points
        return {
            f"rank_{when}": line.rank, f"total_{when}": written(line.total), f"points_{when}": written(points),
            f"counted_{when}": list(line.counted),
        }  # fmt: skip

    assert len(season_["rows"]) >= 2
    changed = {line["player"] for line in season_["rows"]}
    for line in season_["rows"]:
        player = line["player"]
        name = Player.objects.get(public_id=player).name
        expected = {"player": player, "name": name, **shown(before, player, "before"), **shown(after, player, "after")}
        assert line == expected
    for player in {line.player for line in before.season.rows} - changed:
        assert shown(before, player, "x") == shown(after, player, "x")
    if winner_of(row) != title.player:
        lost = [change for change in season_["titles"] if change["title"] is not None]
        assert [change["title"] for change in lost] == [title.public_id]
        assert lost[0]["player"] == title.player.public_id
    gained = {(change["kind"], change["player"]) for change in season_["titles"] if change["title"] is None}
    assert all(kind in Title.Kind.values for kind, _player in gained)


@pytest.mark.slow
def test_a_right_to_a_final_that_is_drawn_is_not_taken_back(cast: list[Player], club: Club) -> None:
    cup = night(cast, "one")
    row = season()
    plan = {**newest_plan(row).plan, "qualify": {"places": 1}}
    change_plan(series=row, plan=plan, after=row.seq, by=SYSTEM, now=NOON)
    champion = winner_of(row)
    final = cup.settled()[-1]
    side = Result.objects.filter(match=final.match).latest("version").winner
    assert side is not None
    preview = preview_correction(fixture=final, new=won_by(1 - side), voided_rated=True)
    states = preview.consequences[Choice.CORRECT_ALL].states
    (changes,) = season_changes(cup.division, states)
    assert f"{champion.name} no longer qualifies." in changes.final
    last = night(cast[:4], "final", seed=5)
    if not last.division.entries.filter(player=champion).exists():
        last = night([champion, *[player for player in cast if player != champion][:3]], "final 2", seed=5)
    Series.objects.filter(pk=row.pk).update(final=last.division.tournament)
    row.counted.filter(tournament=last.division.tournament).delete()
    (changes,) = season_changes(cup.division, states)
    assert f"{champion.name} no longer qualifies, but is in the draw of the final and stays in it." in changes.final
