"""A player's personal link for an event: their check-in and all their matches, without an account."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from core.access import Who, open_to
from core.links import absolute_url, qr_svg
from core.locks import for_update
from core.repeats import Repeat, repeated
from engine.errors import Refused
from matches.lifecycle.events import events
from matches.lifecycle.links import refuse_expired_event_link
from matches.models import Match
from matches.reporting.links import log_links_shown, revoke_all_links, withheld_side
from matches.reporting.my_matches import matches_by_link
from players.access import Role, my_player, require
from players.actors import Actor, log
from players.models import LogEntry, Player
from players.people.pairs import persons
from players.people.rows import canonical, ids_of, persons_among, player_of
from tournaments import access
from tournaments.access import VISIBLE, end_of
from tournaments.entries import check_in as presence
from tournaments.entries.check_in import own_page
from tournaments.entries.forms import CheckInForm, RevokeEventLinkForm
from tournaments.entries.services import same_person
from tournaments.events.actions import by, desk_url, event_url_args, faulty, me, refuse, zone_of
from tournaments.models import CheckIn, Entry, EventLink, Tournament
from tournaments.state.topics import event_topics

# Like the link of a match (`matches.lifecycle.links`) it is computed, not stored, so that its QR code can be printed
# again, and revoking it raises the generation with which it is signed. It belongs to the player, not to an entry: it
# stays the same with another division, a withdrawal or a substitute. Links of players who were merged lead to the
# player they were merged into.


TOKEN = r"(?P<event_token>[2-9a-z]{10}\.[2-9a-z]{10}\.[\w-]{43})"  # noqa: S105, a pattern for URLs
"""Pattern of a token in a URL."""
SALT = "tournaments.event_links"


class LinkHolder(NamedTuple):
    """Whoever opened a personal link of an event."""

    tournament: Tournament
    player: Player
    """After merges."""


def link_holder(token: str, now: datetime) -> LinkHolder:
    """Return the event and the player of a link. Raise Http404 if it is forged or revoked, or the event a draft.

    Refused: `link_expired`.
    """
    event_id, player_id, _signature = token.split(".")
    tournament = Tournament.objects.select_related("club").filter(public_id=event_id, status__in=VISIBLE).first()
    player = Player.objects.filter(public_id=player_id).first()
    if tournament is None or player is None:
        raise Http404
    generation = generations_of(tournament, [player.pk])[player.pk]
    try:
        _signer(generation).unsign(token)
    except BadSignature:
        raise Http404 from None
    holder = LinkHolder(tournament, canonical(player))
    if holder.player.erased_at is not None or holder.player.parts is not None:
        raise Http404
    refuse_expired_event_link(end_of(tournament), matches_of(holder), now)
    return holder


def path_for(tournament: Tournament, player: Player, generation: int) -> str:
    """Return the path of the link of this generation; `player` is the one after merges."""
    token = _signer(generation).sign(f"{tournament.public_id}.{player.public_id}")
    return reverse("event-link", args=[token])


def generations_of(tournament: Tournament, players: Iterable[int]) -> Mapping[int, int]:
    """Return player id -> the generation of the link of each of these players; one query."""
    rows = EventLink.objects.filter(tournament=tournament, player__in=players).values_list("player", "generation")
    return dict.fromkeys(players, 0) | dict(rows)


def division_topics(tournament: Tournament) -> list[str]:
    """Return the topics of the matches of an event."""
    return [division.topic for division in tournament.divisions.all()]


def matches_of(holder: LinkHolder) -> QuerySet[Match]:
    """Return the matches of the player in the event, alone or in a pair, void ones left out."""
    same = ids_of(holder.player.pk)
    mine = Match.objects.filter(Q(player_0__in=same) | Q(player_1__in=same))
    return mine.filter(parent_topic__in=division_topics(holder.tournament)).exclude(state=Match.State.VOID)


def _signer(generation: int) -> Signer:
    return Signer(salt=f"{SALT}.{generation}", sep=".")


@transaction.atomic
def revoke_event_link(*, entry: Entry, person: Player, generation: int, by: Actor) -> None:
    """End the personal link of a person who plays in an entry, and of all their matches in the event.

    Whoever had the link may have kept the links of the matches. There are new links at once; QR codes already printed
    will stop working, those of matches that a partner has as well. `generation` names the link to revoke: if it was
    revoked already nothing changes.
    """
    tournament = entry.division.tournament
    locked = _lock_links([tournament.pk], person)
    if next(link for link in locked if link.player_id == person.pk).generation != generation:
        return
    _end_links(locked)
    revoke_all_links(topics=division_topics(tournament), players=ids_of(person.pk))
    log(by, "link_revoked", entry.division.topic, club=tournament.club, entry=entry.pk)


@transaction.atomic
def revoke_links_of(player: Player) -> None:
    """End the personal links of a player and those merged into them, for all events and matches; the caller logs it."""
    same = ids_of(player.pk)
    events = Entry.objects.filter(player__in=same).order_by("division__tournament_id")
    _end_links(_lock_links(list(events.values_list("division__tournament", flat=True).distinct()), player))
    revoke_all_links(players=same)


def _lock_links(tournaments: Sequence[int], person: Player) -> list[EventLink]:
    """Lock the links of a person, and of those merged into them, for these events; missing rows are made."""
    same = Player.objects.filter(Q(pk=person.pk) | Q(merged_into=person)).order_by("pk").values_list("pk", flat=True)
    rows = [EventLink(tournament_id=event, player_id=pk) for event in tournaments for pk in same]
    EventLink.objects.bulk_create(rows, ignore_conflicts=True)
    return list(for_update(EventLink.objects.filter(tournament__in=tournaments, player__in=same).order_by("pk")))


def _end_links(links: Sequence[EventLink]) -> None:
    EventLink.objects.filter(pk__in=[link.pk for link in links]).update(generation=F("generation") + 1)


# The page behind a player's personal link for an event, and the link for those who hand it out.


class ShownLink(NamedTuple):
    """A personal link of an event, to print or to revoke."""

    player: Player
    generation: int
    url: str
    qr: str
    """SVG."""


def event_link_page(holder: LinkHolder, now: datetime) -> dict[str, Any]:
    """Return the context of the page behind a link: check-in, and matches that open by their own links."""
    return {
        "player": holder.player,
        "not_playing": _not_playing(holder),
        "why_free": _why_free(holder),
        "topics": event_topics(holder.tournament),
        **own_page(holder.tournament, holder.player, now),
        **matches_by_link(matches_of(holder), holder.player.pk, ids_of(holder.player.pk), now),
    }


def _why_free(holder: LinkHolder) -> list[str]:
    """Return which match the player waits for, or why, in each division of the event."""
    home = reverse("event", args=event_url_args(holder.tournament))
    rows = events().entries(ids_of(holder.player.pk))
    return [row.status for row in rows if row.is_free and row.url.startswith(home)]


def _not_playing(holder: LinkHolder) -> list[Entry]:
    """Return the player's newest entry in each division from which they have withdrawn."""
    rows = Entry.objects.filter(same_person(holder.player), division__tournament=holder.tournament, joined_to=None)
    newest = {entry.division_id: entry for entry in rows.select_related("division").order_by("pk")}
    return [entry for entry in newest.values() if entry.status == Entry.Status.OUT]


