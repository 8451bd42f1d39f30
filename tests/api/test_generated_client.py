"""A client that openapi-python-client generates from the API description calls every operation of a real server."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from PIL import Image
from rest_framework.throttling import SimpleRateThrottle

from config.api_schema import OWN_LIMITS
from engine.records import write
from engine.simulation import play_out
from matches.lifecycle import arrivals
from matches.models import Claim, Match, Submission
from matches.play import bots
from matches.reporting import appointments
from matches.reporting.reports import accept_unanswered
from players.actors import SYSTEM
from players.models import Club, Player, User
from tests.api.generated import NAME, Api, Site, generate
from tests.matches.analysis.rows import analysis_of
from tests.matches.cast import match_between
from tests.matches.play.lobby.test_reviews import played
from tests.tokens import key_for
from tournaments.floor import evening
from tournaments.models import Batch, Entry, MissedMatch, Stage, Tournament

pytest.importorskip("openapi_python_client", reason="openapi-python-client is not installed")
CLUB = "harbour"
SOON = 20.0
"""Seconds that a worker may take."""


@dataclass
class Cast:
    """Alice directs, Bob and Carol play, Dave has no role; nobody is signed in."""

    alice: Api
    bob: Api
    carol: Api
    dave: Api
    nobody: Api


def until(ask: Callable[[], Any], is_so: Callable[[Any], bool]) -> Any:
    """Ask until the answer is as it should be, and return it."""
    deadline = time.monotonic() + SOON
    while not is_so(answer := ask()):
        assert time.monotonic() < deadline, answer
        time.sleep(0.05)
    return answer


def in_minutes(count: float) -> str:
    """Return the time this many minutes from now, as JSON."""
    return (timezone.now() + timedelta(minutes=count)).replace(second=0, microsecond=0).isoformat()


def closing_time(cast: Cast, club: str) -> str:
    """Return a time in three hours on the clocks of a club, for an evening that is long enough at any hour."""
    zone = ZoneInfo(cast.dave("clubs_retrieve", club).time_zone)
    return f"{timezone.now().astimezone(zone) + timedelta(hours=3):%H:%M}"


# Accounts.


def account(cast: Cast) -> None:
    """Erin signs up, looks after her account, and deletes it."""
    credentials = {"email": "erin@example.org", "password": "crawford-1969"}
    signed_up = cast.nobody("accounts_create", body={**credentials, "display_name": "Erin"})
    erin = cast.nobody.site.client(signed_up.token)
    assert erin("me_retrieve").player == signed_up.player
    erin("me_update", body={"time_zone": "Europe/Copenhagen", "theme": "dark"})
    erin("me_play_preferences_retrieve")
    assert erin("me_play_preferences_update", body={"sound": True}).sound is True
    kind = erin("me_notification_choices")[0].kind
    erin("me_notification_choice_update", body={"kind": kind, "channels": ["site"]})
    erin("me_notifications")
    erin("me_notifications_read")
    erin("me_calendar")
    erin("me_calendar_renew")
    erin("me_calendar_revoke")
    erin("blocks_create", body={"player": cast.bob.player})
    assert [blocked.public_id for blocked in erin("blocks_list")] == [cast.bob.player]
    erin("blocks_delete", cast.bob.player)
    export = erin("me_exports_create").public_id
    assert len(erin("me_exports_list")) == 1
    until(lambda: erin("exports_retrieve", export).state.value, lambda state: state == "done")
    assert erin("exports_archive", export).payload.read(2) == b"PK"
    other, last = (cast.nobody("tokens_create", body={**credentials, "scopes": ["read"]}) for _ in range(2))
    erin("me_tokens_revoke", str(other.id))
    assert len(erin("me_tokens_list")) == 2
    cast.nobody.site.client(last.token)("tokens_revoke")
    erin("me_erase", body={"password": credentials["password"]})


# Clubs.


def clubs(cast: Cast) -> None:
    """Dave starts a club; Alice looks after the members of hers."""
    started = cast.dave("clubs_create", body={"name": "Lighthouse", "city": "Aarhus"}).slug
    cast.dave("clubs_update", started, body={"about": "We meet on Tuesdays."})
    names = ["Aud Berg", "Bo Dahl", "Cleo Holm", "Dag Krog", "Eli Lund", "Finn Moe"]
    emblem(cast.dave, started)
    body = {"tables": 3, "closes": closing_time(cast, started), "names": names}
    evening = cast.dave("clubs_start_evening", started, body=body)
    assert evening.status.value == "running"
    assert cast.dave("tournaments_undo_start", evening.public_id).status.value == "published"
    alice = cast.alice
    assert alice("clubs_list").results
    alice("clubs_retrieve", CLUB)
    alice("clubs_analysis", CLUB)
    assert alice("clubs_classes", CLUB).points_needed == 200
    alice("clubs_commitments", CLUB)
    names = {"names": ["Elif Ristic", "Omar Kageyama", "Uma Ferrari", "Ines Silva", "Omar K."], "choices": {"4": "new"}}
    elif_, omar, uma, ines, twice = (found.player.public_id for found in alice("members_paste", CLUB, body=names))
    assert len(alice("members_list", CLUB).results) >= 5
    alice("members_create", CLUB, body={"name": "Nils"})
    alice("members_create", CLUB, body={"player": cast.dave.player})
    alice("members_retrieve", CLUB, elif_)
    alice("members_update", CLUB, cast.dave.player, body={"role": "assistant"})
    alice("members_edit_name", CLUB, elif_, body={"name": "Elif Nord", "country": "DK"})
    alice("members_invite", CLUB, elif_, body={"email": ""})
    alice("members_uninvite", CLUB, elif_)
    alice("members_exports_create", CLUB, uma)
    alice("members_exports_list", CLUB, uma)
    merged = alice("members_merge", CLUB, twice, body={"into": omar}).id
    assert [row.id for row in alice("merges_list", CLUB)] == [merged]
    alice("merges_undo", CLUB, str(merged))
    alice("members_erase", CLUB, twice, body={"name": "Omar K."})
    alice("members_remove", CLUB, uma)
    link = alice("members_invite", CLUB, ines, body={"email": ""}).url
    signed_up = cast.nobody(
        "accounts_create",
        body={"email": "ines@example.org", "password": "crawford-1969", "display_name": "Ines"},
    )
    accepting = cast.nobody.site.client(signed_up.token)
    assert accepting("invitations_accept", body={"secret": link.rstrip("/").rpartition("/")[2]}).name == "Ines"


def emblem(director: Api, club: str) -> None:
    """A club's picture is set, and removed again."""
    models, types = import_module(f"{NAME}.models"), import_module(f"{NAME}.types")
    picture = BytesIO()
    Image.new("RGB", (64, 64), "navy").save(picture, "PNG")
    body = models.Emblem(image=types.File(BytesIO(picture.getvalue()), "emblem.png", "image/png"))
    assert director("clubs_set_emblem", club, body=body).slug == club
    director("clubs_remove_emblem", club)


