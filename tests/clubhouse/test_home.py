"""The home page: which board visitors see, and what members see of their own."""

import re
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.live import audience
from engine.actions import Act, Phase
from engine.clock import DAY, ClockSettings
from matches.lifecycle.opening import MatchSettings, Opening, open_matches
from matches.models import LiveMatch, Match
from matches.play import due
from matches.play.acting import ActionInput, act
from matches.play.live import EventKind
from matches.play.lobby.services import start_practice
from matches.play.starting import PlaySettings, commit_chain, start
from players.accounts.services import ensure_player
from players.actors import SYSTEM, Actor
from players.clubs.services import create_club
from players.models import Club, Notification, Player, User
from tests.event_cast import RunningEvent
from tests.tournaments.support.correcting import KNOCKOUT, Cup, won_by
from tournaments.floor.evening import open_floor

pytestmark = pytest.mark.django_db

SHOWN, SMALL = "home-board", "home-small-board"


def shown(client: Client) -> str:
    response = client.get("/")
    assert response.status_code == 200
    return response.content.decode()


def board_of(page: str) -> str:
    """The part with the board."""
    return page[page.index('<figure class="hero-board"') : page.index("</figure>")]


def begin(match: Match, settings: PlaySettings, *, act_until: int = 6) -> Match:
    """Open the board of a match and play some actions."""
    now = timezone.now()
    start(match=match, settings=settings, by=SYSTEM, now=now)
    for side in (0, 1):
        commit_chain(match=match, side=side, anchor="", by=SYSTEM, now=now)
        act(match=match, side=side, request=ActionInput(EventKind.READY, side), by=SYSTEM, now=now)
    for _ in range(act_until):
        move(match)
    match.refresh_from_db()
    return match


def move(match: Match) -> None:
    """Let the side to act roll or play."""
    live = LiveMatch.objects.select_related("match").get(pk=match.pk)
    game = due.state_of(live).match
    if game.phase is Phase.TO_ROLL:
        request = ActionInput(Act.ROLL, live.last)
    else:
        moves = tuple((step.source, step.target) for play in game.legal_plays()[:1] for step in play.steps)
        request = ActionInput(Act.PLAY, live.last, moves=moves)
    assert game.to_act is not None
    act(match=match, side=game.to_act, request=request, by=SYSTEM, now=timezone.now())


def live_match(left: str, right: str, *, visibility: str = Match.Visibility.PUBLIC, delay: int | None = 0) -> Match:
    """A match that is being played."""
    players = Player.objects.create(name=left), Player.objects.create(name=right)
    settings = MatchSettings(visibility=Match.Visibility(visibility))
    match = open_matches([Opening(players, 5)], settings=settings, by=SYSTEM, now=timezone.now())[0]
    return begin(match, PlaySettings(server_chains=True, spectators_delay=delay))


def played_final() -> Match:
    """The final of a knockout of four, played here and conceded."""
    cup = Cup.create(4, KNOCKOUT)
    cup.play(Random(1), most=0)
    for fixture in cup.ready():
        cup.report(fixture, won_by(0))
    match = cup.ready()[0].match
    assert match is not None
    begin(match, PlaySettings(server_chains=True), act_until=8)
    live = LiveMatch.objects.get(pk=match.pk)
    act(match=match, side=0, request=ActionInput(Act.CONCEDE, live.last), by=SYSTEM, now=timezone.now())
    match.refresh_from_db()
    assert match.state == Match.State.SETTLED
    return match


def test_a_visitor_reads_three_verbs_and_has_one_primary_button(client: Client) -> None:
    page = shown(client)
    for verb in ("Run the club night.", "Play the match.", "Watch the final."):
        assert verb in page
    assert page.count("button-primary") == 1
    assert re.search(r'button-primary" href="/play/guest/"', page)
    assert '/sign-up/?next=/start/"' in page
    assert "A result is a fact" not in page
    assert "can be checked" not in page.lower()


def test_without_a_match_the_board_is_a_fixed_position(client: Client) -> None:
    board = board_of(shown(client))
    assert 'data-kind="position"' in board
    assert "home-board-settings" not in board


def test_the_board_is_the_match_that_most_people_watch(client: Client) -> None:
    live_match("Anna", "Berit")
    watched = live_match("Clara", "Dora")
    name = audience._PREFIX + watched.public_id
    audience._client().zadd(name, {"somebody": timezone.now().timestamp() + audience.LASTS})
    try:
        board = board_of(shown(client))
    finally:
        audience._client().delete(name)
    assert 'data-kind="live"' in board
    assert "Clara" in board
    assert "Anna" not in board
    assert f'href="/matches/{watched.public_id}/play/"' in board


