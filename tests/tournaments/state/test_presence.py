"""Who is here, derived from signs; without the database."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from players.people.rows import PersonId
from tournaments.state.presence import Evidence, PresenceFacts, SignKind, day_of, presence

NOW = datetime(2026, 11, 20, 20, tzinfo=UTC)
BOB, CAROL, ERIN = PersonId(1), PersonId(2), PersonId(3)
PEOPLE = {person: (person,) for person in (BOB, CAROL, ERIN)}
HERE, AWAY, MISSING, PLAYED, NO_SHOW = SignKind.HERE, SignKind.AWAY, SignKind.MISSING, SignKind.PLAYED, SignKind.NO_SHOW


def sign(kind: SignKind, player: int, ago: float, *, at_desk: bool = False) -> Evidence:
    return Evidence(NOW - timedelta(minutes=ago), player, kind, at_desk)


def absent(*signs: Evidence, now: datetime = NOW) -> set[int]:
    here = presence(PresenceFacts(signs), PEOPLE, now)
    return {player for player in (BOB, CAROL, ERIN) if here.is_absent(player)}


def test_calls_follow_check_in_once_a_director_has_checked_somebody_in() -> None:
    assert absent() == set()
    assert absent(sign(HERE, BOB, 30)) == set(), "the tap of a player changes nothing for the others"
    assert absent(sign(HERE, BOB, 30), sign(HERE, CAROL, 20, at_desk=True)) == {ERIN}
    opened = PresenceFacts((), UTC, opened_at=NOW - timedelta(hours=1))
    assert presence(opened, PEOPLE, NOW).is_followed
    assert not presence(opened, PEOPLE, NOW - timedelta(hours=2)).is_followed, "not before it opens"
    assert presence(opened, PEOPLE, NOW + timedelta(days=1)).is_followed, "nor only on that day"


def test_whoever_plays_is_here() -> None:
    desk = sign(HERE, BOB, 60, at_desk=True)
    assert absent(desk, sign(PLAYED, CAROL, 5)) == {ERIN}
    assert absent(desk, sign(MISSING, CAROL, 10), sign(PLAYED, CAROL, 5)) == {ERIN}
    assert absent(desk, sign(PLAYED, CAROL, 10), sign(MISSING, CAROL, 5)) == {CAROL, ERIN}


def test_a_no_show_is_absent_until_they_are_here_also_where_nobody_checks_in() -> None:
    assert absent(sign(NO_SHOW, BOB, 30)) == {BOB}
    returned = sign(NO_SHOW, BOB, 30), sign(HERE, BOB, 10, at_desk=True)
    assert absent(*returned) == set(), "calls do not follow check-in by that"
    assert absent(sign(AWAY, BOB, 30, at_desk=True), sign(HERE, BOB, 10, at_desk=True)) == set()
    assert absent(sign(HERE, BOB, 40, at_desk=True), sign(NO_SHOW, BOB, 30), sign(HERE, CAROL, 20)) == {BOB, ERIN}


@pytest.mark.parametrize(
    ("zone", "now", "begins"),
    [
        ("UTC", "2026-11-21T04:59", "2026-11-20T05:00"),
        ("UTC", "2026-11-21T05:00", "2026-11-21T05:00"),
        # Clocks go back during the night of the 25th of October: it has an hour more.
        ("Europe/Copenhagen", "2026-10-25T03:30", "2026-10-24T03:00"),
        ("Europe/Copenhagen", "2026-10-25T04:30", "2026-10-25T04:00"),
    ],
)
def test_a_day_begins_at_five_of_the_time_zone(zone: str, now: str, begins: str) -> None:
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    began, ends = day_of(ZoneInfo(zone), moment)
    assert began.astimezone(UTC) == datetime.fromisoformat(begins).replace(tzinfo=UTC)
    assert began <= moment < ends
    assert day_of(ZoneInfo(zone), ends)[0] == ends


def test_here_ends_with_the_day() -> None:
    night = NOW.replace(hour=23)
    signs = Evidence(night, BOB, HERE, at_desk=True), Evidence(night, CAROL, NO_SHOW)
    facts = PresenceFacts(signs)
    assert presence(facts, PEOPLE, night + timedelta(hours=5)).here == {BOB}, "at four in the morning"
    tomorrow = presence(facts, PEOPLE, night + timedelta(hours=6))
    assert (tomorrow.here, tomorrow.no_shows, tomorrow.is_followed) == (set(), set(), True)


def test_on_a_new_day_nobody_is_called_before_they_are_here_or_directors_open_the_floor() -> None:
    desk = sign(HERE, BOB, 30, at_desk=True)
    tomorrow = NOW + timedelta(days=1)

    def on(*signs: Evidence, opened: timedelta | None = None) -> tuple[bool, bool]:
        day = presence(PresenceFacts((desk, *signs)), PEOPLE, tomorrow, opened and NOW + opened)
        return day.is_followed, day.is_new_day

    assert on() == (True, True)
    assert on(sign(HERE, CAROL, -23 * 60)) == (True, False), "Carol has tapped that she is here"
    assert on(opened=-timedelta(hours=1)) == (True, True), "the floor was opened yesterday"
    assert on(opened=timedelta(hours=23)) == (False, False)
    assert on(sign(HERE, CAROL, -23 * 60, at_desk=True), opened=timedelta(hours=22)) == (True, False)


@given(
    st.lists(
        st.builds(
            sign, st.sampled_from(SignKind), st.sampled_from([BOB, CAROL, ERIN]), st.integers(0, 6000),
            at_desk=st.booleans(),
        ),
        max_size=12,
    ),
)  # fmt: skip
def test_calls_follow_check_in_from_the_first_one_on_and_only_who_was_here_today_is_called(
    rows: list[Evidence],
) -> None:
    moments = [NOW + timedelta(hours=hours) for hours in range(-100, 50)]
    days = [presence(PresenceFacts(tuple(row for row in rows if row.at <= now)), PEOPLE, now) for now in moments]
    followed = [day.is_followed for day in days]
    assert followed == sorted(followed)
    for now, day in zip(moments, days, strict=True):
        began = day_of(UTC, now)[0]
        today = {row.player for row in rows if began <= row.at <= now}
        assert day.here <= today
        assert not (day.is_followed and day.is_new_day and day.here)
        assert all(day.is_absent(person) for person in PEOPLE.keys() - today) or not day.is_followed


@given(
    st.lists(
        st.builds(
            sign, st.sampled_from(SignKind), st.sampled_from([BOB, CAROL, ERIN]), st.integers(0, 600),
            at_desk=st.booleans(),
        ),
        max_size=12,
    ),
    st.randoms(),
)  # fmt: skip
def test_the_order_in_which_signs_are_read_does_not_matter(signs: list[Evidence], chance: object) -> None:
    apart = list({row.at: row for row in signs}.values())
    shuffled = apart[:]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = (presence(PresenceFacts(tuple(rows)), PEOPLE, NOW) for rows in (apart, shuffled))
    assert first == second


def test_the_last_sign_of_a_person_counts_under_whatever_name() -> None:
    signs = sign(HERE, BOB, 60, at_desk=True), sign(NO_SHOW, CAROL, 30), sign(HERE, ERIN, 10)
    people = {**PEOPLE, CAROL: (ERIN,)}
    assert presence(PresenceFacts(signs), people, NOW) == presence(
        PresenceFacts((*signs[:1], sign(NO_SHOW, ERIN, 30), signs[2])), PEOPLE, NOW
    )
    pair = {**PEOPLE, CAROL: (BOB, ERIN)}
    assert presence(PresenceFacts(signs[:2]), pair, NOW).no_shows == set(), "one of the two may have come"