def joining(cast: Cast) -> None:
    """Fay asks to join Alice's club, in the end as Nils, whom the club had entered without an account."""
    alice = cast.alice
    body = {"email": "fay@example.org", "password": "crawford-1969", "display_name": "Fay"}
    fay = cast.nobody.site.client(cast.nobody("accounts_create", body=body).token)
    fay("clubs_ask_to_join", CLUB, body={})
    fay("clubs_withdraw_request", CLUB)
    first = fay("clubs_ask_to_join", CLUB, body={}).public_id
    assert [row.public_id for row in alice("join_requests_list", CLUB)] == [first]
    alice("join_requests_refuse", CLUB, first, body={"reason": "Which of us have you met?"})
    (nils,) = fay("claimable_list", CLUB, q="Nils")
    second = fay("clubs_ask_to_join", CLUB, body={"claimed": nils.public_id}).public_id
    assert [row.public_id for row in fay("my_join_requests_list")] == [second]
    assert alice("join_requests_accept", CLUB, second, body={"link": True}).state.value == "accepted"
    (claim,) = fay("my_claims_list")
    fay("my_claims_undo", str(claim.id))


def owners(cast: Cast) -> None:
    """Alice asks Dave to own her club as well, and takes it back; it needs no other owner."""
    alice, dave = cast.alice, cast.dave
    for answer in ("owner_offers_decline", "owner_offers_accept"):
        offer = alice("members_offer_ownership", CLUB, dave.player, body={"then": "owner"}).public_id
        dave(answer, offer)
    assert alice("owner_offers_undo", offer, body={"password": "crawford-1969"}).state.value == "undone"
    dave.refused(422, "clubs_ask_for_owner", CLUB, body={"reason": "Alice is away."})
    alice.refused(403, "ownerless_answer", CLUB, body={"player": dave.player, "reason": "He is here."})


def rating_pools(cast: Cast) -> None:
    """Alice chooses the formula of a pool of the club, and imports ratings into it; everybody reads the ranking."""
    alice, settings = cast.alice, {"start_rating": 1500, "start_experience": 0, "ramp": "before", "k_scale": 1}
    pool = str(alice("pools_create", CLUB, body={"name": "Ladder", **settings}).id)
    assert len(alice("pools_list", CLUB)) == 1
    assert alice("pools_preview", CLUB, pool, body={"name": "Club ladder", "family": "danish"}).effects == []
    changed = alice("pools_update", CLUB, pool, body={"name": "Club ladder", **settings, "after": 0})
    assert (changed.name, changed.seq) == ("Club ladder", 1)
    assert alice("pools_restore", CLUB, pool, body={"number": 1, "after": 1}).name == "Ladder"
    assert [row.number for row in alice("pool_versions_list", CLUB, pool)] == [3, 2, 1]
    assert alice("pool_formulas_create", CLUB, pool).done_at is None
    assert alice("pool_formulas_retrieve", CLUB, pool).predictions == []
    assert cast.nobody("pool_ranking_list", CLUB, pool) == []
    rows = {"kind": "starts", "text": "name,rating\nElif Nord,1650"}
    alice("pool_imports_create", CLUB, pool, body={**rows, "preview": True})
    source = alice("pool_imports_create", CLUB, pool, body={**rows, "preview": False}).id
    assert len(alice("pool_imports_list", CLUB, pool)) == 1
    alice("pool_imports_undo", CLUB, pool, str(source))


def earlier_seasons(cast: Cast) -> None:
    """Alice imports a season and everybody reads its table, until she undoes it."""
    alice, rows = cast.alice, {"name": "2019", "text": "name,place\nElif Nord,1"}
    alice("past_seasons_create", CLUB, body={**rows, "preview": True})
    season = alice("past_seasons_create", CLUB, body={**rows, "preview": False}).public_id
    assert len(alice("past_seasons_list", CLUB)) == 1
    assert alice("past_seasons_retrieve", CLUB, season).table[0].rank == 1
    days = {"first_day": "2019-09-01", "last_day": "2020-06-30"}
    assert alice("past_seasons_count", CLUB, season, body=days).counts_in
    assert alice("past_seasons_leave_out", CLUB, season, body=None).counts_in is None
    alice("past_seasons_undo", CLUB, season)
    rows = {"name": "2019", "text": "date,winner,loser,score,length\n2019-03-01,Elif Nord,Omar Lund,7-3,7"}
    assert alice("past_matches_create", CLUB, body={**rows, "preview": True}).rows == 1
    matches = alice("past_matches_create", CLUB, body={**rows, "preview": False})
    assert matches.matches == alice("past_matches_list", CLUB)[0].matches == 1
    assert alice("past_matches_undo", CLUB, matches.public_id).matches == 0
    models, types = import_module(f"{NAME}.models"), import_module(f"{NAME}.types")
    sheet = types.File(BytesIO(b"Name;Night 1;Night 2\nElif Ristic;1,5;2"), "2018.csv", "text/csv")
    asked = alice("past_seasons_create", CLUB, body=models.PastFile(name="2018", preview=True, file=sheet))
    assert [night.is_read for night in asked.nights] == [True, True]


# An event from its creation to its summary.


def division_of(alice: Api, event: str, stage: dict[str, Any], **fields: Any) -> str:
    """Add a division with one stage to an event and return its id."""
    division = alice("divisions_create", event, body={"match_length": 3, **fields})
    body = {"stages": [stage], "after": division.seq}
    (stored,) = alice("stages_set", division.public_id, body=body)
    assert stored.format_.value == stage["format"]
    return str(division.public_id)


def seq_of(alice: Api, division: str) -> int:
    """Return the number that writes to a division send as `after`."""
    return int(alice("divisions_retrieve", division).seq)


def draw(alice: Api, division: str) -> None:
    """Let a worker draw a division, and publish the draw."""
    number = alice("draws_create", division, body={"reason": "First draw"}).number
    drawn(alice, division, number)
    alice("draws_publish", division, body={"after": seq_of(alice, division)})


def drawn(alice: Api, division: str, number: int) -> Any:
    """Return a requested draft once a worker has drawn it."""
    return until(
        lambda: alice("draws_retrieve", division, number), lambda draft: bool(draft.state.value != "requested")
    )


def ready(alice: Api, division: str) -> list[Any]:
    """Return the fixtures that can be played."""
    return [row for row in alice("fixtures_list", division).results if row.status.value == "ready"]


def play(alice: Api, division: str) -> None:
    """Enter a result of every match until the division is over."""
    while fixtures := ready(alice, division):
        for fixture in fixtures:
            alice("fixtures_result", fixture.public_id, body={"score": [3, 1], "after": fixture.seq})


