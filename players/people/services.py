"""Players: names, invitations, merging and erasure."""

import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import override

from core.codes import check_country
from core.locks import lock_row
from core.names import SimilarNames, clean_name, fold
from core.public_ids import hash_of
from engine.errors import Refused
from players.actors import Actor, apply, log
from players.mail import language_of, request_invitation
from players.models import Alias, Club, DataExport, Invitation, Membership, Merge, Pair, Player, User
from players.models.people import CLAIM_LASTS, MAX_ALIAS_LENGTH
from players.people import stored_elsewhere
from players.people.pairs import rename_pairs, with_people
from players.people.rows import (
    canonical,
    club_topic,
    lock_club,
    lock_clubs_of,
    lock_players,
    pairs_of,
    player_of,
    player_topic,
    touch_users_on_commit,
)

# Lists of names: finding the members they refer to and adding the others.


MAX_NAMES = 4096
"""The entries of the largest draw."""
MAX_CANDIDATES = 8
"""Members that are offered for a name that is unclear."""


class NameOutcome(StrEnum):
    FOUND = "found"
    RETURNED = "returned"
    """The name of a former member, who is a member again."""
    ADDED = "added"
    AMBIGUOUS = "ambiguous"
    """Several members have this name; nothing was done."""
    PARTIAL = "partial"
    """Nobody has this name, but it may be part or another spelling of a name that is known; nothing was done."""
    NOT_UNDERSTOOD = "unclear"
    """The line may be no name; nothing was done."""


UNCLEAR = (NameOutcome.AMBIGUOUS, NameOutcome.PARTIAL)
"""The outcomes after which somebody has to choose the player."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name of the list and the player it refers to; if that is unclear, the players it may refer to."""

    name: str
    how: NameOutcome
    player: Player | None = None
    candidates: Sequence[Player] = field(default_factory=tuple)
    repeated: bool = False
    """Whether the list named the same player before."""
    alike: str = ""
    """An earlier name of the list of which this may be another spelling."""

    @property
    def respelled(self) -> bool:
        """Whether the player is known by another spelling."""
        return (
            self.how in (NameOutcome.FOUND, NameOutcome.RETURNED)
            and self.player is not None
            and self.player.name != self.name
        )


@transaction.atomic
def find_or_add_players(
    *, club: Club, names: Iterable[str], by: Actor, namesakes: Collection[int] = frozenset(), near: bool = False
) -> list[NameMatch]:
    """Return the players a list of names refers to, in its order, and add unknown names as members without an account.

    A name matches a member by name or alias, whatever its case, accents and spaces; current members come before former
    ones. At the indices in `namesakes` it means a new player with the same name. With `near`, nobody is added for a
    name that may be part of a current member's name, or another spelling of that of a member, a former one, or an
    earlier one of the list.
    The number of queries does not depend on the length of the list.
    Refused (and nothing is added): `name_missing`, `name_too_long`, `too_many_names`.
    """
    clean_names = _tidy(names)
    lock_club(club)
    matches = _look_up(clean_names, _People(club), namesakes, near=near)
    new = [at for at, match in enumerate(matches) if match.how == NameOutcome.ADDED and not match.repeated]
    added = dict(zip(new, _add(club, [matches[at].name for at in new], by), strict=True))
    by_name = {fold(player.name): player for at, player in added.items() if at not in namesakes}
    matches = [
        replace(match, player=added.get(at) or by_name[fold(match.name)]) if match.how == NameOutcome.ADDED else match
        for at, match in enumerate(matches)
    ]
    _bring_back(club, [match.player for match in matches if match.player and match.how == NameOutcome.RETURNED], by)
    return matches


def find_players(*, club: Club, names: Iterable[str], near: bool = False) -> list[NameMatch]:
    """Return what `find_or_add_players` would, but change nothing; names to be added have no player yet.

    Refused: as there.
    """
    return _look_up(_tidy(names), _People(club), (), near=near)


def members_like(club: Club, name: str) -> list[Player]:
    """Return the members of a club with this name, or else those whose name it may be; former ones, too."""
    people = _People(club)
    return people.called(name) or people.like(name)


def _tidy(names: Iterable[str]) -> list[str]:
    typed_names = list(names)
    if len(typed_names) > MAX_NAMES:
        raise Refused("too_many_names", most=MAX_NAMES, count=len(typed_names))
    return [clean_name(name) for name in typed_names]