def links_to_hand_out(
    entry: Entry, by: Actor, absolute: Callable[[str], str], *, only: Player | None = None
) -> list[ShownLink]:
    """Return the links of whoever plays in an entry for `by`, who runs the event: of both of a pair, or `only` of one.

    Logged where `by` plays there, too. Refused: `link_of_opponent`.
    """
    tournament, people = entry.division.tournament, persons(entry.player) if only is None else [only]
    if not withheld_from(tournament, by).isdisjoint(person.pk for person in people):
        raise Refused("link_of_opponent")
    links = links_of(tournament, [person for person in people if person.erased_at is None], absolute)
    log_shown(tournament, by, links)
    return links


def person_in(entry: Entry, public_id: str = "") -> Player:
    """Return who plays in an entry and has this public id; the first of them without one. Raise Http404 for others."""
    people = [person for person in persons(entry.player) if public_id in ("", person.public_id)]
    if not people:
        raise Http404
    return people[0]


def withheld_from(tournament: Tournament, by: Actor) -> frozenset[int]:
    """Return the players whose links this director does not get: opponents in matches that others can decide."""
    own = player_of(by.user) if by.user is not None else None
    if own is None:
        return frozenset()
    matches = matches_of(LinkHolder(tournament, canonical(own))).select_related("player_0", "player_1", "club")
    sides = [(match, withheld_side(match, by)) for match in matches.exclude(state=Match.State.SETTLED)]
    return frozenset(persons_among(match.players[side] for match, side in sides if side is not None))


def log_shown(tournament: Tournament, by: Actor, links: Sequence[ShownLink]) -> None:
    """Log which divisions' links a director who plays there has got; writes nothing for others."""
    own = player_of(by.user) if by.user is not None else None
    others = [link.player.pk for link in links if own is None or link.player.pk != canonical(own).pk]
    if own is None or not others:
        return
    rows = Entry.objects.filter(same_person(canonical(own)), division__tournament=tournament)
    rows = rows.exclude(status=Entry.Status.OUT).select_related("division")
    topics = sorted({entry.division.topic for entry in rows})
    player = others[0] if len(others) == 1 else None
    log_links_shown(topics=topics, club=tournament.club, by=by, player=player)