def create_event(alice: Api, name: str, **fields: Any) -> str:
    """Create an event and return its id."""
    body = {"club": CLUB, "name": name, "starts_at": in_minutes(-30), **fields}
    return str(alice("tournaments_create", body=body).public_id)


def whole_event(cast: Cast) -> None:
    """Alice runs an event with prizes from its creation to its summary, and drafts the next season of its league."""
    alice = cast.alice
    event = create_event(alice, "Club Open")
    alice("tournaments_update", event, body={"venue": "Café Central"})
    division = division_of(
        alice, event, {"format": "double", "lengths": [3], "second_final": True}, name="Open", fee=20
    )
    league = division_of(alice, event, {"format": "league"}, name="League")
    names = {"names": ["Elif Nord", "Omar Kageyama", "Otto Berg", "Ines Silva"]}
    for one in (division, league):
        assert len(alice("entries_paste", one, body={**names, "preview": True}).lines) == 4
        alice("entries_paste", one, body={**names, "preview": False})
    paste_table(alice, league)
    alice("stages_list", division)
    alice("outline_retrieve", division)
    alice("outline_create", division, body={"stages": [{"format": "knockout", "lengths": [3]}], "entries": 6})
    alice("divisions_update", division, body={"name": "Main", "after": seq_of(alice, division)})
    first, second, *_others = (entry.public_id for entry in alice("entries_list", division).results)
    alice("kept_apart_add", division, body={"first": first, "second": second})
    assert len(alice("kept_apart_list", division)) == 1
    alice("kept_apart_take_back", division, body={"first": first, "second": second})
    alice("tournaments_publish", event)
    money(cast, event, division, [first, second])
    draw(alice, division)
    rounds = max(len(tree.rounds) for tree in alice("divisions_bracket", division).brackets)
    assert rounds > 1
    taken_back = {"after": seq_of(alice, division), "reason": "Somebody came late."}
    alice("draws_take_back", division, body=taken_back)
    draw(alice, division)
    assert len(alice("draws_list", division).results) == 2
    play(alice, division)
    assert alice("divisions_bracket", division).status.value == "finished"
    draw(alice, league)
    alice("divisions_standings", league)
    alice("divisions_pairings", league)
    play(alice, league)
    pay_out(cast, event, division)
    assert alice("tournaments_report", event).divisions
    alice("tournaments_prizes", event)
    alice("tournaments_analysis", event)
    assert alice("tournaments_log", event).results
    assert len(alice("divisions_list", event)) == 2
    assert alice("tournaments_retrieve", event).status.value == "finished"
    assert alice("tournaments_list").results
    alice("tournaments_season", event)
    alice("tournaments_draft_season", event, body={"name": "Next season", "starts_at": in_minutes(60 * 24 * 7)})
    cancelled = create_event(alice, "Rained off")
    division_of(alice, cancelled, {"format": "knockout"}, name="Open")
    alice("tournaments_publish", cancelled)
    alice("tournaments_cancel", cancelled, body={"reason": "The café is closed."})


def paste_table(alice: Api, division: str) -> None:
    """Send a table of entries as a CSV file, in both ways in which a file can be sent."""
    models, types = import_module(f"{NAME}.models"), import_module(f"{NAME}.types")
    table = types.File(BytesIO(b"name,rating\nOtto Berg,1600\n"), "entries.csv", "text/csv")
    assert [line.name for line in alice("entries_paste", division, body=table, preview=True).lines] == ["Otto Berg"]
    table.payload.seek(0)
    assert alice("entries_paste", division, body=models.EntryFile(file=table)).entries == [], "he is entered already"


def money(cast: Cast, event: str, division: str, entries: list[str]) -> None:
    """Alice sets the prizes and takes the fees."""
    alice = cast.alice
    plan = {"brackets": [{"bracket": "final", "shares": [6000, 4000]}], "publish": True}
    alice("prize_plans_create", division, body=plan)
    alice("prize_plans_list", division)
    jackpot = {"name": "Jackpot", "fee": 10, "shares": [10_000], "order": [{"bracket": "final", "place": 1}]}
    pool = alice("side_pools_create", division, body=jackpot).public_id
    alice("side_pool_members_create", division, pool, body={"entry": entries[0]})
    alice("side_pool_members_destroy", division, pool, entries[0])
    assert len(alice("side_pools_list", division)) == 1
    alice("cash_update", event, body={"draw_needs_payment": False})
    fee = {"act": "receive", "entry": entries[0], "amount": 20, "method": "cash"}
    (payment,) = alice("cash_payments_create", event, body=fee, idempotency_key="fee of Elif")
    alice("cash_payments_take_back", event, payment.public_id)
    for entry in entries:
        alice("cash_payments_create", event, body={**fee, "entry": entry})


def pay_out(cast: Cast, event: str, division: str) -> None:
    """Those who won agree on a split; Alice closes the cash desk."""
    alice = cast.alice
    prizes = [prize for prize in alice("cash_retrieve", event).prizes if prize.bracket == "final"]
    total = sum(prize.due for prize in prizes)
    amounts = [{"entry": prizes[0].entry, "amount": total - 1}, {"entry": prizes[1].entry, "amount": 1}]
    split = alice("splits_create", division, body={"bracket": "final", "amounts": amounts}).public_id
    assert len(alice("splits_list", division)) == 1
    alice("splits_destroy", division, split)
    expected = alice("cash_retrieve", event).expected
    alice("cash_close", event, body={"counted": expected, "expected": expected})
    alice("cash_reopen", event)


def side_events(cast: Cast) -> None:
    """Alice offers a jackpot: four names start a list, and the next one is closed."""
    alice = cast.alice
    event = create_event(alice, "Side events")
    division_of(alice, event, {"format": "knockout"}, name="Open")
    alice("tournaments_publish", event)
    jackpot = {"name": "Jackpot", "size": 4, "fee": 10, "lengths": [5], "shares": [10_000]}
    offer = alice("offers_create", event, body=jackpot).public_id
    alice("offers_change", offer, body={**jackpot, "kept": 500})
    for name in ("Ulla Falk", "Vito Rossi", "Wanda Kos"):
        alice("offers_join", offer, body={"name": name, "amount": 10})
    run = alice("offers_list", event)[0].lists[0].division
    entries = [entry.public_id for entry in alice("entries_list", run).results]
    alice("offers_undo", offer, body={"entry": entries[2]})
    alice("offers_join", offer, body={"name": "Runa Moss", "amount": 10})
    alice("offers_leave", offer, body={"entry": entries[0]})
    alice("offers_start", offer, body={"division": run, "names": 2, "after": seq_of(alice, run)})
    alice("offers_close", offer)
    alice("offers_reopen", offer)


# Rounds.