def _look_up(names: Sequence[str], people: "_People", namesakes: Collection[int], *, near: bool) -> list[NameMatch]:
    listed: dict[str, str] = {}
    unknown = [name for at, name in enumerate(names) if at not in namesakes and not people.called(name)]
    alike = SimilarNames(unknown if near else ())
    order = {name: at for at, name in enumerate(alike.folded)}
    matches: list[NameMatch] = []
    for at, name in enumerate(names):
        key = fold(name)
        if at in namesakes:
            match = NameMatch(name, NameOutcome.ADDED)
        elif people.called(name):
            match = people.look_up(name)
        elif near:
            earlier = next((other for other in alike.like(name) if order[other] < order[key]), "")
            members = people.like(name)
            how = NameOutcome.PARTIAL if members or earlier else NameOutcome.ADDED
            match = NameMatch(name, how, candidates=members, alike=listed.get(earlier, ""))
        else:
            match = NameMatch(name, NameOutcome.ADDED)
        if at not in namesakes and match.how != NameOutcome.AMBIGUOUS:
            person = str(match.player.pk) if match.player else key
            match = replace(match, repeated=person in listed)
            listed.setdefault(person, name)
        matches.append(match)
    return matches


class _People:
    """The current and former members of a club by name and alias; merged players as the one they were merged into."""

    def __init__(self, club: Club) -> None:
        rows = list(Membership.objects.filter(club=club).select_related("player__merged_into").order_by("pk"))
        self._here = {canonical(row.player).pk for row in rows if row.left_at is None}
        self._by_name: defaultdict[str, dict[int, Player]] = defaultdict(dict)
        by_id = {}
        for row in rows:
            by_id[row.player_id] = person = canonical(row.player)
            self._enter(row.player.name, person)
            self._enter(person.name, person)
        aliases = Alias.objects.filter(player__memberships__club=club)
        for player_id, name in aliases.values_list("player_id", "name").distinct():
            self._enter(name, by_id[player_id])

    def _enter(self, name: str, player: Player) -> None:
        if player.erased_at is None:
            self._by_name[fold(name)][player.pk] = player

    def called(self, name: str) -> list[Player]:
        """Return the players with this name; former members only if no current member has it."""
        everybody = list(self._by_name.get(fold(name), {}).values())
        return [player for player in everybody if player.pk in self._here] or everybody

    def like(self, name: str) -> list[Player]:
        """Return members whose name this may be: part of a current one's (“ann” of “Anna Kowalski”), or nearly it.

        Each word of a part has to begin a word of the name; numbers have to be the same.
        """
        typed = fold(name).split()
        parts = {key for key in self._by_name if all(any(_begins(word, own) for own in key.split()) for word in typed)}
        near = dict.fromkeys(self._similar.like(name))
        players = {
            player.pk: player
            for key in (*parts, *near)
            for player in self._by_name[key].values()
            if key in near or player.pk in self._here
        }
        return sorted(players.values(), key=lambda player: (fold(player.name), player.pk))[:MAX_CANDIDATES]

    @cached_property
    def _similar(self) -> SimilarNames:
        return SimilarNames(self._by_name)

    def look_up(self, name: str) -> NameMatch:
        candidates = self.called(name)
        if len(candidates) > 1:
            return NameMatch(name, NameOutcome.AMBIGUOUS, candidates=candidates)
        player = candidates[0]
        return NameMatch(name, NameOutcome.FOUND if player.pk in self._here else NameOutcome.RETURNED, player)


def _begins(word: str, name: str) -> bool:
    return word == name if word.isdigit() else name.startswith(word)


def _add(club: Club, names: Sequence[str], by: Actor) -> list[Player]:
    """Add players and members in the order of the names, with one log entry for all."""
    if not names:
        return []
    players = Player.objects.bulk_create([Player(name=name) for name in names])
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in players])
    log(by, "members_added", club_topic(club), club=club, players=[player.public_id for player in players])
    return players


def _bring_back(club: Club, players: Sequence[Player], by: Actor) -> None:
    if not players:
        return
    # A player who is a member only under the name of a merged player has no membership yet.
    Membership.objects.bulk_create([Membership(club=club, player=player) for player in players], ignore_conflicts=True)
    Membership.objects.filter(club=club, player__in=players).update(left_at=None, by_merge=None)
    ids = sorted({player.public_id for player in players})
    log(by, "members_returned", club_topic(club), club=club, players=ids)


