"""What somebody has chosen holds for the pairs in which they play, wherever such a pair stands."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from django.db import transaction
from django.test import Client

from clubhouse.letters import sending
from clubhouse.letters.contents import letter_of, letter_of_guest
from clubhouse.letters.email import EmailSection, email_text
from matches.analysis.access import players_shown
from matches.lifecycle.finish import ResultInput
from matches.presentation.visibility import Viewer
from matches.puzzles.pool import MIN_MOVERS, eligible
from players.accounts.services import update_preferences
from players.actors import SYSTEM, Actor
from players.models import Club, Membership, Player, User
from players.people.erasure import erase_player
from players.people.pairs import pair_of
from players.people.services import merge_players
from seasons.services import SeriesInput, create_series
from tests.clock import NOON
from tests.clubhouse.letters.conftest import event_of
from tests.matches.cast import NOW
from tests.matches.puzzles.evenings import movers, played
from tests.tournaments.support.correcting import KNOCKOUT, LATER, Cup

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
NAME, PARTNER = "Quillfeather", "Holm"
Choice = Callable[[User], object]


def choose(**fields: object) -> Choice:
    return lambda user: update_preferences(user=user, by=Actor.of(user), **fields)  # type: ignore[arg-type]


CHOICES: dict[str, Choice] = {
    "out of the letter": choose(in_event_lines=False),
    "initials": choose(initials_only=True),
    "erased": lambda user: erase_player(player=user.player, by=SYSTEM, now=LATER),
    "no puzzles": choose(puzzle_choice=Player.PuzzleChoice.OBJECTS),
    "play quality for everybody": choose(analysis_visibility=Player.AnalysisVisibility.PUBLIC),
    "play quality for nobody": choose(analysis_visibility=Player.AnalysisVisibility.PRIVATE),
}
UNNAMED = {"initials", "erased"}
"""Choices after which the full name is nowhere."""
OUT_OF_LETTERS = {"out of the letter", "erased"}
"""Choices after which no letter names the pair."""
OUT_OF_PUZZLES = {"no puzzles", "erased"}
LETTERS = {"letter", "e-mail", "letter of a guest"}
PATHS = {
    "club": "/clubs/harbour/",
    "event": "{event}",
    "found by name": "{event}?q=Quillf",
    "division": "{event}{division}/",
    "bracket": "/api/v1/divisions/{division}/bracket/",
    "entries": "/api/v1/divisions/{division}/entries/",
    "standings": "/api/v1/divisions/{division}/standings/",
    "report": "{event}report/",
    "report of the API": "/api/v1/tournaments/{tournament}/report/",
    "match": "/matches/{match}/",
    "pair": "/players/{pair}/",
    "season": "/clubs/harbour/seasons/autumn/",
}


class Doubles:
    """An evening that Ann Quillfeather and Bea Holm have won, and what is read of it."""

    def __init__(self, club: Club, ann: Player, *, merged: bool) -> None:
        own = Player.objects.create(name=f"Ann {NAME}") if merged else ann
        names = (f"Bea {PARTNER}",), ("Cem Cox", "Dan Dahl"), ("Eva Eng", "Fay Fox"), ("Gus Gade", "Hal Hood")
        rest = [[Player.objects.create(name=name) for name in each] for each in names]
        self.club, self.guest, self.alice = club, rest[1][0], User.objects.get(player__name="Alice")
        with transaction.atomic():
            pairs = [pair_of(*people) for people in ([own, *rest[0]], *rest[1:])]
        self.pair = pairs[0]
        self.cup = Cup.of(pairs, KNOCKOUT, "one").play(Random(0), most=0)
        while ready := self.cup.ready():
            match = ready[0].match
            assert match is not None
            side = min((0, 1), key=lambda side: match.players[side].pk)
            self.cup.report(ready[0], ResultInput(side, (3, 1) if side == 0 else (1, 3)))
        self.final = self.cup.fixtures()[-1].match
        for mover in movers(MIN_MOVERS):
            played(club, mover, self.pair)
        days = SeriesInput("Autumn", NOON.date(), NOON.date(), "motor_racing")
        create_series(club=club, series=days, by=SYSTEM, now=NOON)
        if merged:
            merge_players(player=own, into=ann, by=SYSTEM, now=NOON)

    def letter(self) -> str:
        letter = letter_of(self.alice, event_of(self.cup), LATER)
        assert letter is not None
        assert not letter.played
        return repr((letter.title, letter.lines))

    def email(self) -> str:
        """The same letter as a worker sends it that has read the evening before."""
        event = event_of(self.cup)
        night = sending._night(event.public_id, "finished", LATER)
        letter = letter_of(self.alice, event, LATER, night)
        assert letter is not None
        return "\n".join(email_text(self.alice, [EmailSection(letter, is_correction=False)]))

    def letter_of_guest(self) -> str:
        letter = letter_of_guest(self.guest, event_of(self.cup), LATER)
        assert letter is not None
        return repr(letter.lines)

    def page(self, path: str) -> str:
        event = event_of(self.cup)
        assert self.final is not None
        places = {
            "event": f"/events/harbour/{event.slug}/",
            "division": self.cup.division.public_id,
            "tournament": event.public_id,
            "match": self.final.public_id,
            "pair": self.pair.public_id,
        }
        response = Client().get(path.format(**places))
        assert response.status_code == 200, path
        return response.content.decode()

    def outputs(self) -> dict[str, Callable[[], str]]:
        letters = {"letter": self.letter, "e-mail": self.email, "letter of a guest": self.letter_of_guest}
        assert letters.keys() == LETTERS
        return letters | {name: partial(self.page, path) for name, path in PATHS.items()}

    def naming(self, *names: str) -> list[set[str]]:
        """The outputs in which each of these names stands."""
        texts = {output: read() for output, read in self.outputs().items()}
        return [{output for output, text in texts.items() if name in text} for name in names]


@pytest.fixture(params=["own row", "merged row"])
def doubles(club: Club, carol: User, request: pytest.FixtureRequest) -> Doubles:
    """Carol is called Ann Quillfeather; she was entered as that player, or as one merged into it later."""
    User.objects.filter(pk=carol.pk).update(display_name=f"Ann {NAME}")
    ann = Player.objects.create(name=f"Ann {NAME}", user=carol)
    Membership.objects.create(club=club, player=ann)
    return Doubles(club, ann, merged=request.param == "merged row")


def test_every_choice_holds_in_every_output_with_a_pair(doubles: Doubles, carol: User, alice: User) -> None:
    everywhere = doubles.outputs().keys()
    assert doubles.naming(NAME, PARTNER) == [everywhere, everywhere]
    for choice, take in CHOICES.items():
        doubles.email()  # as the worker has read it before
        with transaction.atomic():
            take(User.objects.get(pk=carol.pk))
            of_ann, of_partner = doubles.naming(NAME, PARTNER)
            is_quality_shown = bool(players_shown(Viewer.of(alice), [doubles.pair.pk]))
            is_puzzle = bool(eligible(doubles.club, NOW))
            transaction.set_rollback(True)
        letters = LETTERS if choice in OUT_OF_LETTERS else set()
        assert of_ann == (set() if choice in UNNAMED else everywhere - letters), choice
        assert LETTERS - of_partner == letters, choice
        assert not is_quality_shown, "how a pair plays is for both of them alone"
        assert is_puzzle == (choice not in OUT_OF_PUZZLES), choice