def swiss_rounds(cast: Cast) -> None:
    """Alice pairs a Swiss round by round."""
    alice = cast.alice
    event = create_event(alice, "Swiss")
    division = division_of(alice, event, {"format": "swiss", "rounds": 3}, name="Swiss")
    alice("entries_paste", division, body={"names": ["Elif Nord", "Omar Kageyama", "Otto Berg", "Ines Silva"]})
    alice("tournaments_publish", event)
    draw(alice, division)
    alice("divisions_deadlines", division, body={"deadlines": [in_minutes(600)], "after": seq_of(alice, division)})
    entry = alice("entries_list", division).results[0].public_id
    alice("rounds_ask_bye", division, body={"entry": entry, "round": 3, "kind": "half"})
    alice("rounds_take_back_bye", division, body={"entry": entry, "round": 3})
    change = {"next_round": "publish", "countdown": 10, "allow_rematches": True}
    alice("rounds_change", division, body={**change, "after": seq_of(alice, division)})
    for fixture in ready(alice, division):
        alice("fixtures_result", fixture.public_id, body={"score": [3, 1], "after": fixture.seq})
    counting = until(
        lambda: alice("draws_list", division).results, lambda rows: any(row.publish_at is not None for row in rows)
    )
    assert len(counting) == 2
    alice("draws_stop_countdown", division, body={"after": seq_of(alice, division)})
    again = alice("rounds_pair", division, body={"reason": "Once more", "after": seq_of(alice, division)})
    drawn(alice, division, again.number)
    alice("draws_publish", division, body={"after": seq_of(alice, division)})
    assert alice("rounds_list", division).rounds
    body = {"round": 2, "reason": "A result was wrong.", "after": seq_of(alice, division)}
    alice("rounds_take_back", division, body=body)


# The floor, entries and rulings.


def knockout(cast: Cast, event: str, name: str, count: int = 8, **fields: Any) -> str:
    """Draw a knockout in which Bob, Carol and others play, and return its id."""
    alice = cast.alice
    division = division_of(alice, event, {"format": "knockout"}, name=name, **fields)
    for name in ("Bob", "Carol"):
        alice("entries_create", division, body={"name": name})
    others = ["Elif Nord", "Omar Kageyama", "Otto Berg", "Ines Silva", "Nils", "Per", "Siw", "Ulf"]
    if count > 2:
        alice("entries_paste", division, body={"names": others[: count - 2]})
    if alice("tournaments_retrieve", event).status.value == "draft":
        alice("tournaments_publish", event)
    draw(alice, division)
    return division


def entries(cast: Cast) -> None:
    """Players enter, come, leave, return and come late."""
    alice, bob = cast.alice, cast.bob
    event = create_event(alice, "Entries")
    helper = alice("tournaments_helpers_create", event, body={"email": "helga@example.org"}).public_id
    assert len(alice("tournaments_helpers_list", event)) == 1
    alice("tournaments_helpers_delete", event, helper)
    soon = division_of(alice, event, {"format": "knockout"}, name="Soon", self_registration=True)
    alice("tournaments_publish", event)
    own = bob("entries_register", soon).public_id
    bob("entries_retrieve", own)
    alice("entries_check_in", own, body={"present": True})
    link = bob("entries_link", own)
    bob("entries_revoke_link", own, generation=link.generation)
    bob("tournaments_leave", event, body={})
    division = knockout(cast, event, "Main", 6, reentry_until=in_minutes(120))
    place = alice("entries_list", division).results[0].public_id
    for name, field in Entry.FIELDS.items():
        written = alice(f"entries_set_{name}", place, body={name: field.example})
        assert getattr(written, name) == field.example
    alice("entries_substitute", place, body={"name": "Sten", "after": seq_of(alice, division)})
    alice("entries_undo_substitution", place, body={"after": seq_of(alice, division)})
    byes = {row.public_id for row in alice("fixtures_list", division).results if row.status.value == "ready"}
    assert byes
    entry = alice("entries_list", division).results[-1].public_id
    preview_scope = import_module(f"{NAME}.models").EntriesWithdrawPreviewScope("division")
    assert len(alice("entries_withdraw_preview", entry, scope=preview_scope)) == 1
    alice("entries_withdraw", entry, body={"scope": "division", "reason": "Ill."})
    seen = alice("entries_return_preview", entry, scope=return_scope(alice)).seen
    alice("entries_return", entry, body={"scope": "division", "seen": seen})
    late = {"name": "Late Larsen", "after": seq_of(alice, division)}
    arrived = alice("entries_create", division, body=late).public_id
    after = alice("entries_undo_late_preview", arrived).after
    alice("entries_undo_late", arrived, body={"after": after, "reason": "Wrong division."})
    fixture = next(row for row in ready(alice, division) if all(slot.source.value == "entry" for slot in row.slots))
    alice("fixtures_result", fixture.public_id, body={"score": [3, 0], "after": fixture.seq})
    loser = fixture.slots[1].entry
    after = alice("entries_re_enter_preview", loser).after
    alice("entries_re_enter", loser, body={"after": after})


def return_scope(alice: Api) -> Any:
    """Return the scope of a withdrawal as the client names it."""
    return import_module(f"{NAME}.models").EntriesReturnPreviewScope("division")


