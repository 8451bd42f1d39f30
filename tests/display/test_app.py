"""A club can be installed as an app, with its own face."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image

from core.pictures import drawn_anew
from display.sharing.drawing import CLUB_COLOURS
from players.models import Club, ClubEmblem, Player, User

pytestmark = pytest.mark.django_db


def test_the_manifest_has_the_face_of_its_club(client: Client, club: Club) -> None:
    Club.objects.update(name="Åbo Backgammon", colour="rose")
    answer = client.get("/clubs/harbour/app.webmanifest")
    assert answer.headers["Content-Type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["name"], manifest["start_url"]) == ("Åbo Backgammon", "/my/?club=harbour")
    assert (manifest["theme_color"], manifest["display"]) == ("#a0325c", "standalone")
    assert [icon["purpose"] for icon in manifest["icons"]] == ["any", "any", "maskable"]
    for icon in manifest["icons"]:
        picture = Image.open(BytesIO(client.get(icon["src"]).content))
        assert f"{picture.width}x{picture.height}" == icon["sizes"]
        assert picture.getpixel((0, 0)) == CLUB_COLOURS["rose"]


def test_an_emblem_takes_the_place_of_the_initials(client: Client, club: Club) -> None:
    drawing = BytesIO()
    Image.new("RGB", (64, 64), (200, 0, 0)).save(drawing, "PNG")
    before = client.get("/clubs/harbour/app-icon-192.png")
    ClubEmblem.objects.create(club=club, image=drawn_anew(drawing.getvalue()))
    Club.objects.update(emblem_version="0123456789abcdef")
    after = client.get("/clubs/harbour/app-icon-192.png", headers={"If-None-Match": before.headers["ETag"]})
    red, green, blue = Image.open(BytesIO(after.content)).convert("RGB").getpixel((96, 96))  # type: ignore[misc]
    assert red > 150 > green + blue
    again = client.get("/clubs/harbour/app-icon-192.png", headers={"If-None-Match": after.headers["ETag"]})
    assert again.status_code == 304


def test_pages_of_a_club_and_of_its_members_name_it(client: Client, club: Club, bob_player: Player, bob: User) -> None:
    link = '<link rel="manifest" href="/clubs/harbour/app.webmanifest">'
    assert link in client.get("/clubs/harbour/").content.decode()
    assert "manifest" not in client.get("/help/players/").content.decode()
    client.force_login(bob)
    assert link in client.get("/my/?club=harbour").content.decode()


def test_the_colours_are_those_of_its_page() -> None:
    style = (Path(settings.BASE_DIR) / "players/static/players/club.css").read_text()
    found = dict(re.findall(r"\.club-(\w+) \{\s*--club: #(\w+);", style))
    assert found == {name: bytes(colour).hex() for name, colour in CLUB_COLOURS.items()}
    assert found.keys() == set(Club.Colour.values)
