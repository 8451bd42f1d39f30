"""The page of a division with every bracket of every format, its drafts, and what programs see of both."""

import gzip
import re
from collections.abc import Callable
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formats.graph import DrawnSeat, Source
from formats.progress import Progress
from formats.settings import (
    DOUBLE,
    ELIMINATION,
    GROUPS,
    KNOCKOUT,
    LEAGUE,
    LIVES,
    PROGRESSIVE,
    ROUND_ROBIN,
    SWISS,
    StageSettings,
)
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Player
from tests.event_cast import NOW
from tests.pages import html as page_html
from tests.tournaments.support.drawn_divisions import DivisionBuilder, fixture_of, page_of, stage_formats
from tournaments.draws.lists import DraftCounts, counts, draft_rounds
from tournaments.draws.services import publish_draw
from tournaments.entries.services import withdraw
from tournaments.models import Division, Entry, Fixture, Slot
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput, apply_correction
from tournaments.standings import brackets
from tournaments.standings.placings import progress_of_rows
from tournaments.state.derivation import states_of
from tournaments.state.preview import Choice

pytestmark = pytest.mark.django_db

KILOBYTE = 1024
MAX_COMPRESSED = 20 * KILOBYTE
MAX_QUERIES = 14
"""One of them asks whether the floor is open."""
LARGE = 256
PROGRESSIVE_ALL = StageSettings(PROGRESSIVE, last_chance="")
DOUBLE_TWICE = StageSettings(DOUBLE, second_final=True)


