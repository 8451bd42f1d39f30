"""Re-entry: a player who is out of the main bracket enters again and takes a bye."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from importlib import import_module
from random import Random
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from engine.errors import Refused
from formats.elimination.knockout import knockout
from formats.facts import Result, Withdrawal
from formats.graph import MAIN
from formats.progress import progress
from formats.settings import StageSettings
from formats.states import FixtureStatus
from matches.lifecycle import links
from matches.models import Match
from matches.reporting import appointments, calendars, reports
from players.actors import Actor
from players.models import Notification, Player, User
from players.notifications.kinds import texts_of
from tests.pages import html
from tests.tiers import first_in_make_test
from tests.tournaments.support.entries import refusal_code, slot_states
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean
from tournaments.entries.event_links import path_for
from tournaments.entries.late import preview_undo, undo_late
from tournaments.entries.reentries import preview_reentry, reenter, reenterable
from tournaments.entries.substitutions import SubstituteInput, substitute
from tournaments.events.services import update_division
from tournaments.floor import calls
from tournaments.floor.evening import open_floor
from tournaments.ledger.accounts import division_charges
from tournaments.models import Division, Entry, Fixture, Slot
from tournaments.state.integrity import differences

pytestmark = pytest.mark.django_db
Begun = Callable[..., DivisionDriver]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """Return a function that starts a division in which players can enter again for a day."""

    def make(format_: str, count: int, *, keeps: bool = True, hours: int = 24, **values: object) -> DivisionDriver:
        driver = DivisionDriver(make_division(**values), by_alice)
        driver.enter(make_players(count))
        driver.begin(StageSettings(format_))
        change(driver, reentry_until=driver.at + timedelta(hours=hours), reentry_keeps=keeps)
        return driver

    return make


def change(driver: DivisionDriver, **values: object) -> None:
    update_division(division=driver.division, after=driver.seq, by=driver.by, now=driver.now(), **values)
    driver.division.refresh_from_db()


def fresh(entry: Entry) -> Entry:
    return Entry.objects.select_related("division__tournament__club", "player").get(pk=entry.pk)


def losers(driver: DivisionDriver) -> list[Entry]:
    """Return the entries that lost a match of the main bracket, in the order of the matches."""
    rows = Fixture.objects.filter(stage__division=driver.division, round__bracket__key=MAIN, status="decided")
    slots = [
        row.slots.get(side=1 - (row.match.results.order_by("-version")[0].winner or 0))
        for row in rows.order_by("number").select_related("match")
    ]
    return [fresh(slot.entry) for slot in slots if slot.entry is not None]


def again(driver: DivisionDriver, entry: Entry) -> Entry:
    seen = preview_reentry(entry=fresh(entry), now=driver.at).seq
    return reenter(entry=fresh(entry), after=seen, by=driver.by, now=driver.now())


def has_bye(driver: DivisionDriver, entry: int) -> bool:
    """Whether a bye is left; nobody is refused for another reason."""
    try:
        preview_reentry(entry=fresh(Entry(pk=entry)), now=driver.at)
    except Refused as refused:
        if refused.code != "reentry_without_bye":
            raise
        return False
    return True


def undo(driver: DivisionDriver, entry: Entry) -> None:
    undo_late(entry=fresh(entry), after=preview_undo(entry=fresh(entry)).seq, by=driver.by, now=driver.now())


@pytest.mark.parametrize(
    ("format_", "count", "keeps"), [("knockout", 5, False), ("progressive", 11, False), ("progressive", 13, True)]
)
def test_a_reentry_is_what_its_preview_says_and_undoing_it_restores_everything(
    begun: Begun, format_: str, count: int, keeps: bool
) -> None:
    chance = Random(count)
    driver = begun(format_, count, keeps=keeps)
    driver.report(next(row for row in driver.ready() if row.round.number == 1), chance.randrange(2))
    (loser,) = losers(driver)
    before = slot_states(driver)

    preview = preview_reentry(entry=loser, now=driver.at)
    assert slot_states(driver) == before
    entry = again(driver, loser)
    assert (entry.number, entry.player, entry.status) == (2, loser.player, Entry.Status.IN)
    foreseen = {
        (change.row.number, side): (slot.status.value, entry.pk if slot.entry == 0 else slot.entry)
        for change in preview.following.changes
        for side, slot in enumerate(change.after.slots)
    }
    after = slot_states(driver)
    assert foreseen.items() <= {row[:2]: row[2:4] for row in after}.items()
    own = Slot.objects.get(source_entry=entry)
    assert own.fixture.slots.exclude(pk=own.pk).get().entry_id in preview.newcomer.byes
    leaves = format_ == "progressive" and not keeps
    assert (preview.leaves, fresh(loser).status == Entry.Status.OUT) == (leaves, leaves)
    assert is_clean()

    undo(driver, entry)
    assert slot_states(driver) == before
    assert fresh(loser).status == Entry.Status.IN
    assert is_clean()


@pytest.mark.parametrize(("format_", "count", "keeps"), [("knockout", 13, False), ("progressive", 11, False)])
def test_reentries_are_undone_in_any_order(begun: Begun, format_: str, count: int, keeps: bool) -> None:
    driver = begun(format_, count, keeps=keeps)
    for row in [row for row in driver.ready() if row.round.number == 1][:2]:
        driver.report(row, 0)
    before = slot_states(driver)
    entered = [again(driver, loser) for loser in losers(driver) if has_bye(driver, loser.pk)]
    assert len(entered) == 2
    for entry in entered:
        undo(driver, entry)
        assert is_clean()
    assert slot_states(driver) == before


@pytest.mark.parametrize("seed", first_in_make_test(0, 2))
def test_evenings_with_reentries_end_without_anybody_meeting_themselves(begun: Begun, seed: int) -> None:
    chance = Random(seed)
    driver = begun("progressive", 5 + seed * 2)
    count = 0
    while ready := driver.ready():
        driver.report(chance.choice(ready), chance.randrange(2))
        driver.division.refresh_from_db()
        for loser in sorted(reenterable(driver.division, driver.at)):
            if has_bye(driver, loser):
                again(driver, Entry.objects.get(pk=loser))
                count += 1
    driver.division.refresh_from_db()
    assert count > 0
    assert driver.division.status == Division.Status.FINISHED
    assert is_clean()


def test_two_entries_of_one_player_play_no_match_and_the_earlier_one_advances() -> None:
    graph = replace(knockout([1, 2, 9, 4]), persons=(frozenset((1, 9)),))
    first, second, final = graph.fixtures
    results = {first: Result(0, (7, 3)), second: Result(0, (7, 3))}
    state = progress(graph, results).fixtures[final]
    assert (state.status, state.winner.entry, state.loser.entry) == (FixtureStatus.WALKOVER, 1, 9)
    assert (state.entrants, state.walkover) == (None, None), "no match is opened and no result is recorded"
    others = progress(graph, results | {second: Result(1, (3, 7))}).fixtures[final]
    assert (others.status, others.entrants) == (FixtureStatus.READY, (1, 4))
    withdrawn = progress(graph, results, [Withdrawal(1, None)]).fixtures[final]
    assert withdrawn.winner.entry == 9


def test_who_cannot_enter_again(begun: Begun, by_alice: Actor) -> None:
    driver = begun("progressive", 7)
    decided, *_, other = (row for row in driver.ready() if row.round.number == 1)
    first, second = (fresh(slot.entry) for slot in other.slots.all())
    assert refusal_code(lambda: again(driver, first)) == "reentry_still_in"
    driver.report(decided, 0)
    (loser,) = losers(driver)
    change(driver, reentry_until=None)
    assert refusal_code(lambda: again(driver, loser)) == "reentry_not_offered"
    change(driver, reentry_until=driver.at)
    assert refusal_code(lambda: again(driver, loser)) == "reentry_closed"
    change(driver, reentry_until=driver.at + timedelta(days=1))
    stale = driver.seq
    Entry.objects.filter(pk=loser.pk).update(team="CBC")
    entry = again(driver, loser)
    assert entry.team == "CBC"
    assert refusal_code(lambda: reenter(entry=loser, after=stale, by=driver.by, now=driver.now())) == "stale"
    assert refusal_code(lambda: again(driver, loser)) == "reentry_still_in"
    assert refusal_code(lambda: change(driver, reentry_until=None)) == "reentry_in_use"
    dave = SubstituteInput("Dave")
    refused = refusal_code(
        lambda: substitute(entry=fresh(entry), substitute=dave, after=driver.seq, by=driver.by, now=driver.now())
    )
    assert refused == "reentry_without_substitute"
    driver.report(other, 0)
    assert refusal_code(lambda: again(driver, second)) == "reentry_without_bye"


def test_a_reentry_costs_the_fee_of_a_reentry_until_it_is_undone(begun: Begun) -> None:
    driver = begun("knockout", 3, fee=1500)
    driver.report(next(row for row in driver.ready() if row.round.number == 1), 0)
    (loser,) = losers(driver)
    entry = again(driver, loser)
    assert [charge.entry.pk for charge in division_charges(driver.division) if charge.is_reentry] == [entry.pk]
    undo(driver, entry)
    assert not any(charge.is_reentry for charge in division_charges(driver.division))


def test_a_director_lets_a_loser_enter_again_and_undoes_it(begun: Begun, alice_client: Client) -> None:
    driver = begun("knockout", 3, fee=2)
    change(driver, reentry_until=timezone.now() + timedelta(days=1))
    driver.report(next(row for row in driver.ready() if row.round.number == 1), 0)
    (loser,) = losers(driver)
    base = f"/events/harbour/{driver.division.tournament.slug}/"
    division = f"{base}{driver.division.public_id}/"
    rows = [
        alice_client.get(f"{base}check-in/?more={entry.public_id}").content.decode()
        for entry in driver.division.entries.all()
    ]
    page = "".join(rows)
    path = f"{base}entries/{loser.public_id}/re-enter/"
    assert page.count("/re-enter/") == 1
    assert path in page
    name = loser.player.name
    preview = alice_client.get(path).content.decode()
    assert f"{name} (2) takes the only free bye, which is that of" in preview
    assert "The fee is 1 ticket." in preview
    done = alice_client.post(path, {"after": driver.seq, "reason": ""}, follow=True).content.decode()
    assert f"{name} (2) was entered. {name} (2) takes the bye of" in done
    bracket = alice_client.get(division).content.decode()
    assert f"{name} (2)" in bracket

    entry = driver.division.entries.get(number=2)
    api = f"/api/v1/entries/{entry.public_id}/undo-late/"
    assert alice_client.post(api, {"after": driver.seq}, content_type="application/json").status_code == 200
    api = f"/api/v1/entries/{loser.public_id}/re-enter/"
    seen = alice_client.get(api).json()
    assert f"{name} (2)" in seen["divisions"][0]["notes"][0]
    answer = alice_client.post(api, {"after": seen["after"]}, content_type="application/json")
    assert (answer.status_code, answer.json()["number"]) == (201, 2)


def with_reentry(begun: Begun) -> tuple[DivisionDriver, Fixture, str]:
    """Return a knockout of three whose first loser has entered again, their next match, and their name in it."""
    driver = begun("knockout", 3)
    change(driver, reentry_until=timezone.now() + timedelta(days=1))
    driver.report(next(row for row in driver.ready() if row.round.number == 1), 0)
    (loser,) = losers(driver)
    again(driver, loser)
    rows = Fixture.objects.filter(stage__division=driver.division, slots__entry__number=2)
    fixture = rows.select_related("stage__division", "match__player_0", "match__player_1").get()
    return driver, fixture, f"{loser.player.name} (2)"


@pytest.mark.slow
def test_every_page_that_names_a_reentered_player_says_which_entry_it_is(
    begun: Begun, alice_client: Client, client: Client
) -> None:
    driver, fixture, name = with_reentry(begun)
    event = driver.division.tournament
    base, api = f"/events/harbour/{event.slug}/", "/api/v1/"
    open_floor(tournament=event, by=driver.by, now=driver.now())
    places = {
        alice_client: [
            base,
            f"{base}console/?list=1",
            f"{base}floor/",
            f"{base}floor/matches/{fixture.public_id}/",
            f"{base}fixtures/{fixture.public_id}/",
            f"{base}floor/preview/?line=m{fixture.number} 7-1",
            f"{base}paper/score-sheets/",
            f"{base}paper/draws/",
            f"{base}console/log/",
            f"{base}paper/entries/",
            f"{base}paper/pairings/",
            f"{base}paper/snapshot/",
        ],
        client: [
            base,
            f"{base}wall/",
            f"{base}{driver.division.public_id}/",
            f"{base}{driver.division.public_id}/pairings/",
            f"{base}{driver.division.public_id}/embed/bracket/",
            f"{api}divisions/{driver.division.public_id}/fixtures/",
            f"{api}divisions/{driver.division.public_id}/bracket/",
            f"{api}divisions/{driver.division.public_id}/pairings/",
            f"{api}tournaments/{event.public_id}/floor/",
        ],
    }
    unnumbered = [
        path for reader, paths in places.items() for path in paths if name not in html(reader.get(path, follow=True))
    ]
    assert unnumbered == []
    started = html(alice_client.post(f"{base}floor/line/", {"line": f"m{fixture.number} start"}, follow=True))
    assert re.search(rf"{re.escape(name)}( – Player \d)? has started", started)
    entered = html(alice_client.post(f"{base}floor/line/", {"line": f"m{fixture.number} 7-1"}, follow=True))
    assert entered.count(name) >= 2, "the message and “Just in”"


@pytest.mark.slow
def test_pages_calendar_and_messages_of_their_match_name_a_reentered_player_by_entry(
    begun: Begun, bob: User, as_user: Callable[[User], Client]
) -> None:
    driver, fixture, name = with_reentry(begun)
    match, event = fixture.match, driver.division.tournament
    assert match is not None
    (side,) = (side for side, shown in enumerate(match.names) if shown == name)
    opponent = match.players[1 - side]
    opponent.user = bob
    opponent.save()
    open_floor(tournament=event, by=driver.by, now=driver.now())
    calls.start(fixture=fixture, by=driver.by, now=driver.now())
    now = timezone.now()
    at = now + timedelta(hours=3)
    offer = appointments.Dates([at])
    proposed = appointments.propose(match=match, side=side, offer=offer, by=Actor.link(side), now=now)
    appointments.accept(proposal=proposed, side=1 - side, time=proposed.instants[0], by=Actor.link(1 - side), now=now)
    link, feed = f"/m/{links.token_for(match, 1 - side)}/", calendars.renew(user=bob, now=now)
    paths = [
        "/my/",
        link,
        f"{link}appointment.ics",
        f"{link}report/?score_{side}=7&score_{1 - side}=1",
        path_for(event, opponent, 0),
        reverse("calendar-feed", args=[calendars.token_of(feed)]),
        f"/matches/{match.public_id}/",
        f"/api/v1/matches/{match.public_id}/",
    ]
    reader = as_user(bob)

    def unnumbered() -> list[str]:
        """The pages that do not name the player, or somewhere without the number."""
        pages = {path: html(reader.get(path)).replace("\r\n ", "") for path in paths}
        # Whom a side stands for are people, whatever their entry is.
        pages = {path: re.sub(r'"people":\s?\[[^]]*\]', "", page) for path, page in pages.items()}
        plain = re.compile(rf"{name.removesuffix(' (2)')}(?! \(2\))")
        return [path for path, page in pages.items() if name not in page or plain.search(page)]

    assert unnumbered() == []
    report = reports.ScoreReport(side, (7, 1) if side == 0 else (1, 7))
    reports.report_score(match=match, side=side, report=report, by=Actor.link(side), now=now)
    paths.remove(reverse("calendar-feed", args=[calendars.token_of(feed)]))
    assert unnumbered() == []
    sentences = [text.sentence for text in texts_of(list(Notification.objects.filter(user=bob)))]
    assert len(sentences) >= 2
    assert [sentence for sentence in sentences if name not in sentence] == []


def test_matches_from_before_they_had_numbers_are_numbered_by_the_migration_and_by_rebuilding(begun: Begun) -> None:
    _driver, fixture, name = with_reentry(begun)
    matches = Match.objects.filter(pk=fixture.match_id)
    migration: Any = import_module("tournaments.migrations.0009_number_reentries")
    for repair in (partial(migration.number_matches, apps, None), partial(call_command, "rebuild", verbosity=0)):
        matches.update(entry_number_0=1, entry_number_1=1)
        assert [difference.what for difference in differences()] == ["players and entry numbers"]
        repair()
        assert name in matches.get().names
        assert is_clean()