# Merging two players who are the same person, and undoing it.
#
# A Merge row is the fact. `merged_into` is derived from the merges that were not undone and always points to the
# player that represents the whole group. Matches, entries and memberships stay where they are.
#
# Two pairs that have become the same couple are merged with the merge that made them so, and are two again once they
# are two couples.


@transaction.atomic
def merge_players(
    *, player: Player, into: Player, by: Actor, now: datetime, club: Club | None = None, claimed: bool = False
) -> Merge:
    """Merge `player` into `into`: both are shown as `into` from now on.

    A `club` must be the one that entered `player`. A player with an account cannot be merged into another.
    With `claimed` the account of `into` says that it is this player.
    Refused: `merge_same`, `merge_account`, `already_merged`, `other_club_entered`, `erased`, and what other
    apps refuse (`StoredElsewhere.merged`), such as `stale` if one of them entered an event at the same moment.
    """
    into = canonical(into)
    if into.pk == canonical(player).pk:
        raise Refused("merge_same")
    locked, entered = _lock_people(player, into)
    player, into = locked[player.pk], locked[into.pk]
    for row in (player, into):
        if row.merged_into_id is not None:
            raise Refused("already_merged", name=row.name)
        if row.erased_at is not None:
            raise Refused("erased")
    if player.user_id is not None:
        raise Refused("merge_account", name=player.name)
    if club is not None:
        must_be_home(player, club)
    merge = Merge.objects.create(player=player, into=into, merged_by=by.user, merged_at=now, claimed=claimed)
    _point(player, into)
    _take_over_memberships(merge)
    rename_pairs([into])
    for each in (merge, *_merge_pairs(merge)):
        for stored in stored_elsewhere.registered():
            stored.merged(each, merged_below(each.player), entered, by)
    for topic in (player_topic(player), player_topic(into)):
        log(by, "players_merged", topic, club=club, player=player.public_id, into=into.public_id)
    touch_users_on_commit([into])
    return merge


def _point(player: Player, into: Player) -> None:
    """Let a player, and those merged into it, stand for whom `into` is."""
    Player.objects.filter(Q(pk=player.pk) | Q(merged_into=player)).update(merged_into=into)


def _merge_pairs(merge: Merge) -> list[Merge]:
    """Merge each pair that a merge of people made the same couple as another with that one, and return these merges."""
    below, couples = merged_below(merge.player), defaultdict(list)
    for pair in with_people().filter(player__in=pairs_of([merge.into]), player__merged_into=None):
        couples[_couple(pair)].append(pair)
    merges = []
    for same in couples.values():
        # The pair of the person who is shown comes first, then the older one.
        first, *others = sorted(same, key=lambda pair: ({pair.first_id, pair.second_id} & below != set(), pair.pk))
        for pair in others:
            row = Merge.objects.create(
                player=pair.player, into=first.player, merged_by=merge.merged_by, merged_at=merge.merged_at
            )
            _point(pair.player, first.player)
            merges.append(row)
    return merges


def _couple(pair: Pair, apart: Mapping[int, int] | None = None) -> frozenset[int]:
    """Return the ids of both people; `apart` says for whom players stand that are being separated."""
    return frozenset(
        (apart or {}).get(player.pk, player.merged_into_id or player.pk) for player in (pair.first, pair.second)
    )


def _lock_people(*players: Player) -> tuple[dict[int, Player], set[int]]:
    """Lock the clubs of players, then the divisions that they have entered, then the players.

    Return the players and the divisions by id.
    """
    lock_clubs_of(*players)
    entered = {pk for stored in stored_elsewhere.registered() for pk in stored.lock_entered(players)}
    return lock_players(*players), entered


def home_club(player: Player) -> Club | None:
    """Return the club that entered a player and is responsible for them while they have no account."""
    first = Membership.objects.select_related("club").filter(player=player).order_by("pk").first()
    return first.club if first else None


def must_be_home(player: Player, club: Club) -> None:
    """Refused (`other_club_entered`) unless this club entered the player."""
    home = home_club(player)
    if home is not None and home != club:
        raise Refused("other_club_entered", name=player.shown_name, club=home.name)


def check_managed_by_club(player: Player, club: Club) -> None:
    """Refused (`account_decides`, `other_club_entered`) unless this club decides about the data of a player."""
    if player.user_id is not None:
        raise Refused("account_decides", name=player.name)
    must_be_home(player, club)


