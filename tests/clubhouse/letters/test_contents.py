"""What a letter says to whom, and how it differs from the one that was sent."""

import json
from datetime import timedelta

import pytest

from clubhouse.letters.contents import LetterContents, letter_of, letter_of_guest
from matches.lifecycle.finish import ResultInput
from matches.models import LiveMatch, Match, Objection, Submission, Verdict
from players.actors import SYSTEM
from players.models import Club, Player, User
from seasons.services import SeriesInput, create_series
from tests.clubhouse.letters.conftest import event_of
from tests.event_cast import NOON
from tests.tournaments.support.correcting import LATER, Cup
from tournaments.models import Division, FloorEvent, Letter

pytestmark = pytest.mark.django_db


def letter(cup: Cup, user: User) -> LetterContents:
    found = letter_of(user, event_of(cup), LATER)
    assert found is not None
    return found


def final(cup: Cup) -> Match:
    match = cup.fixture(3).match
    assert match is not None
    return match


def test_a_player_gets_matches_place_and_rating(evening: Cup, bob: User) -> None:
    own = letter(evening, bob)
    assert own.title == "Cup one at Harbour Backgammon: you came 1st"
    assert [row.line for row in own.matches] == [
        "You beat Player 1 3–1. · Semi-finals · M1",
        "You beat Carol 3–1. · Final · M3",
    ]
    assert list(own.facts["won"].values()) == [True, True]
    assert own.places == ("You came 1st in Main.",)
    assert own.rating == "Rating: 1500 → 1535 (+35, 2 matches)"
    assert own.lines == ("Bob won the Main (4 players), 3–1 in the final against Carol.",)


def test_members_who_did_not_play_get_the_short_letter_and_strangers_none(
    evening: Cup, alice: User, dave: User
) -> None:
    short = letter(evening, alice)
    assert (short.title, short.played) == ("Cup one at Harbour Backgammon: Bob won", False)
    assert (short.matches, short.places, short.rating, short.seasons) == ((), (), "", ())
    assert letter_of(dave, event_of(evening), LATER) is None
    assert letter_of_guest(Player.objects.create(name="Guest"), event_of(evening), LATER) is None
    guest = letter_of_guest(Player.objects.get(name="Player 1"), event_of(evening), LATER)
    assert guest is not None
    assert guest.title == "Cup one at Harbour Backgammon: you came 3rd–4th"
    # A division is open again.
    Division.objects.update(status=Division.Status.RUNNING)
    assert letter_of(alice, event_of(evening), LATER) is None


def test_a_final_that_is_not_settled_gives_no_place(evening: Cup, bob: User, alice: User) -> None:
    def assert_open() -> None:
        own = letter(evening, bob)
        assert (own.title, own.places) == ("Cup one at Harbour Backgammon: your results", ())
        assert own.matches[-1].note == "not settled yet"
        assert (own.lines, own.unsettled) == ((), "Not settled yet: M3.")
        assert letter(evening, alice).title == "Cup one at Harbour Backgammon: the results"

    Match.objects.filter(pk=final(evening).pk).update(provisional=True)
    assert_open()
    Match.objects.update(provisional=False)
    Objection.objects.create(match=final(evening), side=1, reason="It was 3–2 for me.", by="user")
    assert_open()


def test_a_rating_that_the_weekly_list_hides_is_nowhere(evening: Cup, bob: User) -> None:
    evening.pool.options = {"published_on": "monday"}
    evening.pool.save()
    own = letter(evening, bob)
    assert (own.rating, own.facts["rating"]) == ("Rating: not counted yet", [])


def test_seasons_say_what_the_evening_gave(evening: Cup, club: Club, bob: User) -> None:
    days = SeriesInput("Autumn", NOON.date() - timedelta(days=9), NOON.date() + timedelta(days=9), "motor_racing")
    series = create_series(club=club, series=days, by=SYSTEM, now=NOON)
    assert series.counted.count() == 1
    assert [(row.name, row.text) for row in letter(evening, bob).seasons] == [("Autumn", "0 → 27 points, place 1")]


def test_hidden_names_are_nowhere_and_facts_have_none(evening: Cup, bob: User, carol: User, alice: User) -> None:
    for user in (bob, carol, alice):
        facts = json.dumps(letter(evening, user).facts)
        assert not any(name in facts for name in ("Bob", "Carol", "Player", "Main"))
    Player.objects.filter(user=bob).update(name="Bartholomew Roberts", initials_only=True)
    for user in (carol, alice):
        own = letter(evening, user)
        assert "B. R." in repr((own.title, own.matches, own.lines))
        assert "Roberts" not in repr((own.title, own.matches, own.lines, own.facts))
    Player.objects.filter(user=bob).update(in_event_lines=False)
    assert (letter(evening, alice).lines, letter(evening, bob).places) == ((), ("You came 1st in Main.",))


def test_comebacks_are_found_in_running_scores_boards_and_records(evening: Cup, alice: User) -> None:
    match = evening.fixture(1).match
    assert match is not None
    Match.objects.filter(pk=match.pk).update(length=11)
    bob = [player.name for player in match.players].index("Bob")
    score = [10, 10]
    score[bob] = 0
    told = ("Bob was 0–10 down and won 3–1.",)
    assert letter(evening, alice).lines[1:] == ()
    LiveMatch.objects.create(match=match, state={"match": {"results": [[2, score, bob, "single", 1, 1, True]]}})
    assert letter(evening, alice).lines[1:] == told
    LiveMatch.objects.all().delete()
    record = Submission.objects.create(match=match, swapped=True, size=0, source="api", sha256="", data=b"")
    games = [{"start": score[::-1], "crawford": True}]
    Verdict.objects.create(submission=record, engine_version="1", outcome="ok", content={"games": games})
    match.results.update(submission=record)
    assert letter(evening, alice).lines[1:] == told
    match.results.update(submission=None)
    params = {"score": score}
    event = event_of(evening)
    FloorEvent.objects.create(tournament=event, kind="running_score", match=match, params=params, by="user")
    assert letter(evening, alice).lines[1:] == told


def test_a_merged_player_keeps_the_matches(evening: Cup, dave: User) -> None:
    person = Player.objects.create(name="Dave", user=dave)
    Player.objects.filter(name="Player 1").update(merged_into=person)
    assert [row.text for row in letter(evening, dave).matches][-1] == "You lost to Bob 1–3."


def test_the_page_says_what_has_changed_since_the_email(evening: Cup, alice: User, bob: User, carol: User) -> None:
    # What was only looked at is not compared.
    Letter.objects.create(user=alice, event=event_of(evening), facts={"lines": ["winner:1:1"]})
    assert letter(evening, alice).changes == ()
    for user in (bob, carol):
        facts = json.loads(json.dumps(letter(evening, user).facts))
        Letter.objects.create(user=user, event=event_of(evening), facts=facts, sent_at=LATER)
    assert letter(evening, bob).changes == ()
    side = final(evening).players.index(Player.objects.get(user=carol))
    evening.correct(evening.fixture(3), ResultInput(side, (3, 0) if side == 0 else (0, 3)))
    evening.replay()
    own = letter(evening, bob)
    assert own.sent_at == LATER
    assert own.changes[:2] == ("Your place is 2nd, not 1st.", "A result is corrected: You lost to Carol 0–3.")
    assert own.changes[2].startswith("Your rating is ")
    assert own.changes[3:] == ("The lines about the evening have changed.",)
