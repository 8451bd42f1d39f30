"""The emblem of a club: which pictures are taken, what is kept of them, and how they are served."""

import struct
import zlib
from io import BytesIO
from random import Random
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from PIL import Image, PngImagePlugin

from core.pictures import MAX_KILOBYTES, MAX_PIXELS, SIDE, drawn_anew
from engine.errors import Refused
from players.actors import SYSTEM
from players.clubs.emblems import remove_emblem, set_emblem
from players.models import Club, ClubEmblem, LogEntry, User
from tests.players.conftest import Join


def picture(file_format: str = "PNG", size: tuple[int, int] = (40, 40), mode: str = "RGB", **options: Any) -> bytes:
    data = BytesIO()
    Image.new(mode, size, 128 if mode in ("L", "I;16", "1") else None).save(data, file_format, **options)
    return data.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def declaring(width: int, height: int) -> bytes:
    """A small PNG that says it has so many pixels."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 100_000)) + chunk(b"IEND", b"")


def noise(size: int) -> bytes:
    data = BytesIO()
    Image.frombytes("RGB", (size, size), Random(1).randbytes(3 * size * size)).save(data, "PNG")
    return data.getvalue()


def opened(data: bytes) -> Image.Image:
    image = Image.open(BytesIO(data))
    image.load()
    return image


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("size", [(1, 1), (40, 30), (MAX_PIXELS, 10), (900, 900)])
def test_a_picture_is_drawn_anew_as_a_small_webp_of_the_same_shape(file_format: str, size: tuple[int, int]) -> None:
    image = opened(drawn_anew(picture(file_format, size)))
    scale = min(1, SIDE / max(size))
    assert image.format == "WEBP"
    assert image.size == tuple(max(1, round(length * scale)) for length in size)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_kind_of_pixels_of_a_png_is_taken(mode: str) -> None:
    assert opened(drawn_anew(picture(mode=mode))).size == (40, 40)


def test_a_jpeg_for_printers_is_taken() -> None:
    assert opened(drawn_anew(picture("JPEG", mode="CMYK"))).size == (40, 40)


def test_what_a_file_says_besides_its_pixels_is_gone() -> None:
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "Dave was here")
    exif = Image.Exif()
    exif[0x8298] = "Dave was here"
    for data in (
        picture(pnginfo=text, icc_profile=b"Dave was here"),
        picture("JPEG", exif=exif, comment=b"Dave was here"),
        picture("WEBP", exif=exif, xmp=b"Dave was here"),
    ):
        assert b"Dave was here" in data
        kept = drawn_anew(data)
        assert b"Dave" not in kept
        assert set(opened(kept).info) <= {"background", "loop", "timestamp", "duration"}


def test_a_picture_taken_sideways_stands_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    assert opened(drawn_anew(picture("JPEG", (40, 20), exif=exif))).size == (20, 40)


def test_of_an_animation_the_first_frame_is_kept() -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    for file_format in ("WEBP", "PNG"):
        data = BytesIO()
        frames[0].save(data, file_format, save_all=True, append_images=frames[1:])
        image = opened(drawn_anew(data.getvalue()))
        assert not getattr(image, "is_animated", False)
        red, _green, blue, _alpha = image.convert("RGBA").getpixel((10, 10))  # type: ignore[misc]
        assert red > 200 > 50 > blue


def test_a_file_behind_a_picture_is_not_kept() -> None:
    script = b"<script>alert(1)</script>PK\x03\x04"
    assert script not in drawn_anew(picture() + script)


SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "emblem_format"),
        (SVG, "emblem_svg"),
        (b"\xef\xbb\xbf  " + SVG, "emblem_svg"),
        (picture("GIF"), "emblem_format"),
        (picture("BMP"), "emblem_format"),
        (picture("TIFF"), "emblem_format"),
        (b"%PDF-1.7", "emblem_format"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "emblem_broken"),
        (picture()[:50], "emblem_broken"),
        (picture("JPEG", (300, 300))[:200], "emblem_broken"),
        (picture("WEBP", (300, 300))[:40], "emblem_broken"),
        (noise(100)[:-900], "emblem_broken"),
        (b"\x89PNG\r\n\x1a\n" + SVG, "emblem_broken"),
        (b"\xff\xd8\xff", "emblem_broken"),
        (picture(size=(MAX_PIXELS + 1, 1)), "emblem_pixels"),
        (picture("JPEG", (1, MAX_PIXELS + 1)), "emblem_pixels"),
        (declaring(30_000, 30_000), "emblem_pixels"),
        (declaring(10_000, 10_000), "emblem_pixels"),
        (declaring(2**31 - 1, 2**31 - 1), "emblem_pixels"),
        (declaring(0, 0), "emblem_broken"),
        (declaring(1_000, 1_000), "emblem_broken"),
        (picture() + b"\0" * MAX_KILOBYTES * 1024, "emblem_bytes"),
    ],
)
def test_other_files_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        drawn_anew(data)
    assert refused.value.code == code


def test_random_damage_is_refused_or_drawn() -> None:
    chance = Random(7)
    originals = [noise(40), picture("JPEG", (60, 60)), picture("WEBP", (60, 60))]
    outcomes = set()
    for _ in range(300):
        data = bytearray(chance.choice(originals))
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            outcomes.add(opened(drawn_anew(bytes(data))).format)
        except Refused as refused:
            outcomes.add(refused.code)
    assert {"WEBP", "emblem_broken"} <= outcomes <= {"WEBP", "emblem_broken", "emblem_format", "emblem_pixels"}


@pytest.mark.django_db
def test_the_emblem_has_a_path_of_its_own_that_changes_with_the_picture(club: Club, client: Client) -> None:
    first = set_emblem(club=club, data=picture(), by=SYSTEM).emblem_url
    response = client.get(first)
    assert response.content == bytes(ClubEmblem.objects.get(club=club).image)
    assert response.headers["Content-Type"] == "image/webp"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert client.get(first, headers={"If-None-Match": response.headers["ETag"]}).status_code == 304
    assert client.get(f"/clubs/{club.slug}/").content.decode().count(f'src="{first}"') == 1
    second = set_emblem(club=club, data=picture("JPEG", (70, 70)), by=SYSTEM).emblem_url
    assert second != first
    assert [client.get(path).status_code for path in (first, second)] == [404, 200]
    remove_emblem(club=club, by=SYSTEM)
    remove_emblem(club=club, by=SYSTEM)
    assert client.get(second).status_code == 404
    assert 'class="emblem emblem-initials club-green"' in client.get(f"/clubs/{club.slug}/").content.decode()
    assert list(LogEntry.objects.filter(verb__startswith="club_emblem").values_list("verb", flat=True)) == [
        "club_emblem_removed", "club_emblem_set", "club_emblem_set",
    ]  # fmt: skip


@pytest.mark.django_db
def test_the_same_picture_again_changes_nothing(club: Club) -> None:
    set_emblem(club=club, data=picture(), by=SYSTEM)
    set_emblem(club=club, data=picture(), by=SYSTEM)
    assert LogEntry.objects.filter(verb="club_emblem_set").count() == 1


def upload(data: bytes) -> dict[str, SimpleUploadedFile]:
    return {"image": SimpleUploadedFile("emblem.png", data, "image/png")}


@pytest.mark.django_db
def test_directors_change_the_emblem_and_nobody_else(
    full_club: Club, join: Join, alice: User, bob: User, mallory: User, olga: User
) -> None:
    path = f"/clubs/{full_club.slug}/emblem/"
    for user, status in ((bob, 403), (mallory, 403), (alice, 302), (olga, 302)):
        client = Client()
        client.force_login(user)
        assert client.post(path, upload(picture())).status_code == status
        assert client.post(f"{path}remove/").status_code == status
    assert Client().post(path, upload(picture()))["Location"].startswith("/sign-in/")


@pytest.mark.django_db
def test_a_refusal_stands_beside_the_picture(club: Club, olga: User, client: Client) -> None:
    client.force_login(olga)
    for data, sentence in (
        (SVG, "An emblem is a PNG, JPEG or WebP picture."),
        (b"\0" * (MAX_KILOBYTES * 1024 + 1), "An emblem can have up to 200 KB."),
        (b"", "This file is none of them."),
    ):
        response = client.post(f"/clubs/{club.slug}/emblem/", upload(data))
        assert response.status_code == 422
        assert sentence in response.content.decode()
    assert client.post(f"/clubs/{club.slug}/emblem/").status_code == 422


@pytest.mark.django_db
def test_programs_change_the_emblem_too(club: Club, olga: User, bob: User, client: Client) -> None:
    path = f"/api/v1/clubs/{club.slug}/emblem/"
    assert client.get(f"/api/v1/clubs/{club.slug}/").json()["emblem"] is None
    client.force_login(olga)
    sent = SimpleUploadedFile("emblem.gif", picture("GIF"), "image/png")
    body, kind = multipart(sent)
    assert client.put(path, body, content_type=kind).json()["code"] == "emblem_format"
    body, kind = multipart(SimpleUploadedFile("emblem.png", picture(), "image/png"))
    emblem = client.put(path, body, content_type=kind).json()["emblem"]
    assert client.get(emblem).status_code == 200
    client.force_login(bob)
    assert client.put(path, body, content_type=kind).status_code == 403
    assert client.delete(path).status_code == 403
    client.force_login(olga)
    assert client.delete(path).status_code == 204
    assert client.get(f"/api/v1/clubs/{club.slug}/").json()["emblem"] is None


def multipart(file: SimpleUploadedFile) -> tuple[bytes, str]:
    return encode_multipart(BOUNDARY, {"image": file}), MULTIPART_CONTENT
