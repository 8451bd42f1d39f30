"""The emblem of a club: checked, drawn anew by the server and kept in the database."""

from hashlib import sha256

from django.core.files import File
from django.db import transaction
from django.http import Http404

from core import limited
from core.pictures import MAX_KILOBYTES, drawn_anew
from engine.errors import Refused
from players.actors import Actor, log
from players.models import Club, ClubEmblem
from players.people.rows import club_topic, lock_club


def picture_data(file: "File[bytes]") -> bytes:
    """Return the bytes of a picture that was sent. Refused: `emblem_bytes`, before the file is read."""
    if (file.size or 0) > MAX_KILOBYTES * 1024:
        raise Refused("emblem_bytes", most=MAX_KILOBYTES)
    return bytes(file.read())


def set_emblem(*, club: Club, data: bytes, by: Actor) -> Club:
    """Replace the emblem of a club. Refused: as `drawn_anew` and `limited.read_in_request`."""
    image = limited.read_in_request(drawn_anew, data)
    version = sha256(image).hexdigest()[:16]
    with transaction.atomic():
        locked = lock_club(club)
        if locked.emblem_version == version:
            return locked
        ClubEmblem.objects.update_or_create(club=locked, defaults={"image": image})
        locked.emblem_version = version
        locked.save(update_fields=["emblem_version"])
        log(by, "club_emblem_set", club_topic(locked), club=locked, version=version)
    return locked


@transaction.atomic
def remove_emblem(*, club: Club, by: Actor) -> Club:
    locked = lock_club(club)
    if not locked.emblem_version:
        return locked
    ClubEmblem.objects.filter(club=locked).delete()
    locked.emblem_version = ""
    locked.save(update_fields=["emblem_version"])
    log(by, "club_emblem_removed", club_topic(locked), club=locked)
    return locked


def emblem_image(slug: str, version: str) -> bytes:
    """Return the emblem of a club in this version. Raises Http404 for any other."""
    row = ClubEmblem.objects.filter(club__slug=slug, club__emblem_version=version).first()
    if row is None:
        raise Http404
    return bytes(row.image)
