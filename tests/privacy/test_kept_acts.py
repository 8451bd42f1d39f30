"""What copies, erasure and time do with acts that were kept without a connection."""

from datetime import timedelta
from typing import Any

import pytest

from matches.models import Match
from players.actors import SYSTEM
from players.models import Club, KeptAct, LogEntry, Membership, Outbox, Player, User
from players.people.erasure import erase_player
from players.privacy.retention import delete_expired
from players.privacy.sections import Person, sections
from tests.event_cast import NOW, RunningEvent

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def kept(club: Club | None, topic: str, label: str = "", **more: Any) -> KeptAct:
    """An act that has arrived in an outbox of its own."""
    whose = {name: more.pop(name) for name in ("user", "side", "by") if name in more}
    box = Outbox.objects.create(
        key=str(Outbox.objects.count()), topic=topic, club=club, device="Firefox · Android", heard_at=NOW,
        **{"by": LogEntry.By.USER} | whose,
    )  # fmt: skip
    fields = {"action": "note", "outcome": "done", "arrived_at": NOW, "digest": "0" * 64}
    return KeptAct.objects.create(outbox=box, number=1, label=label, **fields | more)


@pytest.fixture
def bystander(club: Club) -> Player:
    """Somebody of the club who plays in no event."""
    player = Player.objects.create(name="Søren Æbelø")
    Membership.objects.create(club=club, player=player)
    return player


def test_a_name_is_removed_from_labels_and_texts(running: RunningEvent, club: Club, bystander: Player) -> None:
    content = {"fields": {"text": "Ask søren æbelø for chairs.", "of": 1}, "action": "note"}
    params = {"first": "Søren Æbelø", "points": 4}
    act = kept(club, running.tournament.topic, "Ask Søren Æbelø", content=content, params=params)
    elsewhere = kept(None, "tournament:5555555555", "Ask Søren Æbelø")
    erase_player(player=bystander, by=SYSTEM, now=NOW)
    act.refresh_from_db()
    elsewhere.refresh_from_db()
    assert (act.label, act.params) == ("Ask […]", {"first": "[…]", "points": 4})
    assert act.content == {"fields": {"text": "Ask […] for chairs.", "of": 1}, "action": "note"}
    assert elsewhere.label == "Ask Søren Æbelø", "a club that he has nothing to do with"


def test_acts_about_an_erased_player_s_match_and_event_keep_no_text(
    running: RunningEvent, bob_player: Player, bob: User, club: Club
) -> None:
    match = running.fixture.match
    assert match is not None
    text, params = {"fields": {"note": "Bo was late", "text": "Bo was late"}}, {"name": "Bo"}
    acts = [
        kept(club, match.topic, "Bo 7–4 Carol", action="claim", user=bob, content=text, params=params),
        kept(club, running.tournament.topic, "Bo 7–4 Carol", content=text, params=params),
    ]
    result = kept(club, running.tournament.topic, "Bo 7–4 Carol", action="result", content={"fields": {"points": 4}})
    erase_player(player=bob_player, by=SYSTEM, now=NOW)
    for act in acts:
        act.refresh_from_db()
        assert (act.label, act.content, act.params, act.outcome) == ("", {}, {}, "done")
    result.refresh_from_db()
    assert (result.label, result.content) == ("", {"fields": {"points": 4}})
    box = acts[0].outbox
    box.refresh_from_db()
    assert (box.user, box.device) == (None, "")


def test_a_copy_has_what_a_person_did_by_account_and_by_link(
    running: RunningEvent, bob_player: Player, bob: User, carol: User, club: Club
) -> None:
    match = running.fixture.match
    assert match is not None
    side = match.players.index(bob_player)
    kept(club, running.tournament.topic, "Carol 7–4 Dave", user=bob, content={"fields": {"text": "Chairs."}})
    kept(club, match.topic, action="claim", by=LogEntry.By.LINK, side=side, content={"fields": {"points": 4}})
    kept(club, match.topic, action="confirm", by=LogEntry.By.LINK, side=1 - side)
    kept(club, running.tournament.topic, user=carol)
    [section] = [section for section in sections() if section.name == "kept-acts"]
    rows = list(section.rows(Person.of(bob_player)))
    assert [(row["action"], row["typed"], row["topic"]) for row in rows] == [
        ("note", {"text": "Chairs."}, running.tournament.topic),
        ("claim", {"points": 4}, match.topic),
    ]
    assert "Dave" not in str(rows)


def test_acts_are_deleted_with_the_log(club: Club, settings: Any) -> None:
    settings.LOG_KEPT_DAYS = 20
    old, new = NOW - timedelta(days=30), NOW - timedelta(days=10)
    for at in (old, new):
        kept(club, "tournament:5555555555", str(at), arrived_at=at)
        Outbox.objects.filter(acts__arrived_at=at).update(heard_at=at)
    still_used = kept(club, "tournament:5555555555", arrived_at=old)
    settings.LOG_KEPT_DAYS = 0
    assert not delete_expired(now=NOW)["kept_acts"]
    settings.LOG_KEPT_DAYS = 20
    assert delete_expired(now=NOW)["kept_acts"] == 3
    assert [act.label for act in KeptAct.objects.all()] == [str(new)]
    assert set(Outbox.objects.all()) == {KeptAct.objects.get().outbox, still_used.outbox}
    assert not Match.objects.exists()