def _take_over_memberships(merge: Merge) -> None:
    """Make `into` a member of the clubs of `player`; the old memberships are kept for undoing the merge."""
    clubs = Membership.objects.filter(player=merge.player, left_at__isnull=True).values_list("club_id", flat=True)
    here = Membership.objects.filter(player=merge.into, left_at__isnull=True).values_list("club_id", flat=True)
    for club_id in set(clubs) - set(here):
        Membership.objects.update_or_create(
            club_id=club_id, player=merge.into, defaults={"left_at": None, "by_merge": merge}
        )


@transaction.atomic
def undo_merge(*, merge: Merge, by: Actor, now: datetime, club: Club | None = None) -> Merge:
    """Undo a merge; players who had been merged into `player` before stay with it.

    Whoever had the account of `into` sees nothing more of `player`: its matches, links, messages and clubs.
    A claim also gives the names back that were kept when the account was deleted.
    Refused: `merge_undone`, `claim_settled` once a claim is older than CLAIM_LASTS, `erased`.
    """
    lock_clubs_of(merge.player, merge.into)
    below = merged_below(merge.player)
    pairs = _pairs_to_separate(merge, below)
    sides = below | set(pairs_of(below).values_list("pk", flat=True))
    # Before the players are locked (docs/locking.md); what is refused below undoes this, too.
    for stored in reversed(stored_elsewhere.registered()):
        for row in pairs:
            stored.separating(row, merged_below(row.player), by, now)
        stored.separating(merge, sides, by, now)
    locked = lock_players(merge.player, merge.into, *Player.objects.filter(pk__in=below))
    player = locked[merge.player_id]
    merge = lock_row(Merge, merge.pk)
    if merge.undone_at is not None:
        raise Refused("merge_undone")
    if merge.claimed and merge.merged_at <= now - CLAIM_LASTS:
        raise Refused("claim_settled", days=CLAIM_LASTS.days)
    if player.erased_at is not None and merge.kept is None:
        raise Refused("erased")
    shown_as = canonical(player)
    DataExport.objects.filter(Q(finished_at=None) | Q(finished_at__gte=merge.merged_at), player=shown_as).delete()
    for pk, names in (merge.kept or {}).items():
        _give_back(locked[int(pk)], names)
    for row in (merge, *pairs):
        _part(row, now)
    rename_pairs([player, shown_as])
    # A role was given to the person and not to the player that they were taken for.
    merge.memberships.filter(role=Membership.Role.MEMBER, left_at=None).update(left_at=now)
    for topic in (player_topic(player), player_topic(merge.into)):
        log(by, "merge_undone", topic, club=club, player=player.public_id, into=merge.into.public_id)
    touch_users_on_commit([shown_as])
    return merge


def _part(merge: Merge, now: datetime) -> None:
    """Let the player of a merge stand for itself again, with those who had been merged into it before."""
    merge.undone_at, merge.kept = now, None
    merge.save(update_fields=["undone_at", "kept"])
    player = merge.player
    below = merged_below(player)
    # The row that the caller has of the player names it from now on, too.
    player.merged_into = None
    player.save(update_fields=["merged_into"])
    Player.objects.filter(pk__in=below - {player.pk}).update(merged_into=player)


def _pairs_to_separate(merge: Merge, below: Collection[int]) -> list[Merge]:
    """Return the merges of pairs that are two couples once this merge is undone, the newest first."""
    apart = dict.fromkeys(below, merge.player_id)
    pairs = {pair.pk: _couple(pair, apart) for pair in with_people().filter(player__in=pairs_of(below))}
    rows = Merge.objects.filter(Q(player__in=pairs) | Q(into__in=pairs), undone_at=None).order_by("-pk")
    ids = {pk for row in rows for pk in (row.player_id, row.into_id)} - pairs.keys()
    pairs |= {pair.pk: _couple(pair, apart) for pair in with_people().filter(player__in=ids)}
    return [row for row in rows if pairs[row.player_id] != pairs[row.into_id]]


def merged_below(player: Player) -> set[int]:
    """Return the ids of a player and of the players merged into it, directly or indirectly."""
    ids: set[int] = set()
    step = {player.pk}
    while step:
        ids |= step
        below = Merge.objects.filter(into__in=step, undone_at__isnull=True).values_list("player_id", flat=True)
        step = set(below) - ids
    return ids


# The names of players whose claim can still be undone while the account that made it is deleted. They are moved out
# of the players, so that nothing shows them, finds them or tells them to anybody.