def floor(cast: Cast) -> None:
    """Alice calls matches to tables; players agree on shorter ones."""
    alice, bob, carol = cast.alice, cast.bob, cast.carol
    event = create_event(alice, "Floor", ends_at=in_minutes(-1), closing_rule="shorten")
    row = Tournament.objects.get(public_id=event)
    Tournament.objects.filter(pk=row.pk).update(tables=4)
    division = knockout(cast, event, "Pair", 2, match_length=7)
    evening.open_floor(tournament=Tournament.objects.get(pk=row.pk), by=SYSTEM, now=timezone.now())
    (fixture,) = ready(alice, division)
    Match.objects.filter(public_id=fixture.match).update(rated=False)
    for left in (2, 0):
        alice("fixtures_start_score", fixture.public_id, body={"left": left, "right": 0, "reason": "Agreed"})
    alice("tournaments_lines", event, body={"lines": "t1 call m1; m1 start"})
    alice("fixtures_deadline", fixture.public_id, body={"due_at": in_minutes(90), "after": seq(alice, fixture)})
    assert [match.number for match in alice("tournaments_floor", event).matches] == [1]
    note = {"n": 1, "action": "note", "fields": {"text": "Ann paid 20"}, "at": 1}
    other = {"n": 2, "action": "start", "fixture": fixture.public_id, "pair": ["", ""], "at": 1}
    kept = {"outbox": "k7m2p9x4qbk7m2p9x4qbk7", "now": 2, "acts": [note, other]}
    outcomes = [row.outcome for row in alice("tournaments_send_kept", event, body=kept).outcomes]
    assert outcomes == ["done", "differs"]
    assert alice("tournaments_floor", event, outbox=kept["outbox"]).kept.have == 2
    undecided = {row.action: row.act for row in alice("tournaments_undecided_kept", event)}
    assert alice("tournaments_leave_kept", event, undecided["note"]).decision == "left"
    assert alice.refused(409, "tournaments_enter_kept", event, undecided["start"]).code == "kept_still_differs"
    match = fixture.match
    bob("matches_running_score", match, body={"score": [2, 1]})
    outbox = bob("matches_kept", match, outbox="k" * 22)
    act = {"n": 1, "action": "running-score", "fields": {"score_0": 3, "score_1": 1}, "at": outbox.now}
    act |= {"pair": [row.public_id for row in Match.objects.get(public_id=match).players], "seen_at": outbox.now}
    sent = bob("matches_send_kept", match, body={"outbox": "k" * 22, "now": outbox.now, "acts": [act]})
    assert [(row.n, row.outcome) for row in sent.outcomes] == [(1, "done")]
    assert bob("matches_running_score", match, body={"score": [2, 1]}).score == [2, 1]
    offer = bob("matches_offer_length", match, body={"length": 5, "score": [2, 1]}).offer.offer
    carol("matches_length_offer", match)
    carol("matches_decline_length", match, body={"offer": offer})
    offer = bob("matches_offer_length", match, body={"length": 5, "score": [2, 1]}).offer.offer
    assert carol("matches_accept_length", match, body={"offer": offer}).length == 5
    facts = alice("tournaments_floor", event).matches[0].shortened
    alice("fixtures_take_back_length", fixture.public_id, body={"fact": facts.fact})
    offered = alice("fixtures_propose_length", fixture.public_id, body={"length": 5}).on_offer
    alice("fixtures_withdraw_length", fixture.public_id, body={"offer": offered.offer})
    alice("fixtures_shorten", fixture.public_id, body={"length": 5, "agreed": True})
    closing = {"rule": "adjourn", "matches": [{"fixture": fixture.public_id, "score": [2, 1]}]}
    alice("tournaments_floor_close", event, body=closing)
    undoable = alice("tournaments_floor", event).undoable
    assert alice("tournaments_floor_undo", event, body={"act": undoable.act}).undoable.act != undoable.act


def without_rounds(cast: Cast) -> None:
    """Dave directs a night of his club without rounds."""
    dave = cast.dave
    club = dave("clubs_create", body={"name": "Pier", "city": "Aarhus"}).slug
    names = ["Aud Berg", "Bo Dahl", "Cleo Holm", "Dag Krog", "Eli Lund", "Finn Moe", "Gro Nes", "Hel Odde"]
    body = {"tables": 3, "closes": closing_time(cast, club), "names": names, "format": "flow"}
    event = dave("clubs_start_evening", club, body=body).public_id
    (flow,) = dave("tournaments_floor", event).flows
    assert len(flow.waiting) == 2
    (division,) = dave("divisions_list", event)
    first, second, third = ready(dave, division.public_id)
    dave("fixtures_ask_over", first.public_id)
    dave("fixtures_waive_lead", second.public_id)
    dave("tournaments_hold_pairing", event, body={"stage": flow.stage, "held": True})
    dave("tournaments_own_hall", event)
    dave("fixtures_take_back_pairing", third.public_id, body={"code": "not_these_two"})
    seen = seq_of(dave, division.public_id)
    rules = {"stage": flow.stage, "window": 0, "lead": 1, "leader": "plays", "late_until": "23:30"}
    (flow,) = dave("tournaments_change_flow", event, body={**rules, "after": seen}).flows
    body = {"stage": flow.stage, "after": flow.seq, "reason": "The bar closes"}
    assert len(ready(dave, division.public_id)) == 2
    dave("tournaments_pair_now", event, body=body)
    assert len(ready(dave, division.public_id)) == 3
    on = ready(dave, division.public_id)[0]
    dave.refused(409, "fixtures_stop_match", on.public_id)
    dave(
        "fixtures_result", on.public_id, body={"score": [dave("matches_retrieve", on.match).length, 1], "after": on.seq}
    )
    pair = [row.entry for row in dave("tournaments_floor", event).flows[0].waiting][:2]
    chosen = {"stage": flow.stage, "after": seq_of(dave, division.public_id), "reason": "Last train"}
    dave("tournaments_pair_by_hand", event, body={**chosen, "first": pair[0], "second": pair[1]})
    ended = {"stage": flow.stage, "places": 2, "stop": False, "after": seq_of(dave, division.public_id)}
    dave("tournaments_end_stage", event, body=ended)
    dave("tournaments_floor_undo", event, body={"act": dave("tournaments_floor", event).undoable.act})
    entry = Entry.objects.filter(division__public_id=division.public_id).order_by("pk")[0]
    stage = Stage.objects.get(public_id=flow.stage)
    missed = MissedMatch.objects.create(stage=stage, entry=entry, batch=Batch.objects.filter(stage=stage).first())
    dave("tournaments_take_back_missed", event, body={"missed": missed.pk, "reason": "The taxi was late"})
    assert dave("batches_retrieve", division.public_id).events == []


def seq(alice: Api, fixture: Any) -> int:
    """Return the number that writes to a fixture's match send as `after`."""
    return int(alice("fixtures_retrieve", fixture.public_id).seq)


def rulings(cast: Cast) -> None:
    """Alice enters results in each way, and corrects one."""
    alice = cast.alice
    event = create_event(alice, "Rulings")
    division = knockout(cast, event, "Main", 10)
    one, two, *rest = ready(alice, division)
    alice("tournaments_line", event, body={"line": f"m{one.number} 3-1"})
    alice("fixtures_forfeit", two.public_id, body={"side": "1", "reason": "did not come", "after": seq(alice, two)})
    wrong = {"winner": 1, "score": [1, 3], "kind": "played"}
    preview = alice("corrections_preview", one.public_id, body=wrong)
    seen = {"after": preview.seq, "mark": preview.mark, "choice": preview.default.value, "reason": "Misread."}
    applied = alice("corrections_apply", one.public_id, body={**wrong, **seen}).correction.public_id
    assert len(alice("corrections_list", one.public_id)) == 1
    alice("corrections_retrieve", applied)
    undone = alice("corrections_undo_preview", applied)
    alice("corrections_undo", applied, body={"after": undone.seq, "mark": undone.mark, "reason": "It was right."})
    three, four = rest[:2]
    ruling = {"winner": 0, "score": [3, 1], "reason": "Sheet signed.", "after": seq(alice, three)}
    alice("fixtures_rule", three.public_id, body=ruling)
    alice("fixtures_withdraw", four.public_id, body={"side": 1, "scope": "division", "reason": "Ill."})


# Matches: reports, records and appointments.


