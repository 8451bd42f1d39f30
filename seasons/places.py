"""The places in the final of a season: to whom they are offered, who comes, and who moves up.

The places of the plan go to the best ranks. Whoever declines, or has not answered in time, makes room for the next
rank. Where more players share a rank than places are left, a director says who plays. A director can take places back;
after that nobody moves up by themselves until a director offers places again.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from django.db.models import Max, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from engine.errors import Refused
from formats.series.final import FinalRounds, StartingRound, final_rounds
from formats.series.plan import Plan
from players.actors import Actor, log
from players.models import Player
from players.notifications.kinds import NotificationGroup, NotificationKind, Params
from players.notifications.services import Notice, notify, notify_each
from players.people.rows import canonical, lock_players, lock_present
from players.people.stored_elsewhere import Leaving
from seasons.changes import qualifying_places
from seasons.tables import SeasonTable, closing_of, players_by_public_id, season_table, table_of
from tournaments.models import FinalPlace, Series, SeriesClosing, Tournament
from tournaments.state.notifications import directors_to_tell

DAYS_TO_ANSWER = 7
"""Until the director chooses another day."""
TO_ANSWER_LATER = timedelta(days=2)
"""For whoever moves up near or after the last day for answers."""


@dataclass(frozen=True, slots=True)
class Qualified:
    """Who is ranked in a season, as (rank, public id) in the order of the table, and the plan of its final."""

    ranked: Sequence[tuple[int, str]]
    plan: Plan

    @property
    def places(self) -> int:
        return qualifying_places(self.plan)

    @property
    def rounds(self) -> FinalRounds:
        """In which rounds of the final they start. Raises Refused, as `final_rounds`."""
        return final_rounds(self.plan.qualify)

    @property
    def first(self) -> list[str]:
        """Those whose rank qualifies; all who share the last rank are among them."""
        return [player for rank, player in self.ranked if rank <= self.places]


def qualified_in(series: Series) -> Qualified:
    """Return who qualifies for the final of a season: by the announced table once it is closed."""
    closing = closing_of(series)
    return qualified_by(season_table(series, version=closing.plan if closing is not None else None), closing)


def qualified_by(standing: SeasonTable, closing: SeriesClosing | None) -> Qualified:
    """Return who qualifies by a season as it stands, or by the table announced when it was closed."""
    table = closing.table if closing is not None else table_of(standing)
    ranked = [(row["rank"], row["player"]) for row in table["rows"] if row["rank"] is not None]
    return Qualified(sorted(ranked, key=lambda pair: pair[0]), standing.plan)


# Who is asked next.


@dataclass(frozen=True, slots=True)
class Free:
    """The places that nobody holds: the groups of equal rank who are asked next, and those who share the border."""

    count: int
    places: int
    """Of the final, whoever holds them."""
    next: Sequence[tuple[int, Sequence[Player]]]
    tied: tuple[int, Sequence[Player]] | None = None
    """A rank that more players share than places are left, so that a director decides."""


def standing_places(series: Series) -> QuerySet[FinalPlace]:
    """Return the places that were offered and not taken back, the better ranks first."""
    return series.final_places.filter(taken_back_at=None).select_related("player__merged_into")


def free_places(series: Series, now: datetime, qualified: Qualified | None = None) -> Free:
    """Return the free places of a final, and who is next of those `qualified`, if that has been derived."""
    qualified = qualified or qualified_in(series)
    rows = list(standing_places(series))
    invited = {canonical(row.player).pk for row in rows}
    free = qualified.places - len({canonical(row.player) for row in rows if row.is_held(now)})
    people = players_by_public_id(player for _rank, player in qualified.ranked)
    groups: list[tuple[int, Sequence[Player]]] = []
    left = free
    for rank, pairs in groupby(qualified.ranked, key=lambda pair: pair[0]):
        known = [canonical(people[player]) for _rank, player in pairs if player in people]
        group = [row for row in known if row.pk not in invited and not row.has_left]
        if left <= 0:
            break
        if len(group) > left:
            return Free(free, qualified.places, groups, (rank, group))
        if group:
            groups.append((rank, group))
            left -= len(group)
    return Free(free, qualified.places, groups)


def offer_places(
    series: Series, answer_by: datetime | None, *, by: Actor, now: datetime, qualified: Qualified | None = None
) -> list[FinalPlace]:
    """Offer the free places of a locked season to those who are next, and tell them.

    Without `answer_by` somebody moves up by themselves: the day of the first offers applies, and nobody is asked if
    a director has taken places back and not offered any since.
    """
    if answer_by is None and _is_stopped(series):
        return []
    until = answer_by or _until(series, now)
    qualified = qualified or qualified_in(series)
    free = free_places(series, now, qualified)
    next_players = lock_players(*(player for _rank, group in free.next for player in group))
    if any(player.has_left for player in next_players.values()):
        # Somebody has left since the places were read.
        free = free_places(series, now, qualified)
    return [
        _offer(series, player, rank, until, by, now, moved_up=rank > free.places)
        for rank, group in free.next
        for player in group
    ]


def _is_stopped(series: Series) -> bool:
    """Whether places were taken back, and none offered since."""
    last = series.final_places.exclude(taken_back_at=None).aggregate(Max("taken_back_at"))["taken_back_at__max"]
    return last is not None and not standing_places(series).filter(offered_at__gt=last).exists()


def offer_to(
    series: Series, player: Player, *, by: Actor, now: datetime, qualified: Qualified | None = None
) -> FinalPlace:
    """Offer a free place to one of those who share the rank at the border, as a director has decided.

    Doing it twice changes nothing. Refused: `final_full`, `final_not_tied`, and as `lock_present`.
    """
    lock_present(player)
    if (place := standing_places(series).filter(player=player).first()) is not None:
        return place
    free = free_places(series, now, qualified)
    if free.count < 1:
        raise Refused("final_full")
    if free.tied is None or player not in free.tied[1]:
        raise Refused("final_not_tied", name=player.shown_name)
    rank = free.tied[0]
    return _offer(series, player, rank, _until(series, now), by, now, moved_up=rank > free.places)


def _until(series: Series, now: datetime) -> datetime:
    """Return until when somebody who is asked now can answer: as long as the first ones, but two days at least."""
    zone = ZoneInfo(series.club.time_zone)
    later = end_of_day((now + TO_ANSWER_LATER).astimezone(zone).date(), zone)
    first = standing_places(series).order_by("pk").first()
    return max(first.answer_by, later) if first is not None else later


def end_of_day(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(23, 59), zone)


def _offer(
    series: Series, player: Player, rank: int, until: datetime, by: Actor, now: datetime, *, moved_up: bool
) -> FinalPlace:
    place = FinalPlace.objects.create(
        series=series, player=player, rank=rank, moved_up=moved_up, offered_at=now, offered_by=by.user, answer_by=until
    )
    log(by, "final_place_offered", series.topic, club=series.club, player=player.public_id, rank=rank)
    _notify(place, MOVED_UP if moved_up else "", now)
    return place


def _notify(place: FinalPlace, variant: str, now: datetime) -> None:
    """Tell the player of a place that it is offered, or that it was taken back."""
    series, player = place.series, place.player.merged_into or place.player
    if player.user_id is None:
        return
    params = {
        "place": place.pk, "season": series.name, "by": place.answer_by.isoformat(), "zone": series.club.time_zone,
        "variant": variant, "context": series.club.name, "language": series.club.effective_language,
    }  # fmt: skip
    url = reverse("series", args=[series.club.slug, series.slug])
    key = place.notice_keys[variant == TAKEN_BACK]
    notices = [Notice(player.user_id, params, url, key)]
    notify_each(kind=KIND.code, notices=notices, now=now)


def withdraw_places(series: Series, places: Sequence[FinalPlace], *, by: Actor, now: datetime) -> list[FinalPlace]:
    """Take places of a locked season back and tell their players, unless they had declined anyway.

    Refused: `final_drawn`.
    """
    if is_drawn(series.final):
        raise Refused("final_drawn", season=series.name)
    for place in places:
        was_held = place.is_held(now)
        place.taken_back_at, place.taken_back_by = now, by.user
        place.save(update_fields=["taken_back_at", "taken_back_by"])
        log(by, "final_place_taken_back", series.topic, club=series.club, player=place.player.public_id)
        if was_held:
            _notify(place, TAKEN_BACK, now)
    return list(places)


def answer_place(
    place: FinalPlace, answer: FinalPlace.Answer, *, by: Actor, now: datetime, directs: bool
) -> FinalPlace:
    """Say whether a player comes to the final; the season is locked. The same answer twice changes nothing.

    A player answers in time; a director at any time, as long as a place is free. Refused: `final_drawn`,
    `final_answer_late`, `final_full`, and for who would come as `lock_present`.
    """
    series = place.series
    if place.answer == answer:
        return place
    if answer == FinalPlace.Answer.COMES:
        lock_present(canonical(place.player))
    if is_drawn(series.final):
        raise Refused("final_drawn", season=series.name)
    if not directs and now >= place.answer_by:
        raise Refused("final_answer_late")
    if answer == FinalPlace.Answer.COMES and not place.is_held(now) and free_places(series, now).count < 1:
        raise Refused("final_full")
    place.answer, place.answered_at, place.answered_by = answer, now, by.user
    place.save(update_fields=["answer", "answered_at", "answered_by"])
    params = {"player": place.player.public_id, "answer": answer.value}
    log(by, "final_place_answered", series.topic, club=series.club, **params)
    return place


def is_drawn(final: Tournament | None) -> bool:
    return final is not None and final.divisions.exclude(status__in=("entries", "cancelled")).exists()


# What people are told.


MOVED_UP, TAKEN_BACK = "moved_up", "taken_back"


def _is_current(params: Params) -> bool:
    places = FinalPlace.objects.filter(pk=params["place"])
    if params.get("variant") == TAKEN_BACK:
        return places.exclude(taken_back_at=None).exists()
    return places.filter(answer="", taken_back_at=None).exists()


def notify_gave_up(place: FinalPlace, leaving: Leaving) -> None:
    """Tell the directors that a player who has left gives up the place in a final that is not prepared."""
    series = place.series
    url, key = reverse("series", args=[series.club.slug, series.slug]), f"final-place:{place.pk}:{GIVEN_UP.code}"
    params = {"season": series.name, "context": series.club.name, "language": series.club.effective_language}
    users = directors_to_tell(series.club, leaving)
    notify(users=users, kind=GIVEN_UP.code, params=params, url=url, key=key, now=leaving.now)


GIVEN_UP = NotificationKind(
    code="final_place_given_up",
    label=gettext_noop("A player with a place in your final has left the site"),
    group=NotificationGroup.CLUB,
    sentences={"": gettext_noop("A player has left and gives up the place in the final of {season}.")},
    subjects={"": gettext_noop("A place in the final of {season} is given up")},
)
KIND = NotificationKind(
    code="final_place",
    label=gettext_noop("You have a place in the final of a season"),
    group=NotificationGroup.EVENTS,
    sentences={
        "": gettext_noop("You have qualified for the final of {season}. Do you come? Please answer by {by}."),
        MOVED_UP: gettext_noop("A place in the final of {season} is free for you. Do you come? Please answer by {by}."),
        TAKEN_BACK: gettext_noop("The club has taken your place in the final of {season} back."),
    },
    subjects={
        "": gettext_noop("Your place in the final of {season}"),
        MOVED_UP: gettext_noop("Your place in the final of {season}"),
        TAKEN_BACK: gettext_noop("Your place in the final of {season} was taken back"),
    },
    times=("by",),
    is_current=_is_current,
)


ANSWERS = (
    (FinalPlace.Answer.COMES, gettext_lazy("Comes"), gettext_lazy("I come")),
    (FinalPlace.Answer.DECLINED, gettext_lazy("Cannot come"), gettext_lazy("I can’t come")),
)
"""Answers, with the words of a director's button and of the player's."""


EVERYBODY_TOGETHER = FinalRounds()


@dataclass(frozen=True, slots=True)
class PlaceLine:
    """A place of a final as a page shows it."""

    place: FinalPlace
    player: str
    """Public id."""
    name: str
    source: str
    state: FinalPlace.State
    is_own: bool
    can_answer: bool
    can_take_back: bool = False
    start: str = ""
    """In which round they start, if not all start together."""


def place_lines(
    series: Series,
    names: Mapping[str, str],
    own: Player | None,
    now: datetime,
    *,
    directs: bool,
    rounds: FinalRounds = EVERYBODY_TOGETHER,
) -> list[PlaceLine]:
    """Return the places of a final that were offered; `names` has players by public id.

    Who does not come is shown to directors and to themselves only, and so is a place that was taken back, unless it was
    offered again. In which of the `rounds` somebody starts follows
    from their position among those who come.
    """
    is_fixed = is_drawn(series.final)
    lines = []
    position = 0
    rows = series.final_places.select_related("player__merged_into").order_by("pk")
    # One of each person: one that they hold, else the newest.
    standing = {canonical(row.player): row for row in sorted(rows, key=lambda row: row.is_held(now))}
    for place in sorted(standing.values(), key=lambda row: (row.rank, row.pk)):
        player = place.player.merged_into or place.player
        is_own, state = own is not None and own.pk == player.pk, place.state(now)
        position += place.is_held(now)
        if not (place.is_held(now) or directs or is_own):
            continue
        start = rounds.of(position) if place.is_held(now) else None
        is_standing = state != FinalPlace.State.TAKEN_BACK
        in_time = is_standing and (directs or (is_own and now < place.answer_by))
        lines.append(
            PlaceLine(
                place, player.public_id, names.get(player.public_id, ""), source_of(place), state, is_own,
                in_time and not is_fixed, directs and place.is_held(now) and not is_fixed,
                start_text(start) if start is not None else "",
            )
        )  # fmt: skip
    return lines


def start_text(start: StartingRound) -> str:
    """Say in which round of the final somebody starts."""
    if start.round is None:
        text = ngettext("plays for %(count)d place", "plays for %(count)d places", start.places)
        return text % {"count": start.places}
    texts = {1: _("starts in the final"), 2: _("starts in the semi-finals"), 3: _("starts in the quarter-finals")}
    return texts.get(start.round) or _("starts in the round of %(count)d") % {"count": 2**start.round}


def starts_lines(rounds: FinalRounds) -> list[tuple[str, str]]:
    """Return the positions among those who come, and in which round of the final they start."""
    return [
        (f"{start.first}–{start.last}" if start.first < start.last else str(start.first), start_text(start))
        for start in rounds.groups
    ]


def source_of(place: FinalPlace) -> str:
    """Say from what a place in a final comes."""
    if place.moved_up:
        return _("moved up from rank %(rank)d") % {"rank": place.rank}
    return _("rank %(rank)d of the season") % {"rank": place.rank}


def tied_sentence(free: Free, names: Mapping[str, str]) -> str:
    """Say what a director has to decide; empty if nothing."""
    if free.tied is None:
        return ""
    rank, group = free.tied
    left = free.count - sum(len(players) for _rank, players in free.next)
    text = ngettext(
        "%(names)s share rank %(rank)d, and %(count)d place is left. Let them play it off or draw a lot, "
        "then offer it.",
        "%(names)s share rank %(rank)d, and %(count)d places are left. Let them play it off or draw lots, "
        "then offer them.",
        left,
    )
    return text % {"names": ", ".join(names.get(row.public_id, "") for row in group), "rank": rank, "count": left}


def own_offers(players: Collection[int], now: datetime) -> list[FinalPlace]:
    """Return the places in finals to come that a player, given by their ids, is asked about or has taken."""
    rows = FinalPlace.objects.filter(player__in=players).exclude(answer=FinalPlace.Answer.DECLINED)
    rows = rows.select_related("series__club", "series__final").order_by("answer_by", "pk")
    return [row for row in rows if row.is_held(now) and not is_drawn(row.series.final)]
