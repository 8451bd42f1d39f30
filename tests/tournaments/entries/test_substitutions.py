"""A substitute takes the place of an entry before its first match, and the place can be given back."""

from collections.abc import Callable

import pytest
from django.test import Client

from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import LogEntry, Membership, Player
from players.people.erasure import erase_player
from tests.event_cast import NOON
from tests.pages import html
from tournaments.entries import check_in
from tournaments.entries.substitutions import SubstituteInput, substitute, undo_substitution
from tournaments.models import Division, Entry, Fixture, Substitution
from tournaments.results import services as results
from tournaments.state.integrity import differences

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def first_match(division: Division) -> Fixture:
    fixture = Fixture.objects.filter(stage__division=division, number=1).select_related("match").get()
    assert fixture.match is not None
    return fixture


def entry_in(fixture: Fixture) -> Entry:
    entry = fixture.slots.get(side=0).entry
    assert entry is not None
    return entry


def seq_of(division: Division) -> int:
    return Division.objects.get(pk=division.pk).seq


def test_a_substitute_takes_place_and_match_and_gives_them_back(
    drawn: Callable[..., Division], alice_client: Client, by_alice: Actor
) -> None:
    division = drawn(4)
    event = division.tournament
    fixture = first_match(division)
    entry, before = entry_in(fixture), fixture.match
    home = f"/events/{event.club.slug}/{event.slug}/"
    url = f"{home}entries/{entry.public_id}/substitute/"
    assert "Who plays instead?" in html(alice_client.get(url))
    there = Player.objects.get(name="Player 4" if entry.player.name != "Player 4" else "Player 3")
    form = {"name": there.name, "after": seq_of(division)}
    Membership.objects.create(club=event.club, player=there)
    assert alice_client.post(url, form).status_code == 422, "somebody who plays already"
    outdated = alice_client.post(url, form | {"name": "Zoe", "after": 0})
    assert outdated.status_code == 422
    assert f'name="after" value="{seq_of(division)}"' in html(outdated), "sent again, it is about what is shown now"
    assert 'value="Zoe"' in html(outdated)
    assert alice_client.post(url, form | {"name": "Zoe"}).status_code == 302

    zoe = Player.objects.get(name="Zoe")
    after = first_match(division).match
    assert after is not None
    assert after != before
    assert zoe in after.players
    assert Fixture.objects.get(pk=fixture.pk).former.get() == before
    assert list(differences()) == []
    page = html(Client().get(f"{home}{division.public_id}/"))
    assert f"<bdi>Zoe</bdi> plays instead of <bdi>{entry.player.name}</bdi>." in page

    undo = {"after": seq_of(division)}
    assert alice_client.post(f"{url}undo/", undo).status_code == 302
    alice_client.post(f"{url}undo/", {"after": seq_of(division)})
    assert zoe not in first_match(division).match.players  # type: ignore[union-attr]
    assert [(row.before, row.after) for row in Substitution.objects.all()] == [
        (entry.player, zoe), (zoe, entry.player),
    ]  # fmt: skip
    assert "plays instead" not in html(Client().get(f"{home}{division.public_id}/"))
    assert list(differences()) == []


def test_after_the_first_match_nobody_takes_or_gives_back_the_place(
    drawn: Callable[..., Division], by_alice: Actor
) -> None:
    division = drawn(4)
    fixture = first_match(division)
    entry = entry_in(fixture)
    zoe = SubstituteInput("Zoe", reason="Broken leg")
    check_in.mark(entry=entry, state="away", until=NOON, by=by_alice, now=NOON)
    substitute(entry=entry, substitute=zoe, after=seq_of(division), by=by_alice, now=NOON)
    assert Entry.objects.get(pk=entry.pk).away_until is None, "the substitute is not away"
    result = ResultInput.played((7, 0))
    results.enter_result(fixture=first_match(division), result=result, by=by_alice, now=NOON)
    with pytest.raises(Refused, match="substitution_too_late"):
        undo_substitution(entry=entry, after=seq_of(division), by=by_alice, now=NOON)
    yves = SubstituteInput("Yves")
    with pytest.raises(Refused, match="substitution_too_late"):
        substitute(entry=entry, substitute=yves, after=seq_of(division), by=by_alice, now=NOON)
    assert not Player.objects.filter(name="Yves").exists(), "what was refused adds nobody"
    other = entry_in(Fixture.objects.get(stage__division=division, number=2))
    with pytest.raises(Refused, match="not_substituted"):
        undo_substitution(entry=other, after=seq_of(division), by=by_alice, now=NOON)
    reasons = LogEntry.objects.filter(params__reason="Broken leg")
    assert reasons.exists()
    erase_player(player=Player.objects.get(pk=entry.player_id), by=by_alice, now=NOON)
    assert not reasons.exists(), "it is about the player who left the place"