def players() -> tuple[Player, Player]:
    """Return Bob and Carol as players."""
    return Player.objects.get(user__email="bob@example.org"), Player.objects.get(user__email="carol@example.org")


def duel() -> str:
    """Open a match between Bob and Carol and return its id."""
    club = Club.objects.get(slug=CLUB)
    return str(match_between(*players(), length=3, club=club, parent_topic="", now=timezone.now()).public_id)


def reports(cast: Cast) -> None:
    """Bob and Carol report their matches, contest and concede."""
    alice, bob, carol = cast.alice, cast.bob, cast.carol
    score = {"score": [3, 1]}
    confirmed, disputed, withdrawn = (duel() for _ in range(3))
    bob("matches_preview_claim", confirmed, body=score)
    claimed = bob("matches_claim", confirmed, body={**score, "after": 0}, idempotency_key="first")
    seen = carol("matches_acknowledge", confirmed, body={"after": claimed.seq})
    assert carol("matches_confirm", confirmed, body={"after": seen.seq}).state.value == "settled"
    claimed = bob("matches_claim", disputed, body={**score, "after": 0})
    contested = carol("matches_contest", disputed, body={"after": claimed.seq, "note": "We are still playing."})
    assert carol("matches_concede", disputed, body={"after": contested.seq}).state.value == "settled"
    claimed = bob("matches_claim", withdrawn, body={**score, "after": 0})
    bob("matches_withdraw_claim", withdrawn, body={"after": claimed.seq})
    assert bob("matches_list", mine=True).results
    links = alice("matches_links", withdrawn)
    assert len(links.personal) == 2
    alice("matches_revoke_link", withdrawn, "0")
    ranked(cast)
    event_reports(cast)


def ranked(cast: Cast) -> None:
    """Everybody reads rankings and profiles, which readers without an account share."""
    for reader in (cast.nobody, cast.dave):
        assert reader("rankings_list").results
        assert reader("players_list", q="Bob").results
        for operation in ("players_retrieve", "players_changes", "players_matches"):
            reader(operation, cast.bob.player)
        reader("players_versus", cast.bob.player, cast.carol.player)


def event_reports(cast: Cast) -> None:
    """Alice confirms a report, and answers an objection to a result that nobody vouched for."""
    alice, bob, carol = cast.alice, cast.bob, cast.carol
    event = create_event(alice, "Reports")
    division = knockout(cast, event, "First", 2)
    (fixture,) = ready(alice, division)
    claim = bob("matches_claim", fixture.match, body={"score": [3, 1], "after": seq(alice, fixture)})
    waiting = [row.report for row in alice("tournaments_reports", event)]
    assert waiting == [claim.claims[0].public_id]
    alice("tournaments_confirm_reports", event, body={"reports": waiting})
    division = knockout(cast, create_event(alice, "Objections"), "Second", 2)
    (fixture,) = ready(alice, division)
    match = fixture.match
    won = [3, 1] if bob("matches_retrieve", match).my_side == 0 else [1, 3]
    claim = bob("matches_claim", match, body={"score": won, "after": seq(alice, fixture)})
    carol("matches_acknowledge", match, body={"after": claim.seq})
    report = Claim.objects.get(public_id=claim.claims[0].public_id)
    accept_unanswered(claim_id=report.pk, now=timezone.now() + timedelta(hours=1))
    body = {"reason": "We did not play.", "after": seq(alice, fixture)}
    objection = carol("matches_object", match, body=body).objections[0].public_id
    answer = {"objection": objection, "upheld": False, "reason": "Two saw it end.", "after": seq(alice, fixture)}
    alice("fixtures_objection", fixture.public_id, body=answer)


def records(cast: Cast) -> None:
    """Bob sends records, as a file and as text, and waits for their verdicts."""
    models, types = import_module(f"{NAME}.models"), import_module(f"{NAME}.types")
    data = write(play_out(1, 3, players=("Bob", "Carol")), "mat")

    def upload(model: str) -> Any:
        return getattr(models, model)(file=types.File(BytesIO(data), "final.mat", "text/plain"))

    sent = cast.bob("submissions_create", body=upload("Record")).public_id
    checked = until(
        lambda: cast.nobody("submissions_retrieve", sent), lambda record: bool(record.state.value in ("done", "failed"))
    )
    assert checked.verdict.outcome.value == "accepted"
    for extension in ("mat", "sgf", "json"):
        assert "Bob" in cast.nobody("submissions_record", sent, extension)
    text = models.RecordText(text=data.decode(), file_name="final.mat")
    assert cast.nobody("submissions_create", body=text).public_id
    match = duel()
    cast.bob("matches_send_record", match, body=upload("RecordOfMatch"))
    judged = until(lambda: cast.bob("matches_retrieve", match), lambda seen: bool(seen.state.value == "claimed"))
    cast.carol("matches_confirm", match, body={"after": judged.seq})
    named = duel()
    data = write(play_out(3, 3, players=("ace", "king")), "mat")
    sent = cast.bob("matches_send_record", named, body=upload("RecordOfMatch"))
    waiting = until(
        lambda: cast.bob("matches_retrieve", named),
        lambda seen: seen.seq > sent.seq and any(awaited.code == "names" for awaited in seen.awaited),
    )
    record = waiting.records[0].public_id
    cast.bob("matches_record_names", named, record, body={"left": 1, "after": waiting.seq})
    analyses(cast, match)
    accepted_record(cast)


def accepted_record(cast: Cast) -> None:
    """Bob and Carol played to another length than announced; Alice accepts their record nevertheless."""
    alice, models = cast.alice, import_module(f"{NAME}.models")
    division = knockout(cast, create_event(alice, "Records"), "Main", 2)
    (fixture,) = ready(alice, division)
    text = write(play_out(2, 5, players=("Bob", "Carol")), "mat").decode()
    cast.bob("matches_send_record", fixture.match, body=models.RecordTextOfMatch(text=text))
    refused = until(
        lambda: cast.bob("matches_retrieve", fixture.match).records[0], lambda record: record.code == "record_length"
    )
    waived = [{"code": "record_length", "game": None, "ply": None}]
    body = {"submission": refused.public_id, "waived": waived, "after": seq(alice, fixture)}
    alice("fixtures_accept_record", fixture.public_id, body=body)


def analyses(cast: Cast, match: str) -> None:
    """Everybody reads how well a recorded match was played, by players who let everybody see it."""
    for player in (cast.bob, cast.carol):
        player("me_update", body={"analysis_visibility": "public"})
    record = Submission.objects.get(match__public_id=match)
    analysis_of(record, match=Match.objects.get(public_id=match))
    cast.nobody("matches_analysis", match)
    cast.nobody("submissions_analysis", record.public_id)
    cast.nobody("players_analysis", cast.bob.player)


