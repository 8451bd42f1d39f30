"""What the site writes about people, its own lists read back: every CSV file, in every language, by every reader."""

from collections.abc import Iterable
from datetime import date

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from core.names import fold
from core.people_lists import read_people
from core.spreadsheets import read_text, spreadsheet_text
from matches.models import PlayerRating, RatingPool
from players.models import Player, User
from seasons.imports.matches import MatchReading, read_past_matches
from seasons.imports.rows import Reading, read_past
from tests import demo_club
from tests.config.test_downloads import csv_addresses

MATCHES = "rated-matches-csv"
TWO_IN_A_ROW = {"pairings-file", MATCHES}


def listed(text: str) -> list[str]:
    return [person.name for person in read_people(text)]


def listed_in_pairs(text: str) -> list[str]:
    return [person.name for person in read_people(text, pairs=True)]


def placed(text: str) -> list[str]:
    return [row.name for row in read_past(read_text(text), Reading()).good]


def played(text: str) -> list[str]:
    return [name for row in read_past_matches(read_text(text), MatchReading(), date.max).good for name in row.names]


def folded(names: Iterable[str]) -> set[str]:
    return set(map(fold, names)) - {""}


@pytest.mark.slow
@pytest.mark.django_db
def test_every_list_reads_the_people_of_every_file_and_nobody_else() -> None:
    owner = demo_club.load(now=timezone.now())["owner"]
    assert isinstance(owner, User)
    client = Client()
    client.force_login(owner)
    some = [row.pk for row in PlayerRating.objects.order_by("pk")[:5]]
    PlayerRating.objects.filter(pk__in=some).update(pool=RatingPool.objects.exclude(club=None).latest("pk"))
    people = folded(Player.objects.values_list("name", flat=True))
    files = set[tuple[str, bytes]]()
    for name, address in csv_addresses():
        for language, _label in settings.LANGUAGES:
            User.objects.filter(pk=owner.pk).update(language=language)
            files.add((name, client.get(address).getvalue()))
    read = set[str]()
    for name, content in sorted(files):
        text = spreadsheet_text(content)
        written = folded(cell for sheet in read_text(text) for row in sheet.rows for cell in row) & people
        if not written:
            continue
        read.add(name)
        names = {reader: folded(reader(text)) for reader in (listed, listed_in_pairs, placed, played)}
        assert set().union(*names.values()) <= people, name
        if name not in TWO_IN_A_ROW:
            assert written <= names[listed_in_pairs], name
        if name == MATCHES:
            assert names[played] == written
    assert read == {name for name, _content in files}
