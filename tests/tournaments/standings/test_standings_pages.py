"""Standings and pairings on their pages: they say what the formats say, to everybody, at any size."""

import itertools
import random
import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formats.facts import Withdrawal
from formats.graph import Graph
from formats.progress import progress
from formats.tables.round_robin import round_robin
from formats.tables.tables import elimination_places
from formats.tables.tiebreaks import plain
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOW
from tests.pages import html as page_html
from tests.tiers import first_in_make_test
from tests.tournaments.support.played_stages import STAGES, drawn_as, play
from tournaments.entries import services as entries
from tournaments.models import Division, Entry
from tournaments.standings.standings import kind_for_side, standings_of
from tournaments.state.derivation import states_of
from tournaments.state.names import names_of

pytestmark = pytest.mark.django_db
WHOSE = re.compile(r"(Player \d+|bye|round not played) (?=[\d½⅓⅔])")
"""Whose points a part of a tie-break is."""

BRACKETS = ("knockout", "progressive", "double", "places")


def usual_size(name: str) -> int:
    """How many play: fewer where everybody meets everybody twice, since every result takes time."""
    return 5 if name == "double round robin" else 8


@pytest.fixture
def staged(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Callable[..., Division]:
    """A division of so many players in one of the formats of STAGES, drawn."""

    def make(name: str, count: int | None = None, **settings: object) -> Division:
        count = count or usual_size(name)
        division = make_division(name=f"{name} {count}", match_length=7, **settings)
        return drawn_as(division, STAGES[name], make_players(count), by_alice)

    return make


def address(division: Division, page: str = "standings/") -> str:
    tournament = division.tournament
    return f"/events/{tournament.club.slug}/{tournament.slug}/{division.public_id}/{page}"


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("seed", first_in_make_test(1, 2))
def test_the_standings_are_those_of_the_formats(
    name: str, seed: int, staged: Callable[..., Division], by_alice: Actor
) -> None:
    division = staged(name, usual_size(name) + (seed == 2 and name != "groups"))
    assert play(division, by_alice, random.Random(seed)) > 0
    states, views = states_of(division), standings_of(division, names_of(division, staff=True))
    assert len(states) == len(views) == len(STAGES[name])
    for state, view in zip(states, views, strict=True):
        assert state.over
        assert view.over
        assert [table.key for table in view.tables] == [table.key for table in state.tables]
        for shown, table in zip(view.tables, state.tables, strict=True):
            rows = [(line.place, line.person.entry, line.points, line.decided_by) for line in shown.lines]
            assert len(rows) > 1
            assert rows == [(row.place, row.entry, row.points, row.decided_by) for row in table.rows]
            for line, row in zip(shown.lines, table.rows, strict=True):
                for figure, code, expected in zip(line.figures, table.tiebreaks, row.figures, strict=True):
                    assert figure.needed == (expected is not None)
                    if expected is not None:
                        assert figure.text == plain(abs(expected.value) if code == "lots" else expected.value)
                if state.stage.format != "lives":
                    without_names = [WHOSE.sub("", sentence) for _reason, sentence in line.why]
                    assert without_names == [why.sentence for why in row.explain()]
        if not state.tables:
            places = next(iter(elimination_places(state.rows.settings, state.progress).values()))
            expected = [(shared.first, shared.last, set(shared.entries)) for shared in places]
            assert expected
            shown = [
                (shared.first, shared.last, {who.entry for who in shared.people}) for shared in view.brackets[0].places
            ]
            assert shown == expected
            ends = [(place.first, place.last) for place in view.brackets[0].places]
            assert ends[0] == (1, 1)
            assert all(after[0] == before[1] + 1 for before, after in itertools.pairwise(ends))


@pytest.mark.parametrize(
    "name", ["round robin", pytest.param("double round robin", marks=pytest.mark.slow), "league", "groups"]
)
def test_the_cross_table_and_the_counts_agree_with_the_points(
    name: str, staged: Callable[..., Division], by_alice: Actor
) -> None:
    division = staged(name)
    play(division, by_alice, random.Random(3))
    view = standings_of(division, names_of(division, staff=True))[0]
    legs = 2 if name.startswith("double") else 1
    settings = STAGES[name][0]
    for table in view.tables:
        assert table.cross
        for at, line in enumerate(table.lines):
            assert line.against[at] is None
            fields = [cells for cells in line.against if cells is not None]
            assert [len(cells) for cells in fields] == [legs] * (len(table.lines) - 1)
            kinds = [cell.kind for cells in fields for cell in cells]
            won = sum(kind in ("won", "forfeit_won") for kind in kinds)
            assert line.points == won * settings.win + kinds.count("lost") * settings.loss
            assert (line.counts.won, line.counts.lost) == (kinds.count("won"), kinds.count("lost"))
            for other, cells in zip(table.lines, line.against, strict=True):
                for cell, back in zip(cells or [], other.against[at] or [], strict=True):
                    assert (cell.score or (0, 0))[::-1] == (back.score or (0, 0))
                    assert (cell.kind in ("won", "forfeit_won")) <= (back.kind in ("lost", "forfeit_lost"))


def test_a_swiss_is_shown_after_any_round_by_default_the_last_complete(
    staged: Callable[..., Division], by_alice: Actor, client: Client
) -> None:
    division = staged("swiss", 8)
    play(division, by_alice, random.Random(4), most=10)
    names = names_of(division, staff=True)
    running = standings_of(division, names)[0]
    assert (running.complete, running.paired, running.round) == (2, 3, 2)
    assert sum(line.points for line in running.tables[0].lines) <= 8
    first = standings_of(division, names, round_number=1)[0].tables[0]
    assert {line.points for line in first.lines} <= {0.0, 1.0}
    assert all([cell.round for cell in line.cells] == [1] for line in first.lines)
    # A round that is not complete cannot be asked for.
    assert standings_of(division, names, round_number=3)[0].round == 2
    text = page_html(client.get(address(division)))
    assert "after round 2" in text
    assert "Round 3 is being played" in text
    assert "after round 1" in page_html(client.get(address(division) + "?round=1"))


@pytest.mark.parametrize("name", ["groups", "swiss then final"])
def test_the_marked_qualifiers_are_those_who_play_the_next_stage(
    name: str, staged: Callable[..., Division], by_alice: Actor
) -> None:
    division = staged(name)
    play(division, by_alice, random.Random(5))
    first, second = standings_of(division, names_of(division, staff=True))
    advancing = {line.person.entry for table in first.tables for line in table.lines if line.advances}
    assert len(advancing) == 4
    assert {person.entry for place in second.brackets[0].places for person in place.people} == advancing


def test_who_withdraws_is_marked_and_his_deleted_matches_are_struck(
    staged: Callable[..., Division], by_alice: Actor, client: Client
) -> None:
    division = staged("round robin", 6)
    leaver = Entry.objects.filter(division=division).order_by("pk")[0]
    play(division, by_alice, random.Random(6), most=3)
    entries.withdraw(entry=leaver, by=by_alice, now=NOW)
    table = standings_of(division, names_of(division, staff=True))[0].tables[0]
    his = next(line for line in table.lines if line.person.entry == leaver.pk)
    assert his.person.withdrawn
    assert his.points == 0
    met = [cell for cell in his.cells if cell.kind in ("won", "lost", "forfeit_won", "forfeit_lost")]
    assert met
    assert not any(cell.counted for cell in met)
    assert any(cell.kind == "walkover_lost" for cell in his.cells)
    text = page_html(client.get(address(division)))
    assert "withdrawn" in text
    assert "is-deleted" in text


@pytest.mark.slow
def test_lives_are_counted_and_the_round_of_the_last_loss_is_shown(
    staged: Callable[..., Division], by_alice: Actor
) -> None:
    division = staged("lives", 7)
    play(division, by_alice, random.Random(8))
    table = standings_of(division, names_of(division, staff=True))[0].tables[0]
    assert [line.lives for line in table.lines][1:] == [0] * 6
    rounds = [line.out_in for line in table.lines[1:]]
    assert all(rounds)
    assert rounds == sorted(rounds, key=lambda number: -(number or 0))
    assert all(line.cells[-1].round == line.out_in for line in table.lines[1:])
    assert any(cell.kind == "bye_sit_out" for line in table.lines for cell in line.cells)


@pytest.mark.slow
@pytest.mark.parametrize("name", STAGES)
def test_every_format_has_both_pages_before_while_and_after_it_is_played(
    name: str, staged: Callable[..., Division], by_alice: Actor, client: Client
) -> None:
    division = staged(name)
    for most in (0, 3, None):
        play(division, by_alice, random.Random(9), most=most)
        for page in ("standings/", "pairings/", "pairings/?round=1", "pairings/?stage=2", "standings/?stage=1&round=0"):
            answer = client.get(address(division, page))
            assert answer.status_code == 200
            # While a bracket is played, no place may be certain.
            nobody_yet = "standings" in page and name in BRACKETS
            assert "Player " in page_html(answer) or "stage=2" in page or most is None or nobody_yet
    if name in BRACKETS:
        assert "All matches have been played" in page_html(client.get(address(division, "pairings/")))


def test_pairings_are_by_board_with_an_index_of_names_and_the_byes(
    staged: Callable[..., Division], by_alice: Actor, client: Client
) -> None:
    division = staged("swiss", 7)
    page = client.get(address(division, "pairings/"))
    view = page.context["view"]
    assert view.round == 1
    assert [pairing.board for pairing in view.to_play] == [1, 2, 3]
    assert [pairing.bye for pairing in view.byes] == ["full"]
    where = {person.name: text for person, text in view.index}
    assert len(where) == 7
    for pairing in view.to_play:
        for side in pairing.sides:
            assert where[side.person.name] == f"Board {pairing.board}"
    names = [person.name for person, _text in view.index]
    assert names == sorted(names)
    assert "bye by pairing, counts as a win" in page_html(page)


@pytest.mark.parametrize("count", [5, 6, 7, 11])
def test_a_knockout_lists_byes_among_the_names_until_their_match_can_be_played(
    staged: Callable[..., Division], by_alice: Actor, client: Client, count: int
) -> None:
    division = staged("knockout", count)
    where = client.get(address(division, "pairings/")).context["view"].index
    assert len({person.entry for person, _text in where}) == len(where) == count
    byes = {person.entry for person, text in where if text == "Bye"}
    assert byes, "two byes can meet at once, but not all"
    play(division, by_alice, random.Random(1), most=count)
    later = client.get(address(division, "pairings/")).context["view"].index
    assert byes.isdisjoint(person.entry for person, text in later if text == "Bye")


def test_a_board_keeps_its_number_when_a_match_is_over_or_somebody_withdraws(
    staged: Callable[..., Division], by_alice: Actor, client: Client
) -> None:
    division = staged("round robin", 6)

    def boards() -> dict[int, int]:
        view = client.get(address(division, "pairings/?round=1")).context["view"]
        return {pairing.number: pairing.board for pairing in view.pairings}

    before = boards()
    assert sorted(before.values()) == [1, 2, 3]
    play(division, by_alice, random.Random(1), most=1)
    entries.withdraw(entry=Entry.objects.filter(division=division).order_by("pk")[0], by=by_alice, now=NOW)
    assert boards() == before


def test_a_walkover_is_named_as_such_and_is_not_a_match(
    staged: Callable[..., Division], by_alice: Actor, client: Client
) -> None:
    division = staged("swiss", 8)
    leaver = Entry.objects.filter(division=division).order_by("pk")[0]
    entries.withdraw(entry=leaver, by=by_alice, now=NOW)
    view = client.get(address(division, "pairings/?round=1")).context["view"]
    assert len(view.walkovers) == 1
    assert len(view.to_play) == 3
    assert len(view.index) == 7


def test_the_signed_in_player_is_marked_and_linked(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    bob_player: Player,
    by_alice: Actor,
    as_user: Callable[..., Client],
) -> None:
    division = drawn_as(make_division(name="Open"), STAGES["swiss"], [bob_player, *make_players(7)], by_alice)
    play(division, by_alice, random.Random(2), most=4)
    text = page_html(as_user(bob_player.user).get(address(division)))
    jump = re.search(r'href="#(e1-\w+)">\s*Jump to me', text)
    assert jump
    assert f'id="{jump[1]}"' in text
    assert "Jump to me" not in page_html(as_user(None).get(address(division)))
    page = page_html(as_user(None).get(address(division) + "?player=Bob"))
    assert 'class="here' in page


def test_a_draft_event_has_no_standings_for_others(
    make_division: Callable[..., Division], alice_client: Client, client: Client
) -> None:
    division = make_division(name="Open")
    for page in ("standings/", "pairings/", "standings.csv", "standings.json", "pairings.csv", "pairings.json"):
        assert client.get(address(division, page)).status_code == 404
        assert alice_client.get(address(division, page)).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("name", ["swiss", "round robin", "knockout"])
def test_64_players_cost_no_more_queries_than_8(
    name: str, staged: Callable[..., Division], by_alice: Actor, alice_client: Client
) -> None:
    def played(count: int) -> Division:
        division = staged(name, count)
        play(division, by_alice, random.Random(1), most=4)
        return division

    def query_count(division: Division, page: str) -> int:
        alice_client.get(address(division, page))
        with CaptureQueriesContext(connection) as queries:
            answer = alice_client.get(address(division, page))
            assert answer.status_code == 200
            # A file is sent while it is read.
            assert b"".join(answer.streaming_content if answer.streaming else [answer.content])
        return len(queries)

    small, large = played(8), played(64 if name != "round robin" else 24)
    for page in ("standings/", "pairings/", "standings.csv", "pairings.json"):
        few, many = query_count(small, page), query_count(large, page)
        assert many <= few <= 26, f"{page}: {few} queries, then {many}"


def test_places_of_a_bracket_in_play_are_certain_from_below(staged: Callable[..., Division], by_alice: Actor) -> None:
    division = staged("knockout", 8)
    play(division, by_alice, random.Random(1), most=5)
    view = standings_of(division, names_of(division, staff=True))[0].brackets[0]
    assert not view.over
    assert [(place.text, len(place.people)) for place in view.places] == [("3–4", 1), ("5–8", 4)]


def test_a_round_robin_bye_has_no_board_and_is_empty_once_its_player_left(
    staged: Callable[..., Division], by_alice: Actor, client: Client
) -> None:
    division = staged("round robin", 5)
    first, second = Entry.objects.filter(division=division).order_by("pk")[:2]
    for gone in (first, second):
        entries.withdraw(entry=gone, by=by_alice, now=NOW)
    views = [client.get(address(division, f"pairings/?round={number}")).context["view"] for number in range(1, 6)]
    for view in views:
        assert [pairing.status in ("bye", "empty") for pairing in view.pairings if pairing.board is None] == [True]
        assert sorted(pairing.board for pairing in view.pairings if pairing.board is not None) == [1, 2]
    assert [sum(len(view.byes) for view in views), sum(len(view.empty) for view in views)] == [3, 2]
    table = standings_of(division, names_of(division, staff=True))[0].tables[0]
    kinds = {line.person.entry: [cell.kind for cell in line.cells] for line in table.lines}
    # Who went first gave the match of the two to the other one.
    assert sorted(kinds[first.pk]) == ["bye_drawn", *["walkover_lost"] * 4]
    assert sorted(kinds[second.pk]) == ["bye_drawn", *["walkover_lost"] * 3, "walkover_won"]
    stay = [of for entry, of in kinds.items() if entry not in (first.pk, second.pk)]
    assert [sorted(of) for of in stay] == [["bye_drawn", "open", "open", "walkover_won", "walkover_won"]] * 3


def test_an_unopened_fixture_to_which_nobody_comes_is_empty() -> None:
    graph = Graph((round_robin([1, 2], key="table"),))
    state = progress(graph, {}, [Withdrawal(1), Withdrawal(2)]).fixtures[1]
    assert [kind_for_side(state, side) for side in (0, 1)] == ["empty", "empty"]
    single_entry = progress(graph, {}, [Withdrawal(1)]).fixtures[1]
    assert sorted(kind_for_side(single_entry, side) for side in (0, 1)) == ["walkover_lost", "walkover_won"]


@pytest.mark.parametrize(("name", "has_tables"), [("knockout", False), ("swiss", True), ("groups", True)])
def test_the_page_of_a_bracket_alone_loads_no_looks_of_tables(
    name: str, has_tables: bool, staged: Callable[..., Division], client: Client
) -> None:
    page = page_html(client.get(address(staged(name), "")))
    assert "tournaments/bracket." in page
    assert ("tournaments/standings." in page) is has_tables


def test_shared_places_never_stand_for_an_opponent(staged: Callable[..., Division], by_alice: Actor) -> None:
    """Lives share places, so that the cells of the standings have names."""
    division = staged("lives")
    play(division, by_alice, random.Random(1), most=4)
    shown = page_html(Client().get(address(division)))
    signs = [re.sub(r"<[^>]+>", " ", cell) for cell in re.findall(r'<li class="cell.*?</li>', shown, re.DOTALL)]
    assert len(signs) == usual_size("lives")
    assert all(re.match(r"\s*\S+\s+Player \d\.\s", sign) for sign in signs), signs