BLANK = {"name": "", "country": "", "federation_number": "", "time_zone": "", "initials_only": False}
"""The values of an erased player."""


def keep_names(players: Mapping[int, Player], now: datetime) -> None:
    """Keep the names of claimed ones of these locked players, who are about to be erased, for undoing the claims."""
    for merge in Merge.objects.filter(
        player__in=players, claimed=True, undone_at=None, kept__isnull=True, merged_at__gt=now - CLAIM_LASTS
    ):
        merge.kept = {
            pk: {name: getattr(players[pk], name) for name in BLANK}
            | {"aliases": list(players[pk].aliases.values_list("name", flat=True))}
            for pk in merged_below(merge.player)
        }
        merge.save(update_fields=["kept"])


def _give_back(player: Player, names: dict[str, Any]) -> None:
    Alias.objects.bulk_create([Alias(player=player, name=name) for name in names.pop("aliases")])
    Membership.objects.filter(player=player, left_at=player.erased_at).update(left_at=None)
    for name, value in names.items():
        setattr(player, name, value)
    player.erased_at = None
    player.save()


def remember_alias(*, player: Player, name: str, by: Actor) -> Alias:
    """Add another name of a player; harmless the second time.

    Refused: `name_missing`, `name_too_long`, `erased`.
    """
    name, player = clean_name(name, MAX_ALIAS_LENGTH), canonical(player)
    if player.erased_at is not None:
        raise Refused("erased")
    try:
        with transaction.atomic():
            if (known := _known_alias(player, name)) is not None:
                return known
            alias = Alias.objects.create(player=player, name=name)
            log(by, "alias_remembered", player_topic(player), alias=name)
            return alias
    except IntegrityError:
        # Another request added it at the same moment.
        known = _known_alias(player, name)
        if known is None:
            raise
        return known


def _known_alias(player: Player, name: str) -> Alias | None:
    return next((alias for alias in player.aliases.all() if fold(alias.name) == fold(name)), None)


# Correcting the name and country of a player.


@transaction.atomic
def edit_player(*, player: Player, club: Club, name: str, country: str, by: Actor) -> Player:
    """Change the name and country of a player without an account; the old name is kept as an alias.

    Only the club that entered the player may do it. Players with an account choose their own name.
    Refused: `player_has_account`, `other_club_entered`, `already_merged`, `erased`, `name_missing`, `name_too_long`,
    `bad_country`.
    """
    row = lock_players(player)[player.pk]
    values = {"name": clean_name(name), "country": check_country(country)}
    if row.erased_at is not None:
        raise Refused("erased")
    if row.merged_into_id is not None:
        raise Refused("already_merged", name=row.name)
    if row.user_id is not None:
        raise Refused("player_has_account", name=row.name)
    must_be_home(row, club)
    before = row.name
    if changed := apply(row, values):
        log(by, "player_changed", player_topic(row), club=club, changed=changed)
    if before != row.name:
        remember_alias(player=row, name=before, by=by)
        rename_pairs([row])
    return row


# Linking a player to an account: by the secret link of an invitation, or by a director.


LASTS = timedelta(days=14)
"""How long an invitation is valid."""


class Invited(NamedTuple):
    """A new invitation and its link, which is known only now."""

    invitation: Invitation
    url: str


@transaction.atomic
def invite(*, membership: Membership, by: Actor, now: datetime, link: Callable[[str], str], email: str = "") -> Invited:
    """Invite a member to create an account, and e-mail the link if there is an address; earlier links stop working.

    `link` returns the URL for a secret. Refused: `already_claimed`, `not_a_member`, `other_club_entered`, `erased`.
    """
    player = lock_row(Player, membership.player_id)
    membership.refresh_from_db()
    if membership.left_at is not None:
        raise Refused("not_a_member", name=player.name)
    must_be_free(player)
    must_be_home(player, membership.club)
    open_for(player).update(withdrawn_at=now)
    secret = secrets.token_urlsafe(24)
    invitation = Invitation.objects.create(
        club=membership.club,
        player=player,
        email=email.strip(),
        secret_hash=hash_of(secret),
        invited_by=by.user,
        created_at=now,
        expires_at=now + LASTS,
    )
    url = link(secret)
    log(by, "invited", player_topic(player), club=membership.club, mailed=bool(email))
    if invitation.email:
        with override(language_of(invitation.email, invitation.club.language)):
            request_invitation(
                to=invitation.email,
                subject=_("%(club)s invites you to Barpoint") % {"club": invitation.club.name},
                template="players/people/mail/invitation.txt",
                context={"invitation": invitation, "url": url},
                now=now,
            )
    return Invited(invitation, url)