def links_of(tournament: Tournament, players: list[Player], absolute: Callable[[str], str]) -> list[ShownLink]:
    """Return the links of players, who are not merged into others; one query."""
    generations = generations_of(tournament, [player.pk for player in players])
    urls = [absolute(path_for(tournament, player, generations[player.pk])) for player in players]
    return [
        ShownLink(player, generations[player.pk], url, qr_svg(url)) for player, url in zip(players, urls, strict=True)
    ]


@never_cache
@open_to(get=Who.EVERYBODY)
def event_link(request: HttpRequest, event_token: str) -> HttpResponse:
    """Show a player their check-in and their matches. Link previews open the page, so that changes nothing."""
    now = timezone.now()
    holder = link_holder(event_token, now)
    context = event_link_page(holder, now) | {
        "url": reverse("event-link", args=[event_token]),
        "check_in_url": reverse("event-link-check-in", args=[event_token]),
    }
    if context["latest"] and holder.tournament.status == Tournament.Status.FINISHED:
        context["letter_url"] = reverse("event-link-letter", args=[event_token])
    with timezone.override(zone_of(holder.tournament)):
        return render(request, "tournaments/entries/event_link.html", context)


@never_cache
@open_to(post=Who.EVERYBODY)
@repeated(Repeat.STATE)
def check_in(request: HttpRequest, event_token: str) -> HttpResponse:
    """Check the player of a link in, or out again."""
    now = timezone.now()
    holder = link_holder(event_token, now)
    url = reverse("event-link", args=[event_token])
    form = CheckInForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    present = form.cleaned_data["present"]
    try:
        presence.check_in_self(
            tournament=holder.tournament,
            player=holder.player,
            present=present,
            by=Actor(LogEntry.By.LINK),
            now=now,
            source=CheckIn.Source.LINK,
        )
    except Refused as refused:
        return refuse(request, refused, url)
    messages.success(request, _("You are checked in.") if present else _("Your check-in is undone."))
    return redirect(url)


def _entry(request: HttpRequest, club: str, slug: str, entry: str) -> Entry:
    """Return the entry that a URL names, for those who run its event."""
    row = access.entry(request.user, entry, (club, slug))
    require(request.user, row.division.tournament.club, Role.ASSISTANT)
    return row


@open_to(get=Who.STAFF)
@never_cache
def hand_out(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Show the personal link of a player with its QR code, to those who run the event."""
    entry = _entry(request, **kwargs)
    event = event_url_args(entry.division.tournament)
    args = (*event, entry.public_id)
    try:
        links = links_to_hand_out(entry, by(request), partial(absolute_url, request))
    except Refused as refused:
        return refuse(request, refused, desk_url(entry.division))
    context = {
        "tournament": entry.division.tournament,
        "club": entry.division.tournament.club,
        "division": entry.division,
        "entry": entry,
        "name": entry.player.full_name,
        "links": links,
        "revoke_url": reverse("entry-revoke-link", args=args),
    }
    return render(request, "tournaments/entries/hand_out_link.html", context)


@open_to(post=Who.STAFF)
@repeated(Repeat.STATE)
def revoke(request: HttpRequest, **kwargs: str) -> HttpResponse:
    """Revoke the personal link of a player; for those who run the event."""
    entry = _entry(request, **kwargs)
    url = reverse("entry-link", args=(*event_url_args(entry.division.tournament), entry.public_id))
    return _revoke(request, entry, None, url)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def revoke_own(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    """Revoke the signed-in player's own link."""
    event = access.tournament(request.user, club, slug)
    player = my_player(me(request))
    url = reverse("arrive", args=event_url_args(event))
    rows = Entry.objects.filter(same_person(player), division__tournament=event)
    entry = rows.select_related("player", "division__tournament__club").order_by("pk").first()
    if entry is None:
        return refuse(request, Refused("check_in_not_entered"), url)
    return _revoke(request, entry, player, url)


def _revoke(request: HttpRequest, entry: Entry, player: Player | None, url: str) -> HttpResponse:
    """Revoke the link of a player of an entry, or of the one that the form names."""
    form = RevokeEventLinkForm(request.POST)
    if not form.is_valid():
        return faulty(request, form, url)
    person = player or person_in(entry, form.cleaned_data["person"])
    revoke_event_link(entry=entry, person=person, generation=form.cleaned_data["generation"], by=by(request))
    messages.success(request, _("The personal link was revoked. There is a new one."))
    return redirect(url)