@pytest.mark.parametrize(
    "hidden", [{"visibility": "club"}, {"visibility": "private"}, {"delay": 5}, {"delay": None}], ids=str
)
def test_the_board_shows_no_match_that_is_hidden_or_behind(client: Client, hidden: dict[str, object]) -> None:
    match = live_match("Anna", "Berit", **hidden)  # type: ignore[arg-type]
    board = board_of(shown(client))
    assert 'data-kind="position"' in board
    assert match.public_id not in board
    Match.objects.filter(pk=match.pk).update(visibility="public")
    LiveMatch.objects.filter(pk=match.pk).update(spectators_delay=0)
    assert match.public_id in board_of(shown(client)), "the control"


def test_whoever_shows_initials_is_named_by_them(client: Client) -> None:
    match = live_match("Anna Hidden", "Berit")
    Player.objects.filter(pk=match.player_0_id).update(initials_only=True)
    assert "Hidden" not in shown(client)
    Match.objects.filter(pk=match.pk).update(state=Match.State.VOID)
    final = played_final()
    Player.objects.filter(pk=final.player_0_id).update(name="Zita Hidden", initials_only=True)
    page = shown(client)
    assert 'data-kind="replay"' in page
    assert "Hidden" not in page


def test_practice_is_not_watched(client: Client, bob: User) -> None:
    start_practice(player=ensure_player(user=bob, by=SYSTEM), style="club", length=3, by=SYSTEM, now=timezone.now())
    assert 'data-kind="position"' in shown(client)


def test_without_a_live_match_the_last_final_is_replayed(client: Client) -> None:
    final = played_final()
    board = board_of(shown(client))
    assert 'data-kind="replay"' in board
    assert f'href="/matches/{final.public_id}/replay/"' in board
    assert '"steps": [' in board
    Match.objects.filter(pk=final.pk).update(visibility=Match.Visibility.PRIVATE)
    assert 'data-kind="position"' in shown(client)


def test_the_site_counts_itself_above_five_clubs(client: Client) -> None:
    for number in range(6):
        assert "hero-numbers" not in shown(client)
        create_club(name=f"Club {number}", by=SYSTEM)
    Club.objects.update(accepted_at=timezone.now())
    assert "<li>6 clubs</li>" in shown(client)


def test_start_leads_to_a_club_or_to_the_club_night(client: Client, alice: User) -> None:
    assert client.get("/start/").headers["Location"] == "/sign-in/?next=/start/"
    client.force_login(alice)
    assert client.get("/start/").headers["Location"] == "/clubs/new/"
    club = create_club(name="Harbour", by=Actor.of(alice))
    assert client.get("/start/").headers["Location"] == f"/clubs/{club.slug}/tonight/"


# Members


def correspondence(bob: Player, count: int) -> None:
    """Matches in which it is Bob's turn, the most urgent last."""
    settings = PlaySettings(ClockSettings(2 * DAY, 0, correspondence=True), server_chains=True)
    for number in range(count):
        rival = Player.objects.create(name=f"Rival {number}")
        match = open_matches([Opening((bob, rival), 3)], settings=MatchSettings(), by=SYSTEM, now=timezone.now())[0]
        begin(match, settings, act_until=0)
        while due.state_of(LiveMatch.objects.get(pk=match.pk)).match.to_act != 0:
            move(match)
        Match.objects.filter(pk=match.pk).update(due_at=timezone.now() + timedelta(hours=30 - number))


def test_a_new_member_is_shown_where_to_begin(client: Client, bob: User) -> None:
    client.force_login(bob)
    page = shown(client)
    for way in ("/lobby/practice/", "/clubs/", "/events/"):
        assert re.search(rf'class="button[^"]*" href="{way}"', page)
    assert page.count("button-primary") == 1


def test_three_boards_wait_with_the_most_urgent_first(client: Client, bob: User) -> None:
    player = ensure_player(user=bob, by=SYSTEM)
    correspondence(player, 4)
    client.force_login(bob)
    page = shown(client)
    assert page.count(SMALL) == 3
    assert "Next board (4)" in page
    assert page.index("Rival 3") < page.index("Rival 2") < page.index("Rival 1")
    assert "Rival 0" not in page
    assert page.count("button-primary") == 1
    urgent = Match.objects.order_by("due_at")[0]
    assert page.count(f'href="/matches/{urgent.public_id}/play/"') == 2


def test_a_running_friendly_is_marked(client: Client, bob: User) -> None:
    players = ensure_player(user=bob, by=SYSTEM), Player.objects.create(name="Rival")
    match = open_matches([Opening(players, 5)], settings=MatchSettings(), by=SYSTEM, now=timezone.now())[0]
    client.force_login(bob)
    assert "Your next match" in shown(client)
    begin(match, PlaySettings(server_chains=True), act_until=2)
    page = shown(client)
    assert "Being played now" in page
    assert "Your next match" not in page