def open_for(player: Player) -> QuerySet[Invitation]:
    """Return the invitations of a player that were neither accepted nor withdrawn."""
    return Invitation.objects.filter(player=player, accepted_at__isnull=True, withdrawn_at__isnull=True)


def must_be_free(player: Player) -> None:
    """Refused (`erased`, `already_merged`, `already_claimed`) unless an account can still take over this player."""
    if player.erased_at is not None:
        raise Refused("erased")
    if player.merged_into_id is not None:
        raise Refused("already_merged", name=player.name)
    if player.user_id is not None:
        raise Refused("already_claimed", name=player.shown_name)


@transaction.atomic
def withdraw_invitation(*, invitation: Invitation, by: Actor, now: datetime) -> Invitation:
    """Withdraw an invitation; harmless the second time. Refused: `invitation_used`."""
    locked = lock_row(Invitation, invitation.pk)
    if locked.accepted_at is not None:
        raise Refused("invitation_used")
    if locked.withdrawn_at is None:
        locked.withdrawn_at = now
        locked.save(update_fields=["withdrawn_at"])
        log(by, "invitation_withdrawn", player_topic(locked.player), club=locked.club)
    return locked


def must_be_open(invitation: Invitation, now: datetime) -> None:
    """Refused: `invitation_used`, `invitation_withdrawn`, `invitation_expired`."""
    club = invitation.club.name
    if invitation.accepted_at is not None:
        raise Refused("invitation_used")
    if invitation.withdrawn_at is not None:
        raise Refused("invitation_withdrawn", club=club)
    if invitation.expires_at <= now:
        raise Refused("invitation_expired", club=club)


@transaction.atomic
def accept_invitation(*, secret: str, user: User, by: Actor, now: datetime) -> Player:
    """Link the account to the player of the invitation; a player the account already has is merged with it.

    Refused: `not_found`, `invitation_used`, `invitation_withdrawn`, `invitation_expired`, `invitation_for_another`,
    `already_claimed`.
    """
    row = Invitation.objects.filter(secret_hash=hash_of(secret)).first()
    if row is None:
        raise Refused("not_found")
    lock_row(User, user.pk)
    _lock_people(row.player, *filter(None, [player_of(user)]))
    invitation = lock_row(Invitation, row.pk)
    must_be_open(invitation, now)
    if invitation.email and invitation.email.casefold() != user.shown_email.casefold():
        raise Refused("invitation_for_another", club=invitation.club.name)
    player = claim_player(player=invitation.player, user=user, by=by, now=now)
    # Claiming has withdrawn all open invitations of this player; this one was accepted.
    invitation.accepted_at, invitation.withdrawn_at = now, None
    invitation.save(update_fields=["accepted_at", "withdrawn_at"])
    log(by, "invitation_accepted", club_topic(invitation.club), club=invitation.club, player=player.public_id)
    return player


@transaction.atomic
def claim_player(*, player: Player, user: User, by: Actor, now: datetime, club: Club | None = None) -> Player:
    """Link a player to an account and return the account's player.

    If the account has a player already, the other is merged into it; else the player takes the name of the account.
    A `club` must be the one that entered the player. Refused: `already_claimed`, `already_merged`,
    `other_club_entered`, `erased`.
    """
    lock_row(User, user.pk)
    own = player_of(user)
    if own is not None:
        if player.user_id is not None:
            raise Refused("already_claimed", name=player.shown_name)
        merge_players(player=player, into=own, by=by, now=now, club=club, claimed=True)
        open_for(player).update(withdrawn_at=now)
        return own
    locked = lock_players(player)[player.pk]
    must_be_free(locked)
    if club is not None:
        must_be_home(locked, club)
    entered_as, locked.user, locked.name = locked.name, user, user.display_name
    locked.save()
    rename_pairs([locked])
    if fold(entered_as) != fold(locked.name):
        # The directors' lists go on using the old name.
        remember_alias(player=locked, name=entered_as, by=by)
    open_for(locked).update(withdrawn_at=now)
    log(by, "player_claimed", player_topic(locked), club=club, user=user.pk)
    return locked
