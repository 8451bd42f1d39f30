"""Two requests at once: one succeeds, the other is refused; nothing is done twice and nothing breaks."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from engine.errors import Refused
from players.access import Role
from players.accounts.services import ensure_player, register_user, update_preferences, verify_email
from players.actors import SYSTEM, Actor
from players.clubs.services import add_member, create_club, leave_club, set_role
from players.models import Alias, Club, Membership, Player, User
from players.people.erasure import erase_player
from players.people.pairs import pair_of
from players.people.services import accept_invitation, find_or_add_players, invite, merge_players, remember_alias
from tests.players.conftest import NOW, Enter, Join

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]
ROUNDS = 5


def at_once(*calls: Callable[[], Any]) -> list[str]:
    """The outcome of each call: "done", or the code of its refusal."""
    gate = threading.Barrier(len(calls))
    outcomes: list[str | BaseException] = [""] * len(calls)

    def run(number: int) -> None:
        try:
            gate.wait(10)
            calls[number]()
            outcomes[number] = "done"
        except Refused as refused:
            outcomes[number] = refused.code
        except Exception as error:  # noqa: BLE001 - shown below, in the test's own thread.
            outcomes[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    broken = [outcome for outcome in outcomes if not isinstance(outcome, str)]
    assert broken == []
    return sorted(map(str, outcomes))


def test_both_of_a_pair_change_their_names(alice: User, bob: User) -> None:
    with transaction.atomic():
        pair = pair_of(*(ensure_player(user=user, by=SYSTEM) for user in (alice, bob)))
    for number in range(ROUNDS):
        at_once(
            *[
                lambda user=user, name=f"{name} {number}": update_preferences(user=user, by=SYSTEM, display_name=name)
                for user, name in ((alice, "Ann"), (bob, "Bea"))
            ]
        )
        pair.refresh_from_db()
        assert pair.name == f"Ann {number} & Bea {number}"


def test_two_registrations_with_one_address() -> None:
    for number in range(ROUNDS):
        outcomes = at_once(
            *[
                lambda n=number: register_user(
                    email=f"erin{n}@example.org", password="crawford-1969", display_name="Erin", now=NOW
                )
            ]
            * 2
        )
        assert outcomes == ["done", "done"]
        assert User.objects.filter(email=f"erin{number}@example.org").count() == 1
    assert Player.objects.count() == User.objects.count() == 2 * ROUNDS


def test_two_accounts_confirm_one_address_at_once() -> None:
    for number in range(ROUNDS):
        email = f"erin{number}@example.org"
        rows = [register_user(email=email, password="crawford-1969", display_name="Erin", now=NOW) for _ in range(2)]
        outcomes = at_once(
            *[lambda row=row: verify_email(user=row, email=row.new_email, by=Actor.of(row), now=NOW) for row in rows]
        )
        assert outcomes == ["done", "email_taken"]


def test_two_clicks_on_create_club(olga: User) -> None:
    for number in range(ROUNDS):
        outcomes = at_once(*[lambda n=number: create_club(name=f"Club {n}", by=Actor.of(olga))] * 2)
        assert outcomes == ["club_twice", "done"]


def test_two_clubs_with_one_slug(olga: User, mallory: User) -> None:
    for number in range(ROUNDS):
        slug = f"club-{number}"
        outcomes = at_once(
            lambda s=slug: create_club(name="One", slug=s, by=SYSTEM),
            lambda s=slug: create_club(name="Other", slug=s, by=SYSTEM),
        )
        assert outcomes == ["done", "slug_taken"]


def test_two_clubs_with_one_name(olga: User, mallory: User) -> None:
    for number in range(ROUNDS):
        name = f"Club {number}"
        outcomes = at_once(
            lambda n=name: create_club(name=n, by=Actor.of(olga)),
            lambda n=name: create_club(name=n, by=Actor.of(mallory)),
        )
        assert outcomes == ["done", "done"]


def test_two_directors_add_the_same_name(club: Club) -> None:
    for number in range(ROUNDS):
        outcomes = at_once(*[lambda n=number: add_member(club=club, name=f"Jens {n}", by=SYSTEM)] * 2)
        assert outcomes == ["done", "namesake"]


def test_two_directors_paste_the_same_list(club: Club) -> None:
    names = [f"Player {number}" for number in range(20)]
    at_once(*[lambda: find_or_add_players(club=club, names=names, by=SYSTEM)] * 3)
    assert Membership.objects.filter(club=club, player__name__startswith="Player").count() == 20


def test_the_last_two_owners_leave(join: Join, club: Club, olga: User, alice: User) -> None:
    join(alice, Role.OWNER)
    mine = list(Membership.objects.filter(club=club))
    outcomes = at_once(*[lambda m=m: leave_club(membership=m, by=SYSTEM, now=NOW) for m in mine])
    assert outcomes == ["done", "last_owner"]


def test_the_last_two_owners_demote_each_other(join: Join, club: Club, alice: User) -> None:
    join(alice, Role.OWNER)
    mine = list(Membership.objects.filter(club=club))
    outcomes = at_once(*[lambda m=m: set_role(membership=m, role=Role.MEMBER, by=SYSTEM) for m in mine])
    assert outcomes == ["done", "last_owner"]


def test_two_users_accept_one_invitation(enter: Enter, bob: User, carol: User) -> None:
    ensure_player(user=bob, by=SYSTEM)
    for number in range(ROUNDS):
        jens = enter(f"Jens {number}")
        secret = invite(membership=jens.memberships.get(), by=SYSTEM, now=NOW, link=lambda s: s).url
        Player.objects.filter(user=carol).update(user=None)
        outcomes = at_once(
            *[lambda u=u, s=secret: accept_invitation(secret=s, user=u, by=Actor.of(u), now=NOW) for u in (bob, carol)]
        )
        assert outcomes == ["done", "invitation_used"]


def test_a_new_invitation_while_the_old_one_is_accepted(enter: Enter, bob: User) -> None:
    for number in range(ROUNDS):
        jens = enter(f"Jens {number}")
        membership = jens.memberships.get()
        secret = invite(membership=membership, by=SYSTEM, now=NOW, link=lambda s: s).url
        outcomes = at_once(
            lambda s=secret: accept_invitation(secret=s, user=bob, by=Actor.of(bob), now=NOW),
            lambda m=membership: invite(membership=m, by=SYSTEM, now=NOW, link=lambda s: s),
        )
        assert outcomes in (["already_claimed", "done"], ["already_merged", "done"], ["done", "invitation_withdrawn"])


def test_two_players_are_merged_into_each_other(enter: Enter) -> None:
    for number in range(ROUNDS):
        first, second = enter(f"A {number}"), enter(f"B {number}")
        outcomes = at_once(
            lambda a=first, b=second: merge_players(player=a, into=b, by=SYSTEM, now=NOW),
            lambda a=first, b=second: merge_players(player=b, into=a, by=SYSTEM, now=NOW),
        )
        assert outcomes in (["already_merged", "done"], ["done", "merge_same"])
        assert Player.objects.filter(pk__in=[first.pk, second.pk], merged_into__isnull=True).count() == 1


def test_a_merge_and_an_erasure(enter: Enter, join: Join, bob: User) -> None:
    into = join(bob).player
    double = enter("Robert")
    outcomes = at_once(
        lambda: merge_players(player=double, into=into, by=SYSTEM, now=NOW),
        lambda: erase_player(player=into, by=SYSTEM, now=NOW),
    )
    into.refresh_from_db()
    double.refresh_from_db()
    assert outcomes in (["done", "done"], ["done", "erased"], ["done", "stale"])
    merged, erased = double.merged_into_id == into.pk, into.erased_at is not None
    assert (double.erased_at is not None) == (merged and erased)


def test_two_requests_add_one_alias(enter: Enter) -> None:
    jens = enter("Jens")
    assert at_once(*[lambda: remember_alias(player=jens, name="jenshh", by=SYSTEM)] * 3) == ["done"] * 3
    assert Alias.objects.count() == 1