def test_a_board_on_which_the_next_game_is_to_begin_waits_as_the_header_says(client: Client, bob: User) -> None:
    player = ensure_player(user=bob, by=SYSTEM)
    correspondence(player, 1)
    match = Match.objects.get()
    for side, kind, value in ((0, Act.RESIGN, 1), (1, Act.ACCEPT, None)):
        request = ActionInput(kind, LiveMatch.objects.get().last, value=value)
        act(match=match, side=side, request=request, by=SYSTEM, now=timezone.now())
    client.force_login(bob)
    page = shown(client)
    assert "Your move (1)" in page
    assert "Next board (1)" in page
    assert "Ready to play" in page


@pytest.mark.slow
def test_the_queries_do_not_depend_on_how_many_boards_wait(client: Client, bob: User) -> None:
    player = ensure_player(user=bob, by=SYSTEM)
    client.force_login(bob)
    shown(client)
    counts = []
    for more in (3, 6):
        correspondence(player, more)
        # The bell looks at some of the invitations that are unread, on every page.
        Notification.objects.update(read_at=timezone.now())
        with CaptureQueriesContext(connection) as queries:
            shown(client)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 40


def test_a_members_page_shows_nothing_of_others(client: Client, bob: User, carol: User) -> None:
    correspondence(ensure_player(user=bob, by=SYSTEM), 1)
    client.force_login(carol)
    assert "Rival" not in shown(client)


def test_the_latest_results_say_which_match_was_conceded(client: Client, bob: User) -> None:
    players = ensure_player(user=bob, by=SYSTEM), Player.objects.create(name="Rival")
    match = open_matches([Opening(players, 5)], settings=MatchSettings(), by=SYSTEM, now=timezone.now())[0]
    begin(match, PlaySettings(server_chains=True), act_until=2)
    last = LiveMatch.objects.get(pk=match.pk).last
    act(match=match, side=1, request=ActionInput(Act.CONCEDE, last), by=SYSTEM, now=timezone.now())
    client.force_login(bob)
    for path in ("/", "/my/"):
        page = client.get(path).content.decode()
        assert "0–0" not in page, f"{path}: nobody won 0–0"
        assert "conceded" in page, path


# The navigation


def navigation(page: str) -> list[str]:
    """The entries, the current one with a star."""
    nav = page[page.index('<nav class="site-nav') : page.index("</nav>")]
    links = re.findall(r"<a href=\"[^\"]+\" ([^>]*)>(.*?)</a>", nav, re.DOTALL)
    return [re.sub(r"<svg.*?</svg>|\s+", " ", text, flags=re.DOTALL).strip() + "*" * bool(mark) for mark, text in links]


def test_the_page_of_a_club_keeps_the_tabs_of_the_site(client: Client, bob: User) -> None:
    create_club(name="Harbour", by=SYSTEM)
    client.force_login(bob)
    tabs = navigation(client.get("/clubs/harbour/").content.decode())
    assert tabs == ["Play", "Events", "My matches", "Club*", "Rankings"]


@pytest.mark.parametrize(
    ("path", "entry"),
    [("/lobby/", "Play"), ("/check/", "Play"), ("/events/", "Events"), ("/my/", "My matches"), ("/clubs/", "Clubs")],
)
def test_the_navigation_marks_where_one_is(client: Client, bob: User, path: str, entry: str) -> None:
    client.force_login(bob)
    entries = ["Play", "Events", "My matches", "Clubs", "Rankings"]
    assert navigation(shown(client)) == entries
    marked = navigation(client.get(path).content.decode())
    assert marked == [f"{name}*" if name == entry else name for name in entries]


def test_checking_a_match_and_the_api_are_in_the_footer(client: Client) -> None:
    page = shown(client)
    assert navigation(page) == ["Play", "Events", "Clubs", "Rankings"]
    footer = page[page.index('<footer class="site-footer"') :]
    assert 'href="/check/"' in footer
    assert 'href="/api/docs/"' in footer


def test_the_evening_is_on_top_for_who_plays_and_for_who_runs_it(
    running: RunningEvent, by_alice: Actor, alice: User, bob: User, dave: User, as_user: Any
) -> None:
    tonight = 'class="card row row-between home-evening"'
    assert tonight not in shown(as_user(bob)), "its floor is not open"
    open_floor(tournament=running.tournament, by=by_alice, now=timezone.now())
    assert tonight in shown(as_user(bob))
    assert f"{running.url}floor/" not in shown(as_user(bob))
    assert f"{running.url}floor/" in shown(as_user(alice)).split("home-columns")[0]
    for user in (alice, bob):
        assert shown(as_user(user)).count(f'href="{running.url}"') == 1, "named once"
    assert tonight not in shown(as_user(dave))
