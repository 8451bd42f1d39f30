"""Clubs and their members: creating and editing clubs, and the roles of members."""

import re
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from core.codes import check_country, check_currency
from core.locks import lock_row
from core.names import clean_name, fold
from engine.errors import Refused
from players.access import has_second_factor
from players.accounts.services import check_language, check_time_zone, ensure_player
from players.actors import Actor, apply, log
from players.clubs.owners import tell_unmade, working_owners
from players.models import Club, LogEntry, Membership, Player, User
from players.models.people import MAX_SLUG_LENGTH
from players.people import stored_elsewhere
from players.people.leaving import together_with
from players.people.rows import canonical, club_topic, lock_club, player_topic, refuse_absent
from players.people.services import members_like
from players.people.stored_elsewhere import Leaving

# Creating a club and editing it.


MAX_CLUBS = 20
"""How many clubs one person may own, to stop scripts."""
RESERVED_SLUGS = frozenset({"new"})
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TRIES = 50


@transaction.atomic
def create_club(
    *,
    name: str,
    by: Actor,
    slug: str = "",
    city: str = "",
    country: str = "",
    currency: str = "",
    about: str = "",
    time_zone: str = "UTC",
    language: str = "",
    embed_hosts: str = "",
    accepted: bool = False,
) -> Club:
    """Create a club owned by `by`, or by nobody if that is the system.

    It waits for a site administrator to accept it, unless it is `accepted`, or `by` is the system or runs the site.
    Without a `slug` it is derived from the name. Refused: `club_twice` (with the `slug` of the first),
    `slug_taken`, `bad_slug`, `too_many_clubs`, `name_missing`, `name_too_long`, `bad_time_zone`, `bad_country`,
    `bad_currency`, `bad_language`.
    """
    name, zone = clean_name(name), check_time_zone(time_zone) or "UTC"
    if by.user is not None:
        # Two clicks on the button wait for each other here; the second then finds the club of the first.
        lock_row(User, by.user.pk)
        _refuse_another(by.user, name)
    club = Club(name=name, city=city, about=about, time_zone=zone, embed_hosts=embed_hosts)
    club.country, club.currency = check_country(country), check_currency(currency)
    club.language = check_language(language)
    if not (accepted or by.user is None or by.user.is_superuser or by.user.owns_site):
        club.accepted_at = None
    elif by.user is not None:
        club.accepted_by = by.user
    _insert(club, check_slug(slug) if slug else "")
    log(by, "club_created", club_topic(club), club=club, name=name)
    if by.user is not None:
        owner = ensure_player(user=by.user, by=by)
        Membership.objects.create(club=club, player=owner, role=Membership.Role.OWNER)
        log(by, "member_added", club_topic(club), club=club, player=owner.public_id, role=Membership.Role.OWNER)
    return club


def _refuse_another(user: User, name: str) -> None:
    owned = Club.objects.filter(
        memberships__player__user=user, memberships__role=Membership.Role.OWNER, memberships__left_at__isnull=True
    )
    for other in owned:
        if fold(other.name) == fold(name):
            raise Refused("club_twice", slug=other.slug)
    if len(owned) >= MAX_CLUBS:
        raise Refused("too_many_clubs", most=MAX_CLUBS)


def _insert(club: Club, slug: str) -> None:
    """Insert a club with this slug, or with one derived from its name. Refused: `slug_taken`."""
    for _ in range(_TRIES):
        club.slug = slug or _free_slug(club.name)
        try:
            with transaction.atomic():
                club.save(force_insert=True)
            return
        except IntegrityError:
            # Another club took this slug at the same moment; a derived one can be replaced by the next.
            if slug:
                break
    raise Refused("slug_taken", slug=club.slug)


def check_slug(slug: str) -> str:
    """Return the slug if it is valid. Refused: `bad_slug`."""
    if not _SLUG.fullmatch(slug) or len(slug) > MAX_SLUG_LENGTH or slug in RESERVED_SLUGS:
        raise Refused("bad_slug", slug=slug)
    return slug


def _free_slug(name: str) -> str:
    """Return a free slug derived from the name, numbered if necessary; random if the name has no Latin letters."""
    base = slugify(fold(name))[: MAX_SLUG_LENGTH - 4].strip("-_").replace("_", "-")
    if not base:
        return f"club-{secrets.token_hex(4)}"
    used_slugs = set(Club.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | RESERVED_SLUGS
    candidates = [base, *(f"{base}-{number}" for number in range(2, _TRIES))]
    return next((slug for slug in candidates if slug not in used_slugs), f"club-{secrets.token_hex(4)}")


@transaction.atomic
def update_club(*, club: Club, by: Actor, **changes: Any) -> Club:
    """Change any of the settings in `_CHECKS`.

    Refused: `slug_taken`, `bad_slug`, `name_missing`, `name_too_long`, `bad_time_zone`, `bad_country`, `bad_currency`,
    `bad_language`.
    """
    values = {field: _CHECKS[field](value) for field, value in changes.items()}
    locked = lock_club(club)
    try:
        with transaction.atomic():
            changed = apply(locked, values)
    except IntegrityError:
        raise Refused("slug_taken", slug=values["slug"]) from None
    if changed:
        log(by, "club_changed", club_topic(locked), club=locked, changed=changed)
    return locked


@transaction.atomic
def set_second_factor(*, club: Club, required: bool, by: Actor) -> Club:
    """Say whether owners need a second factor. Refused: `second_factor_first` if whoever wants it has none."""
    locked = lock_club(club)
    if required and (by.user is None or not has_second_factor(by.user)):
        raise Refused("second_factor_first")
    if changed := apply(locked, {"second_factor": required}):
        log(by, "club_changed", club_topic(locked), club=locked, changed=changed)
    return locked


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "name": clean_name,
    "slug": check_slug,
    "city": str,
    "country": check_country,
    "currency": check_currency,
    "about": str,
    "tagline": str,
    "meets": str,
    "contact": str,
    "imprint": str,
    "year_fee": str,
    "colour": Club.Colour,
    "board": Club.Board,
    "embed_hosts": str,
    "class_points": int,
    "letter_on_close": bool,
    "time_zone": check_time_zone,
    "language": check_language,
}