def meetings(cast: Cast) -> None:
    """Bob and Carol agree on times; in one match Carol does not come."""
    bob, carol, time = cast.bob, cast.carol, in_minutes(10)
    met = duel()
    proposed = bob("matches_propose", met, body={"times": [time], "after": 0})
    proposal = proposed.proposals[0].public_id
    carol("matches_accept_time", met, proposal, body={"time": time, "after": proposed.seq})
    bob("matches_arrive", met)
    withdrawn = duel()
    proposed = bob("matches_propose", withdrawn, body={"times": [time], "after": 0})
    bob("matches_withdraw_times", withdrawn, proposed.proposals[0].public_id, body={"after": proposed.seq})
    event = create_event(cast.alice, "Meetings")
    division = knockout(cast, event, "Main", 2, no_show_loses=True)
    missed = Match.objects.get(public_id=ready(cast.alice, division)[0].match)
    side = int(bob("matches_retrieve", missed.public_id).my_side)
    agree(missed, side, timezone.now().replace(second=0, microsecond=0) - timedelta(hours=1))
    bob("matches_claim_no_show", missed.public_id)


def agree(match: Match, side: int, time: datetime) -> None:
    """Let both players have agreed on a time that is over, for which this side was there."""
    before = time - timedelta(hours=3)
    offered = appointments.propose(match=match, side=side, offer=appointments.Dates([time]), by=SYSTEM, now=before)
    appointments.accept(proposal=offered, side=1 - side, time=time, by=SYSTEM, now=before)
    arrivals.arrive(match=match, side=side, by=SYSTEM, now=time)


# Playing here.


def challenges(cast: Cast) -> None:
    """Bob challenges Carol and others to friendlies, and practises."""
    bob, carol = cast.bob, cast.carol
    assert cast.carol.player in [opponent.player.public_id for opponent in bob("opponents_list", q="Car")]
    at_carol = {"opponent": carol.player, "length": 1, "clock": "none"}
    declined, withdrawn, accepted = (bob("challenges_create", body=at_carol).public_id for _ in range(3))
    assert carol("challenges_list")
    carol("challenges_decline", declined)
    bob("challenges_withdraw", withdrawn)
    match = carol("challenges_accept", accepted, body={}).match
    for _ in range(9):
        practice = bob("practice_start", body={"opponent": "random", "length": 1}).match
        bob("live_commit_chain", practice, body={"anchor": ""})
        bob("live_act", practice, body={"kind": "ready", "after": bob("live_retrieve", practice).last})
        bots.act_for_bot(match_id=Match.objects.get(public_id=practice).pk, now=timezone.now())
        seen = bob("live_retrieve", practice)
        if seen.phase == "to_roll":
            bob("live_act", practice, body={"kind": "roll", "after": seen.last})
        if answered(bob, "live_hint", practice):
            break
        bob("live_act", practice, body={"kind": "concede", "after": bob("live_retrieve", practice).last})
    for _ in range(9):
        guest = bob("guest_match_read", body={"length": 1})
        guest = bob("guest_match_act", body={"token": guest.token, "kind": "ready", "after": 0})
        if guest.phase == "to_roll":
            guest = bob("guest_match_act", body={"token": guest.token, "kind": "roll", "after": guest.last})
        if answered(bob, "guest_match_hint", body={"token": guest.token}):
            break
    bob("guest_match_keep", body={"token": guest.token})
    last = bob("live_retrieve", match).last
    bob("live_act", match, body={"kind": "concede", "after": last}, idempotency_key="concede")
    bob("matches_rematch", match, body={})
    # Where both are at one address, as here, friendlies are not rated.
    rated = played(*players(), timezone.now())
    cast.alice("club_friendlies_list", CLUB)
    cast.alice("club_friendlies_decide", CLUB, body={"match": rated.public_id, "rated": False})
    cast.alice.refused(403, "friendlies_list")
    cast.alice.refused(403, "friendlies_decide", body={"match": rated.public_id, "rated": False})


def answered(person: Api, operation: str, *args: Any, body: Any = None) -> bool:
    """Ask for a hint; False where the dice leave nothing to decide, as for a player who cannot enter from the bar."""
    answer = person.send(operation, *args, body=body)
    assert answer.status_code < 300 or answer.parsed.code == "nothing_to_decide", answer.content.decode()
    return bool(answer.status_code < 300)


def board(cast: Cast, match: str) -> None:
    """Bob and Carol let the server keep their dice and talk at the board of a match; Alice looks after the chat."""
    bob, carol = cast.bob, cast.carol
    for player in (bob, carol):
        player("live_commit_chain", match, body={"anchor": ""})
        last = player("live_retrieve", match).last
        player("live_act", match, body={"kind": "ready", "after": last})
    last = bob("live_retrieve", match).last
    # It is not played by correspondence.
    bob.refused(422, "live_decide_ahead", match, body={"answer": "take", "last": last})
    assert bob("live_ping", match, body={"tab": "k3v9", "every": 15}).ticket
    said = bob("live_say", match, body={"room": "players", "text": "Good luck!"}).public_id
    carol("live_chat", match)
    carol("live_report_message", match, said, body={"reason": "An insult."})
    carol("live_mute", match, body={"muted": True})
    cast.alice("live_decide_message", match, said, body={"removed": True})
    bob("live_dice", match)
    bob("live_goodbye", match, body={"tab": "k3v9"})


def boards_of_events(cast: Cast) -> None:
    """Alice opens one match of an event to be played here, its players another; she adjourns hers."""
    alice = cast.alice
    event = create_event(alice, "Boards")
    for name in ("Here", "Either"):
        division = knockout(cast, event, name, 2, play_mode="here" if name == "Here" else "either", clock="none")
        (fixture,) = ready(alice, division)
        if name == "Here":
            alice("live_start", fixture.match, body={"clock": "none", "server_chains": True})
            board(cast, fixture.match)
            last = alice("live_retrieve", fixture.match).last
            alice("live_rule", fixture.match, body={"kind": "adjourn", "after": last})
        else:
            cast.bob("live_open", fixture.match)


# The stream.


def stream(cast: Cast) -> None:
    """Bob watches his match change."""
    match = duel()
    live = import_module(f"{NAME}.api.live.live_stream")
    models = import_module(f"{NAME}.models")
    changes = []
    with cast.bob.client.get_httpx_client().stream(**live._get_kwargs(topic=[f"match:{match}"])) as answer:
        cast.bob.called("live_stream", answer)
        for line in answer.iter_lines():
            if not line.startswith('data: {"topic'):
                continue
            changes.append(models.TopicChange.from_dict(json.loads(line.removeprefix("data: "))))
            if len(changes) == 1:
                cast.carol("matches_claim", match, body={"score": [1, 3], "after": 0})
            else:
                break
    assert [change.topic for change in changes] == [f"match:{match}"] * 2
    assert changes[1].seq > changes[0].seq