@pytest.fixture
def builder(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> DivisionBuilder:
    return DivisionBuilder(make_division, make_players, by_alice)


def text_of(client: Client, address: str) -> str:
    """What can be read on a page, tags taken out."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page_html(answer))).split())


def box_of(client: Client, division: Division, number: int) -> str:
    """What the box of M`number` says."""
    html = page_html(client.get(f"{page_of(division)}?section=all"))
    boxes = re.findall(rf"<li class=\"[^\"]*\"><div><p>(?:<a[^>]*>|<span>)M{number}<.*?</li>", html, re.DOTALL)
    assert len(boxes) == 1, number
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", boxes[0])).split())


# Every bracket on one page


def test_main_consolation_and_last_chance_stand_together_with_links_between_them(
    builder: DivisionBuilder, client: Client
) -> None:
    division = builder.drawn(13, PROGRESSIVE_ALL)
    html = page_html(client.get(page_of(division)))
    for key, title in (
        ("main", "Main draw"),
        ("consolation", "Progressive consolation"),
        ("last_chance", "Last chance"),
    ):
        assert re.search(rf'<a href="#tree-{key}">\s*{title}\s*</a>', html)
        assert f'id="tree-{key}">{title}</h2>' in html
    assert [len(re.findall(rf">\s*{name}\s*<small>", html)) for name in ("Final", "C final", "L final")] == [1, 1, 1]


def test_slots_name_their_sources_and_boxes_where_the_loser_drops_to(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(8, StageSettings(PROGRESSIVE))
    drops = Slot.objects.filter(fixture__stage__division=division, source="loser").select_related("fixture")
    assert drops
    for slot in drops:
        assert f"Loser of M{slot.source_fixture}" in box_of(client, division, slot.fixture.number)
        assert f"loser → M{slot.fixture.number}" in box_of(client, division, slot.source_fixture or 0)


def test_a_known_loser_is_named_in_the_next_box_only(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(8, StageSettings(PROGRESSIVE))
    builder.win(fixture_of(division, 1), 0)
    assert "loser →" not in box_of(client, division, 1)


def test_byes_walkovers_empty_and_undecided_slots_are_named(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(5, StageSettings(PROGRESSIVE))
    lone = Slot.objects.filter(fixture__stage__division=division, status="bye", fixture__round__bracket__key="main")
    assert lone
    assert "Bye" in box_of(client, division, lone[0].fixture.number)
    first = Fixture.objects.get(stage__division=division, status="ready", round__number=1, round__bracket__key="main")
    withdraw(entry=first.slots.get(side=0).entry, by=builder.by, now=NOW)
    box_text = box_of(client, division, first.number)
    assert "walkover" in box_text
    assert "not coming" in box_text
    waiting = Fixture.objects.filter(stage__division=division, status="waiting").first()
    assert waiting is not None
    assert re.search(r"(Winner|Loser) of M\d+", box_of(client, division, waiting.number))


def test_a_winner_who_withdrew_is_still_named_as_absent(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(4, StageSettings(KNOCKOUT))
    builder.win(fixture_of(division, 1), 0)
    winner = fixture_of(division, 1).slots.get(side=0).entry
    assert winner is not None
    withdraw(entry=winner, by=builder.by, now=NOW)

    assert fixture_of(division, 3).slots.get(side=0).status == Slot.Status.WALKOVER
    assert box_of(client, division, 3) == f"M3 {winner.player.name} not coming Winner of M2"


def test_a_match_that_nobody_comes_to_is_called_empty(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(4, StageSettings(KNOCKOUT))
    for number in (1, 2):
        results.enter_result(
            fixture=fixture_of(division, number),
            result=ResultInput(None, kind="double_forfeit"),
            by=builder.by,
            now=NOW,
        )
    assert fixture_of(division, 3).status == "empty"
    assert "empty" in box_of(client, division, 3)


def test_the_second_final_is_played_if_needed_and_says_so_afterwards(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(4, DOUBLE_TWICE)
    last = Fixture.objects.filter(stage__division=division).order_by("-number").first()
    assert last is not None
    assert "if needed" in box_of(client, division, last.number)
    while (ready := Fixture.objects.filter(stage__division=division, status="ready").first()) is not None:
        builder.win(fixture_of(division, ready.number), 0)
    assert fixture_of(division, last.number).status == "not_needed"
    assert box_of(client, division, last.number) == f"M{last.number} not needed – –"


def test_the_upper_final_of_a_double_elimination_is_not_the_final(builder: DivisionBuilder, client: Client) -> None:
    page_text = text_of(client, page_of(builder.drawn(8, DOUBLE_TWICE)))
    for name in ("Upper bracket", "Lower bracket", "Upper final", "L final", "Second final"):
        assert name in page_text
    assert "Main draw" not in page_text


def test_a_place_of_a_group_is_named_until_it_is_known(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(6, StageSettings(GROUPS, groups=2, qualifiers=2), StageSettings(KNOCKOUT))
    page_text = text_of(client, page_of(division))
    for words in ("Stage 1: Groups", "Stage 2: Knockout", "1st of group A", "2nd of group B"):
        assert words in page_text
    builder.play(division)
    page_text = text_of(client, page_of(division))
    assert "of group A" not in page_text
    assert "won by" in page_text


def test_a_stage_that_is_not_planned_yet_says_when_it_will_be(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(6, StageSettings(SWISS, rounds=3, qualifiers=4), StageSettings(KNOCKOUT))
    assert "The players are known when the previous stage is over." in text_of(client, page_of(division))


def test_the_box_shows_who_advances_after_the_bracket_was_kept(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(4, StageSettings(KNOCKOUT))
    builder.win(fixture_of(division, 1), 0)
    division.refresh_from_db()
    corrected = fixture_of(division, 1)
    assert "goes on" not in box_of(client, division, 1)
    apply_correction(
        fixture=corrected,
        correction=CorrectionInput(ResultInput(1, (5, 7)), Choice.KEEP_BRACKET),
        after=division.seq,
        by=builder.by,
        now=NOW,
    )
    kept, winner = (corrected.slots.get(side=side).entry for side in (0, 1))
    assert fixture_of(division, 3).slots.get(side=0).entry == kept
    box_text = box_of(client, division, 1)
    assert "corrected, bracket kept" in box_text
    assert re.search(rf"{kept.player.name} goes on 5 {winner.player.name} 7 won", box_text)
    body = client.get(f"/api/v1/divisions/{division.public_id}/bracket/").json()
    first = body["brackets"][0]["rounds"][0]["fixtures"][0]
    assert (first["bracket_kept"], first["result"]["winner"]) == (True, 1)


# Places


@pytest.mark.parametrize(
    ("count", "settings"),
    [(3, StageSettings(KNOCKOUT)), (13, PROGRESSIVE_ALL), (11, DOUBLE_TWICE), (16, StageSettings(DOUBLE))],
    ids=str,
)
@pytest.mark.parametrize("played", [0, 5, 1000])
def test_what_the_rows_say_of_places_is_what_the_facts_lead_to(
    builder: DivisionBuilder, count: int, settings: StageSettings, played: int
) -> None:
    division = builder.drawn(count, settings)
    nobody = Fixture.objects.filter(stage__division=division, status="ready").select_related("stage").first()
    assert nobody is not None
    results.enter_result(fixture=nobody, result=ResultInput(None, kind="double_forfeit"), by=builder.by, now=NOW)
    builder.play(division, most=min(played, 4))
    leaving = Entry.objects.filter(division=division).order_by("pk")[2]
    withdraw(entry=leaving, by=builder.by, now=NOW)
    builder.play(division, most=played)
    [derived] = states_of(division)
    read = progress_of_rows(brackets.rounds_of(division))
    assert read.graph.brackets
    for bracket in read.graph.brackets:
        assert read.places(bracket.key) == derived.progress.places(bracket.key)
    for number, state in derived.progress.fixtures.items():
        assert read.fixtures[number].slots == state.slots
        assert read.graph.fixtures[number].sources == tuple(
            drawn_to(derived.progress, number, source) for source in derived.progress.graph.fixtures[number].sources
        )


def drawn_to(state: Progress, number: int, source: Source) -> Source:
    """Whom a seat of a round was drawn to; any other source, or a seat before the draw, as it is."""
    order = state.drawn.get((source.bracket, source.round)) if isinstance(source, DrawnSeat) else None
    if order is None or not isinstance(source, DrawnSeat):
        return source
    return state.graph.round_of[number].entrants[order[source.number - 1]]


def test_each_bracket_that_is_over_names_its_winner_and_its_places(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(8, StageSettings(PROGRESSIVE))
    assert "won by" not in text_of(client, page_of(division))
    builder.play(division)
    [state] = states_of(division)
    names = {entry.pk: entry.player.name for entry in division.entries.select_related("player")}
    html = page_html(client.get(page_of(division)))
    for bracket in ("main", "consolation"):
        champion = state.progress.champion(bracket)
        assert champion is not None
        heading = html.split(f'id="tree-{bracket}"')[1].split("</header>")[0]
        assert f"won by <b><bdi>{names[champion]}</bdi></b>" in heading
        [second] = state.progress.places(bracket)[1].entries
        assert f'<dt>2</dt><dd class="name">{names[second]}</dd>' in html


# Drafts

GROUPS_KNOCKOUT = (StageSettings(GROUPS, groups=3, qualifiers=2), StageSettings(KNOCKOUT))
STAGES: list[tuple[int, tuple[StageSettings, ...], DraftCounts]] = [
    (13, (StageSettings(KNOCKOUT),), DraftCounts(13, 16, 3, 12, at_least=1)),
    (13, (PROGRESSIVE_ALL,), DraftCounts(13, 16, 3, 26, at_least=3)),
    (8, (DOUBLE_TWICE,), DraftCounts(8, 8, 0, 14, at_least=2)),
    (13, (StageSettings(SWISS, rounds=5),), DraftCounts(13, 14, 1, 6)),
    (9, (StageSettings(LIVES),), DraftCounts(9, 10, 1, 4)),
    (7, (StageSettings(ROUND_ROBIN),), DraftCounts(7, 7, 0, 21, at_least=6)),
    (7, (StageSettings(LEAGUE, twice=True),), DraftCounts(7, 7, 0, 42, at_least=12)),
    (11, GROUPS_KNOCKOUT, DraftCounts(11, 12, 0, 15 + 5, 3, at_least=2)),
    (10, (StageSettings(SWISS, rounds=3, qualifiers=4), StageSettings(KNOCKOUT)), DraftCounts(10, 10, 0, 5)),
]
OF_EVERY_FORMAT = pytest.mark.parametrize(
    ("count", "stages", "expected"), STAGES, ids=[stage_formats(stages) for _, stages, _ in STAGES]
)


@OF_EVERY_FORMAT
def test_the_draft_counts_players_places_byes_and_matches(
    builder: DivisionBuilder, count: int, stages: tuple[StageSettings, ...], expected: DraftCounts
) -> None:
    draw = builder.draft(count, *stages)
    division = draw.stage.division
    assert counts(division, draw) == expected
    assert not Fixture.objects.filter(stage=draw.stage).exists()


@OF_EVERY_FORMAT
def test_a_draft_shows_everybody_and_what_follows(
    builder: DivisionBuilder,
    alice_client: Client,
    client: Client,
    count: int,
    stages: tuple[StageSettings, ...],
    expected: DraftCounts,
) -> None:
    draw = builder.draft(count, *stages)
    address = f"{page_of(draw.stage.division)}draw/"
    page_text = text_of(alice_client, address)
    assert f"{expected.matches} matches" in page_text
    assert f"{expected.byes} bye" in page_text
    names = [entry.player.name for entry in draw.stage.division.entries.select_related("player")]
    assert len(names) == count
    assert [name for name in names if not re.search(rf"{name}\b", page_text)] == []
    assert "have changed since" not in page_text
    if len(stages) > 1:
        later = "1st of group A" if stages[0].format == GROUPS else "Drawn when the previous stage is over."
        assert later in page_text
    assert client.get(address).status_code in (302, 404)


@pytest.mark.parametrize("settings", [PROGRESSIVE_ALL, DOUBLE_TWICE, StageSettings(GROUPS, groups=3)], ids=str)
def test_the_draft_is_what_is_published(builder: DivisionBuilder, settings: StageSettings) -> None:
    draw = builder.draft(13, settings)
    division = draw.stage.division
    before = draft_rounds(division, draw)
    division.refresh_from_db()
    publish_draw(division=division, after=division.seq, by=builder.by, now=NOW)
    after = brackets.rounds_of(division)
    assert [(row.bracket, row.number, row.length) for row in before] == [
        (row.bracket, row.number, row.length) for row in after
    ]
    drafted = [(fixture.number, fixture.status, fixture.slots) for row in before for fixture in row.fixtures]
    assert drafted
    assert drafted == [(fixture.number, fixture.status, fixture.slots) for row in after for fixture in row.fixtures]


# Programs


def test_the_api_shows_every_stage_and_its_sources(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(6, StageSettings(GROUPS, groups=2, qualifiers=1), StageSettings(KNOCKOUT))
    body = client.get(f"/api/v1/divisions/{division.public_id}/bracket/").json()
    assert [(item["number"], item["format"], item["status"]) for item in body["stages"]] == [
        (1, "groups", "running"), (2, "knockout", "running"),
    ]  # fmt: skip
    assert [(item["stage"], item["key"]) for item in body["brackets"]] == [(1, "A"), (1, "B"), (2, "main")]
    final = body["brackets"][-1]["rounds"][0]["fixtures"][0]
    assert [(slot["source"], slot["source_stage"], slot["source_place"]) for slot in final["slots"]] == [
        ("place", "1:A", 1), ("place", "1:B", 1),
    ]  # fmt: skip
    draw = client.get(f"/api/v1/divisions/{division.public_id}/draws/").json()["results"][0]
    assert (draw["stage"], draw["round"], len(draw["places"])) == (1, 0, 6)


# Weight


@pytest.mark.slow
@pytest.mark.parametrize("settings", [StageSettings(KNOCKOUT), DOUBLE_TWICE], ids=[KNOCKOUT, DOUBLE])
def test_a_bracket_of_256_is_light_and_needs_no_more_queries_than_8(
    builder: DivisionBuilder, client: Client, settings: StageSettings
) -> None:
    query_counts = []
    for count in (8, LARGE):
        division = builder.drawn(count, settings, name=f"{count} players")
        builder.play(division, most=4)
        client.get(page_of(division))
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(page_of(division), headers={"accept-encoding": "gzip"})
        query_counts.append(len(queries))
    assert answer["Content-Encoding"] == "gzip"
    assert len(answer.content) <= MAX_COMPRESSED
    assert len(gzip.decompress(answer.content)) > MAX_COMPRESSED
    assert query_counts[0] == query_counts[1] <= MAX_QUERIES


@pytest.mark.slow
def test_closed_sections_of_a_very_large_event_are_loaded_separately(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(LARGE, DOUBLE_TWICE)
    html = page_html(client.get(page_of(division)))
    assert 'href="?section=main-3#main-3"' in html
    assert 'id="main-3"' not in html
    section_page = page_html(client.get(f"{page_of(division)}?section=main-3"))
    assert '<details class="part" id="main-3" open>' in section_page
    everything = page_html(client.get(f"{page_of(division)}?section=all"))
    assert everything.count("<li class=") >= Fixture.objects.filter(stage__division=division).count()


@OF_EVERY_FORMAT
def test_the_page_of_every_format_can_be_read_at_any_time(
    builder: DivisionBuilder, client: Client, count: int, stages: tuple[StageSettings, ...], expected: DraftCounts
) -> None:
    division = builder.drawn(count, *stages)
    for most in (0, 3):
        builder.play(division, most=most)
        page_text = text_of(client, page_of(division))
        assert f"{count} players" in page_text
    if stages[0].format not in ELIMINATION:
        assert "Matches by round" in page_text
    assert expected.entered == count


# Where a reader begins, and what letters mean


def test_the_page_marks_the_round_that_is_played(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(8, StageSettings(KNOCKOUT))
    for played, current in ((0, "main-1-1"), (4, "main-1-2"), (6, "main-1-3")):
        builder.play(division, most=played - Fixture.objects.filter(stage__division=division, status="decided").count())
        html = page_html(client.get(page_of(division)))
        assert re.findall(r'<section class="round[^"]* is-current"\s+id="([^"]+)"', html) == [current]
        assert re.findall(r'<a href="#([^"]+)"\s+aria-current="true"', html) == [current]
        assert html.count('id="now"') == 1
    builder.play(division)
    html = page_html(client.get(page_of(division)))
    assert "is-current" not in html
    assert 'id="now"' not in html


def test_only_the_first_bracket_that_goes_on_is_led_to(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(8, PROGRESSIVE_ALL)
    html = page_html(client.get(page_of(division)))
    assert html.count("is-current") == 3
    assert html.count('id="now"') == 1
    main = Fixture.objects.filter(stage__division=division, round__bracket__key="main")
    while (fixture := main.filter(status="ready").order_by("number").first()) is not None:
        builder.win(fixture_of(division, fixture.number), 0)
    html = page_html(client.get(page_of(division)))
    assert html.index('id="tree-consolation"') < html.index('id="now"') < html.index('id="tree-last_chance"')


@pytest.mark.slow
def test_rounds_with_a_letter_explain_themselves(builder: DivisionBuilder, client: Client) -> None:
    division = builder.drawn(16, PROGRESSIVE_ALL)
    shown = text_of(client, page_of(division))
    assert "C1 is the first round of the consolation, which players enter when they lose in the main draw." in shown
    assert "L1 is the first round of the last chance, which players enter when they lose in the consolation." in shown
    for key, words in (("consolation", "Consolation, round 2"), ("last_chance", "Last chance, round 2")):
        fixture = Fixture.objects.filter(stage__division=division, round__bracket__key=key, round__number=2)[0]
        assert f"M{fixture.number} , {words}" in box_of(client, division, fixture.number)
    double = builder.drawn(8, StageSettings(DOUBLE), name="Double")
    assert "L1 is the first round of the lower bracket" in text_of(client, page_of(double))
    assert "L1 is" not in text_of(client, page_of(builder.drawn(8, StageSettings(KNOCKOUT), name="Single")))