# The members of a club and their roles.


Role = Membership.Role


@transaction.atomic
def add_member(*, club: Club, name: str, by: Actor, namesake: bool = False) -> Membership:
    """Add a new player without an account to a club.

    Refused: `namesake` if a member, or a former one, has this name or one like it, unless `namesake` says that this is
    another person;
    `name_missing`, `name_too_long`.
    """
    name = clean_name(name)
    lock_club(club)
    if not namesake:
        for known in members_like(club, name):
            raise Refused("namesake", name=known.name, player=known.public_id)
    player = Player.objects.create(name=name)
    log(by, "player_added", player_topic(player), club=club, name=name)
    return _join(club, player, by)


@transaction.atomic
def add_player(*, club: Club, player: Player, by: Actor) -> Membership:
    """Add an existing player, or a former member, to a club. Refused: `already_member`, `erased`, `suspended`."""
    lock_club(club)
    player = canonical(player)
    if player.erased_at is not None:
        raise Refused("erased")
    refuse_absent(player)
    before = Membership.objects.filter(club=club, player=player).first()
    if before is None:
        return _join(club, player, by)
    if before.left_at is None:
        raise Refused("already_member", name=player.shown_name)
    before.left_at, before.by_merge = None, None
    before.save(update_fields=["left_at", "by_merge"])
    log(by, "member_returned", club_topic(club), club=club, player=player.public_id)
    return before


def _join(club: Club, player: Player, by: Actor) -> Membership:
    membership = Membership.objects.create(club=club, player=player)
    log(by, "member_added", club_topic(club), club=club, player=player.public_id, role=membership.role)
    return membership


@transaction.atomic
def set_role(*, membership: Membership, role: str, by: Actor) -> Membership:
    """Change the role of a member.

    Refused: `owner_by_offer`, `last_owner`, `role_needs_account`, `suspended`, `bad_role`, `not_a_member`.
    """
    if role not in Role.values:
        raise Refused("bad_role", role=role)
    current = locked_member(membership)
    if current.role == role:
        return current
    if role != Role.MEMBER:
        check_may_have_role(current.player)
    if role == Role.OWNER:
        raise Refused("owner_by_offer", name=current.player.name)
    _keep_an_owner(current)
    was_owner = current.role == Role.OWNER
    entry = give_role(current, Role(role), by)
    if was_owner:
        tell_unmade(current, entry)
    return current


def check_may_have_role(player: Player) -> None:
    """Refused: `role_needs_account`, `suspended`, `former_member`."""
    if player.user_id is None:
        raise Refused("role_needs_account", name=player.name)
    refuse_absent(player)


def give_role(current: Membership, role: Role, by: Actor) -> LogEntry:
    """Set the role of a member whose club is locked, and return the entry of the log."""
    before, current.role = current.role, role
    current.save(update_fields=["role"])
    about = {"player": current.player.public_id, "role": [before, role]}
    return log(by, "role_changed", club_topic(current.club), club=current.club, **about)


def remove_member(*, membership: Membership, by: Actor, now: datetime, gives_up: bool = False) -> Membership:
    """Remove a member from the club; their matches and entries stay, but not what only members may take part in.

    Refused: `last_owner`, `not_a_member`, and without `gives_up` `for_members` if there is any such.
    """
    return _end(membership, "member_removed", by, now, gives_up)


def leave_club(*, membership: Membership, by: Actor, now: datetime, gives_up: bool = False) -> Membership:
    """Leave a club. Refused: as `remove_member`."""
    return _end(membership, "member_left", by, now, gives_up)


@transaction.atomic
def _end(membership: Membership, verb: str, by: Actor, now: datetime, gives_up: bool) -> Membership:
    current = locked_member(membership)
    _keep_an_owner(current)
    players = together_with(current.player)
    parts = stored_elsewhere.for_members(players, current.club, now)
    if parts and not gives_up:
        raise Refused("for_members", name=current.player.shown_name, parts=", ".join(part.text for part in parts))
    stored_elsewhere.end_membership(Leaving(players, by, now), current.club)
    before, current.role, current.left_at = current.role, Role.MEMBER, now
    current.save(update_fields=["role", "left_at"])
    entry = log(by, verb, club_topic(current.club), club=current.club, player=current.player.public_id, role=before)
    if before == Role.OWNER:
        tell_unmade(current, entry)
    return current


def locked_member(membership: Membership) -> Membership:
    """Lock the club and return the membership as it is now, so that two owners cannot leave at once."""
    club = lock_row(Club, membership.club_id)
    current = Membership.objects.select_related("player").get(pk=membership.pk)
    current.club = club
    if current.left_at is not None:
        raise Refused("not_a_member", name=current.player.name)
    return current


def _keep_an_owner(current: Membership) -> None:
    if current.role == Role.OWNER and not working_owners(current.club).exclude(pk=current.pk).exists():
        raise Refused("last_owner", name=current.player.name)