def refusals(cast: Cast) -> None:
    """What nobody may do, what is not there, what was changed meanwhile and what cannot be read is a problem."""
    event = {"club": CLUB, "name": "Mine", "starts_at": in_minutes(60)}
    assert cast.nobody.refused(401, "me_retrieve").code == "not_authenticated"
    assert cast.nobody.site.client("bp_unknown").refused(401, "clubs_list").code
    cast.dave.refused(403, "tournaments_create", body=event)
    cast.dave.refused(404, "clubs_retrieve", "nowhere")
    assert cast.bob.refused(409, "matches_claim", duel(), body={"score": [3, 1], "after": 7}).code == "stale"
    assert cast.alice.refused(422, "tournaments_create", body={**event, "name": ""}).errors[0].field == "name"
    assert cast.nobody.refused(404, "live_stream", topic=["match:nothing"]).code == "not_found"
    assert cast.nobody.refused(400, "live_stream", topic=[]).detail == "Name one to 30 topics."


def seasons(cast: Cast) -> None:
    """Alice plays a season by its plan, closes it and opens it again; everybody reads it."""
    alice, days = cast.alice, {"first_day": "2027-01-01", "last_day": "2027-12-31"}
    season = alice("seasons_create", CLUB, body={"name": "The year", "preset": "usual", **days})
    assert season.public_id in [row.public_id for row in cast.bob("clubs_seasons", CLUB)]
    event = create_event(alice, "Winter night", starts_at="2027-02-01T19:00Z")
    division_of(alice, event, {"format": "league"}, name="Open")
    alice("tournaments_publish", event)
    alice("seasons_count", season.public_id, body={"event": event})
    member = alice("members_list", CLUB).results[0].player
    by_hand = {"event": event, "player": member.public_id, "points": "2", "reason": "Ran the evening"}
    given = alice("seasons_give_points", season.public_id, body=by_hand).points_by_hand[0].id
    cast.bob.refused(409, "seasons_enter", season.public_id, body={"enters": "yes"})
    entered = {"enters": "yes", "player": member.public_id}
    assert alice("seasons_enter", season.public_id, body=entered).entered == [member.public_id]
    assert alice("seasons_take_points_back", season.public_id, body={"given": given}).points_by_hand == []
    alice.refused(422, "seasons_prepare_final", season.public_id)
    alice("seasons_offer_places", season.public_id, body={"answer_by": "2027-12-31"})
    alice("seasons_take_places_back", season.public_id, body={"all_open": True})
    cast.bob.refused(409, "seasons_answer_place", season.public_id, body={"answer": "comes"})
    season = alice("seasons_retrieve", season.public_id)
    pool = {"percent": "20", "shares": "50 30 20", "after": season.seq}
    assert alice("seasons_set_pool", season.public_id, body=pool).fee_share.percent == 2000
    ladies = {"name": "Ladies", "rule": "players", "players": [member.public_id]}
    view = alice("seasons_save_view", season.public_id, body=ladies).views[0].public_id
    assert cast.bob("seasons_retrieve", season.public_id, view=view).view == view
    assert alice("seasons_remove_view", season.public_id, body={"view": view}).views == []
    alice("seasons_leave_out", season.public_id, body={"event": event})
    season = cast.bob("seasons_retrieve", season.public_id)
    assert cast.bob("seasons_race", season.public_id).players == []
    assert cast.bob("seasons_race_of_player", season.public_id, "2222222222") == []
    pay = {"player": member.public_id, "event": event, "amount": 100, "method": "cash"}
    alice.refused(409, "seasons_pay_pool", season.public_id, body=pay)
    changed = alice("seasons_change_plan", season.public_id, body={"plan": season.plan, "after": season.seq})
    closed = alice("seasons_close", season.public_id, body={"after": changed.seq})
    opened = alice("seasons_reopen", season.public_id, body={"reason": "too early", "after": closed.seq})
    assert opened.closed_at is None
    details = {"name": "Spring, again", "first_day": "2027-02-01", "last_day": "2027-06-30", "after": opened.seq}
    assert alice("seasons_change_details", season.public_id, body=details).name == "Spring, again"
    alice.refused(409, "seasons_remove", season.public_id)


def titles(cast: Cast) -> None:
    """Alice awards the title of an event that is over, and withdraws it again."""
    proposed = cast.alice("titles_proposed", CLUB)[0]
    body = {"kind": proposed.kind.value, "player": proposed.player, "division": proposed.division}
    title = cast.alice("titles_award", CLUB, body=body).title
    assert [row.title for row in cast.bob("titles_list", CLUB)] == [title]
    cast.alice("titles_withdraw", title, body={"reason": "A mistake"})
    assert cast.bob("titles_list", CLUB) == []


CHAPTERS = (
    account, clubs, joining, owners, rating_pools, earlier_seasons, seasons, whole_event, titles, swiss_rounds,
    side_events, entries, floor,
    without_rounds, rulings, reports, records, meetings, challenges, boards_of_events, stream, refusals,
)  # fmt: skip
OF_HTTP = {
    "allow", "barpoint", "cache-control", "connection", "content-disposition", "content-encoding", "content-language",
    "content-length", "content-security-policy", "content-type", "cross-origin-opener-policy", "date",
    "permissions-policy", "referrer-policy", "server", "transfer-encoding", "vary", "x-accel-buffering",
    "x-content-type-options", "x-frame-options", "x-robots-tag",
}  # fmt: skip
"""Headers that say nothing about an operation."""


@pytest.mark.slow
@pytest.mark.landing
@pytest.mark.usefixtures("celery_worker", "club", "bob_player", "carol_player")
def test_a_generated_client_calls_every_operation(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, carol: User, dave: User
) -> None:
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", dict.fromkeys(("anon", "guest", "user"), "9999/min"))
    assert generate(tmp_path) == "", "every operation is in the client"
    monkeypatch.syspath_prepend(tmp_path)
    site = Site(server, json.loads((tmp_path / "schema.json").read_text()))
    cast = Cast(*(site.client(key_for(user)) for user in (alice, bob, carol, dave)), nobody=site.client())
    for person in (cast.alice, cast.bob, cast.carol, cast.dave):
        person.player = person("me_retrieve").player

    for chapter in CHAPTERS:
        chapter(cast)

    assert {answer.operation for answer in site.answers} == set(site.described)
    for answer in site.answers:
        described = site.headers_of(answer)
        always = {name for name, is_required in described.items() if is_required}
        assert answer.headers - OF_HTTP <= set(described), f"sent, not described: {answer}"
        assert always <= answer.headers, f"described, not sent: {answer}"
    limited = {answer.operation for answer in site.answers if "ratelimit-limit" in answer.headers}
    assert limited == set(site.described) - {*OWN_LIMITS, "live_stream"}
