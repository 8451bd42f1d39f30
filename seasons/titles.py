"""Titles: proposed by rule when a season is closed or an event has ended, awarded and withdrawn by a director.

Ties share a title. Whether results still support one that was awarded is derived each time it is shown.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.left_out import refuse_gaps
from core.times import in_zone
from engine.errors import Refused
from formats.series.facts import DecidedBy
from formats.series.facts import Player as PlayerId
from formats.series.numbers import number
from formats.series.plan import MAIN
from matches.analysis.classes import CLASSES, class_name, club_classes
from matches.lifecycle.events import AwardedTitle
from matches.presentation.visibility import NOBODY
from players.access import Visitor
from players.actors import Actor, log
from players.models import Club, Membership, Player
from players.people.rows import canonical, lock_club
from seasons.facts import States, facts_of, sides_of
from seasons.tables import (
    SeasonTable,
    closing_of,
    day_of,
    earliest_start,
    end_of,
    events_between,
    is_staff,
    local,
    names_by_id,
    plain,
    players_by_public_id,
    season_table,
    table_of,
)
from tournaments.access import VISIBLE
from tournaments.models import Division, Entry, PastPlacing, Series, SeriesClosing, Title, Tournament
from tournaments.state.names import names_in_club

Kind = Title.Kind
PROPOSED = timedelta(days=366)
"""How long the winners of an event are proposed."""
KEPT = 7 * 24 * 3600
"""Seconds for which proposals are cached; their key has all they depend on."""
FORM = 2
"""Part of the key as well: grows when what is cached changes its form."""

Claim = tuple[str, PlayerId]
"""Kind of a title, and who it goes to."""


@dataclass(frozen=True, slots=True)
class ProposedTitle:
    """A title that the results give to a player."""

    kind: str
    player: PlayerId
    figure: str = ""
    series: Series | None = None
    division: Division | None = None

    @property
    def day(self) -> date:
        """The last day of the season, or the day of the event."""
        of = subject_of(self)
        return of.last_day if isinstance(of, Series) else day_of(of.tournament)


def subject_of(title: "Title | ProposedTitle") -> Series | Division:
    """Return the season or the division that a title is of; it is of one of the two."""
    of = title.series or title.division
    assert of is not None  # noqa: S101, a constraint of the table
    return of


def titles_by_table(
    standing: SeasonTable, table: Mapping[str, Any], classes: Mapping[PlayerId, float]
) -> list[tuple[str, PlayerId, str]]:
    """Return kind, player and figure of each title that a season gives: the winner by this table, others by results.

    `classes` are the club classes of players, by the bound of each.
    """
    ranked = {row["player"]: row for row in table["rows"] if row["rank"] is not None}
    titles = [
        (Kind.SEASON.value, player, plain(number(row["total"], ""), standing.digits))
        for player, row in ranked.items()
        if row["rank"] == 1
    ]
    titles += [(Kind.CHAMPION.value, player, "") for player in _winners_of_final(standing.series)]
    in_table = {row.player for row in standing.season.rows}
    wins = Counter(
        match.winner
        for event in standing.season.events
        for division in event.divisions
        for match in division.matches
        if match.how in (DecidedBy.PLAYED, DecidedBy.WALKOVER) and match.winner in in_table
    )
    evenings = Counter({row.player: row.events for row in standing.season.rows})
    streaks = Counter({player: count for player, count in _streaks(standing).items() if player in in_table})
    for kind, counts in ((Kind.WINS, wins), (Kind.STREAK, streaks), (Kind.EVENINGS, evenings)):
        most = max(counts.values(), default=0)
        first = [player for player in sorted(counts) if most and counts[player] == most]
        if 2 * len(first) <= len(in_table):
            # What more than half of the table shares is no distinction.
            titles += [(kind.value, player, str(most)) for player in first]
    new = _newcomers(standing.series, ranked)
    best = min((ranked[player]["rank"] for player in new), default=None)
    titles += [
        (Kind.NEWCOMER.value, player, plain(number(ranked[player]["total"], ""), standing.digits))
        for player in new
        if ranked[player]["rank"] == best
    ]
    return titles + _best_of_classes({player: row["rank"] for player, row in ranked.items()}, classes)


def _best_of_classes(
    ranks: Mapping[PlayerId, int], classes: Mapping[PlayerId, float]
) -> list[tuple[str, PlayerId, str]]:
    """Return who is first in the table among the players of each class; nobody where the class has but one."""
    titles = []
    for bound in sorted(set(classes.values())):
        own = {player: rank for player, rank in ranks.items() if classes.get(player) == bound}
        if len(own) > 1:
            first = min(own.values())
            titles += [(Kind.CLASS.value, player, f"{bound:g}") for player, rank in own.items() if rank == first]
    return titles


def classes_of(series: Series) -> dict[PlayerId, float]:
    """Return the bound of the club class that players had at the end of a season, if they show it to everybody."""
    rows = club_classes(series.club, NOBODY, end_of(series)).rows
    return {row.player: row.bound for row in rows if row.bound is not None}


def _winners_of_final(series: Series) -> list[PlayerId]:
    """Return who won the final of a season, if it has one and that is over."""
    division = _deciding_division(series.final) if series.final is not None else None
    return winners_of(division) if division is not None and division.status == Division.Status.FINISHED else []


def _deciding_division(final: Tournament) -> Division | None:
    """Return the division of a final that decides who is champion: the first."""
    if final.status not in VISIBLE or final.status == Tournament.Status.CANCELLED:
        return None
    rows = final.divisions.exclude(status=Division.Status.CANCELLED).select_related("tournament__club")
    return rows.order_by("order", "pk").first()


def _streaks(standing: SeasonTable) -> dict[PlayerId, int]:
    """Return how many matches in a row everybody has won, at most; only played ones count, over all evenings."""
    now: Counter[PlayerId] = Counter()
    longest: dict[PlayerId, int] = {}
    for event in standing.season.events:
        for division in event.divisions:
            for match in division.matches:
                if match.how is not DecidedBy.PLAYED or match.loser is None:
                    continue
                now[match.winner] += 1
                now[match.loser] = 0
                longest[match.winner] = max(longest.get(match.winner, 0), now[match.winner])
    return longest


def _newcomers(series: Series, players: Collection[PlayerId]) -> list[PlayerId]:
    """Return who had not played in the club before a season; nobody if the club has no earlier events."""
    first, events = series.first_day, Tournament.objects.filter(club=series.club_id, status__in=VISIBLE)
    shortly_before = events_between(first - timedelta(days=2), first - timedelta(days=1), events)
    before = events.filter(Q(starts_at__lt=earliest_start(first)) | Q(pk__in=[row.pk for row in shortly_before]))
    not_played = (Division.Status.ENTRIES, Division.Status.CANCELLED)
    earlier = Entry.objects.filter(division__tournament__in=before).exclude(division__status__in=not_played)
    fields = ("player__public_id", "player__merged_into__public_id")
    people = [side.people for (side,) in sides_of(earlier.order_by())]
    imported = PastPlacing.objects.filter(season__club=series.club_id, season__undone_at=None)
    imported = imported.exclude(season__counts_in=series)
    known = {public_id for row in (*people, *imported.order_by().values_list(*fields)) for public_id in row}
    return [player for player in players if player not in known] if known else []


def titles_of_series(
    series: Series, standing: SeasonTable | None = None, classes: Mapping[PlayerId, float] | None = None
) -> list[tuple[str, PlayerId, str]]:
    """Return the titles that a season gives by its results as they are now, or by a `standing` in their place.

    Those of the best of each class only with `classes`.
    """
    if standing is not None:
        return titles_by_table(standing, table_of(standing), classes or {})
    closing = closing_of(series)
    seen = (series.pk, series.seq, closing and closing.pk, _state_of(series), sorted((classes or {}).items()))
    key = f"series-titles:{FORM}:{sha256(repr(seen).encode()).hexdigest()}"
    titles: list[tuple[str, PlayerId, str]] | None = cache.get(key)
    if titles is None:
        current = season_table(series, version=closing.plan if closing is not None else None)
        titles = titles_by_table(current, table_of(current), classes or {})
        cache.set(key, titles, KEPT)
    return titles


def _state_of(series: Series) -> list[Any]:
    """Return what changes with every result, every member, and every player who is merged with another."""
    of_series = Q(tournament__counts_in__series=series) | Q(tournament__final_of=series)
    divisions = Division.objects.filter(of_series).distinct().order_by("pk")
    merged = Player.objects.filter(merged_into__isnull=False, merged_into__memberships__club=series.club_id)
    states = divisions.values_list("public_id", "seq", "status", "tournament__status")
    members = Membership.objects.filter(club=series.club_id)
    changes = members.aggregate(Count("pk"), Count("left_at"), Max("joined_at"), Max("left_at"))
    return [*states, *series.past_seasons.values_list("pk", "undone_at"), merged.distinct().count(), *changes.values()]


def winners_of(division: Division, states: States | None = None) -> list[PlayerId]:
    """Return who won a division: several who share it, nobody before it is certain or without a main bracket.

    Both of a pair have won it.
    """
    facts = facts_of([division], states)[division.pk]
    main = next((bracket for bracket in facts.brackets if bracket.name == MAIN), None)
    winners = main.placings[0] if main is not None and main.placings else ()
    return [player for side in winners for player in facts.people(side)]


def proposals_of_series(series: Series, closing: SeriesClosing) -> list[ProposedTitle]:
    """Return what a closed season gives: its winner by the table that was announced."""
    titles = titles_by_table(season_table(series, version=closing.plan), closing.table, classes_of(series))
    people = players_by_public_id(player for _kind, player, _figure in titles)
    return [
        ProposedTitle(kind, canonical(people[player]).public_id, figure, series=series)
        for kind, player, figure in titles
        if player in people
    ]


def proposals_of_division(division: Division) -> list[ProposedTitle]:
    """Return what a division gives: its winner, once it is over."""
    if division.status != Division.Status.FINISHED:
        return []
    return [ProposedTitle(Kind.EVENT.value, player, division=division) for player in winners_of(division)]


def proposals(club: Club, now: datetime) -> list[ProposedTitle]:
    """Return what can be awarded of the last year: of closed seasons, and of events that count in no season."""
    refuse_gaps()
    since = now - PROPOSED
    first_day = in_zone(since, club.time_zone).date()
    closings = SeriesClosing.objects.filter(series__club=club, reopened_at=None, series__last_day__gte=first_day)
    rows = closings.select_related("series__club", "plan").order_by("-series__last_day", "-series_id")
    offered = [proposal for closing in rows for proposal in proposals_of_series(closing.series, closing)]
    divisions = Division.objects.filter(
        tournament__club=club, tournament__status__in=VISIBLE, status=Division.Status.FINISHED,
        tournament__starts_at__gte=since, tournament__counts_in=None,
        tournament__final_of=None,
    ).exclude(tournament__status=Tournament.Status.CANCELLED)  # fmt: skip
    for division in divisions.select_related("tournament__club").order_by("-tournament__starts_at", "order", "pk"):
        offered += proposals_of_division(division)
    return _not_awarded(offered, Title.objects.filter(club=club))


def proposals_left(series: Series) -> list[ProposedTitle]:
    """Return what a season gives once it is closed, without what has been awarded."""
    closing = closing_of(series)
    offered = proposals_of_series(series, closing) if closing is not None else []
    return _not_awarded(offered, Title.objects.filter(series=series))


def _not_awarded(offered: Iterable[ProposedTitle], rows: QuerySet[Title]) -> list[ProposedTitle]:
    awarded = {(row.series_id, row.division_id, *claim_of(row)) for row in titles_of(rows.filter(withdrawn_at=None))}

    def is_awarded(row: ProposedTitle) -> bool:
        series, division = row.series and row.series.pk, row.division and row.division.pk
        return (series, division, row.kind, row.player) in awarded

    return [row for row in offered if not is_awarded(row)]


def titles_of(rows: QuerySet[Title]) -> list[Title]:
    return list(
        rows.select_related("club", "series__club", "division__tournament__club", "player__merged_into").order_by(
            "-day", "kind", "pk"
        )
    )


def claim_of(title: Title) -> Claim:
    """Return the kind of a title and its player, or the one merged into."""
    return title.kind, canonical(title.player).public_id


def supported(titles: Iterable[Title]) -> set[int]:
    """Return the ids of the titles that the results, as they are now, still give."""
    claims: dict[tuple[str, int], set[Claim]] = {}
    kept: set[int] = set()
    for title in titles:
        if title.kind == Kind.CLASS:
            kept |= {title.pk} if _still_best_of_class(title) else set()
            continue
        key = ("series", title.series_id) if title.series_id is not None else ("division", title.division_id or 0)
        if key not in claims:
            claims[key] = _claims(title)
        if claim_of(title) in claims[key]:
            kept.add(title.pk)
    return kept


def _still_best_of_class(title: Title) -> bool:
    """Whether its player is still first of their class; also if they no longer show everybody how they play."""
    assert title.series is not None  # noqa: S101 - such a title is of a season.
    classes, claim = classes_of(title.series), claim_of(title)
    if claim[1] not in classes:
        return True
    return claim in {row[:2] for row in titles_of_series(title.series, classes=classes)}


def _claims(title: Title) -> set[Claim]:
    of = subject_of(title)
    if isinstance(of, Series):
        return {(kind, player) for kind, player, _figure in titles_of_series(of)}
    return {(proposal.kind, proposal.player) for proposal in proposals_of_division(of)}


def award_title(*, club: Club, kind: str, player: PlayerId, of: Series | Division, by: Actor, now: datetime) -> Title:
    """Award a title that the results give; one that stands already is returned. Refused: `title_not_proposed`."""
    with transaction.atomic():
        lock_club(club)
        series, division = (of, None) if isinstance(of, Series) else (None, of)
        row = Player.objects.select_related("merged_into").filter(public_id=player).first()
        person = canonical(row) if row is not None else None
        standing = Title.objects.filter(series=series, division=division, kind=kind, withdrawn_at=None)
        for title in titles_of(standing):
            if person is not None and canonical(title.player) == person:
                return title
        if isinstance(of, Series):
            closing = closing_of(of)
            offered = proposals_of_series(of, closing) if closing is not None else []
        else:
            offered = proposals_of_division(of)
        proposal = next(
            (o for o in offered if person is not None and (o.kind, o.player) == (kind, person.public_id)), None
        )
        if proposal is None or person is None:
            raise Refused("title_not_proposed", name=person.shown_name if person is not None else player)
        title = Title.objects.create(
            club=club, player=person, kind=kind, series=series, division=division, day=proposal.day,
            figure=proposal.figure, at=now, by=by.user,
        )  # fmt: skip
        log(by, "title_awarded", of.topic, club=club, title=title.public_id, kind=kind, player=person.public_id)
    return title


def withdraw_title(*, title: Title, reason: str, by: Actor, now: datetime) -> None:
    """Withdraw a title; it is kept with the reason, and can be awarded again. Refused: `title_withdrawn`."""
    with transaction.atomic():
        lock_club(title.club)
        title.refresh_from_db()
        if title.withdrawn_at is not None:
            raise Refused("title_withdrawn")
        title.withdrawn_at, title.withdrawn_by, title.reason = now, by.user, reason
        title.save(update_fields=["withdrawn_at", "withdrawn_by", "reason"])
        topic = subject_of(title).topic
        log(by, "title_withdrawn", topic, club=title.club, title=title.public_id, kind=title.kind, reason=reason)


# What a correction would do to them.


@dataclass(frozen=True, slots=True)
class TitleChange:
    """What a corrected result would do to a title: another player would have it, or it would lose its support."""

    kind: str
    player: PlayerId
    name: str
    text: str
    title: str | None = None
    """Public id of an awarded title that would no longer be supported."""


def title_changes(
    club: Club, before: Sequence[Claim], after: Sequence[Claim], awarded: Sequence[Title]
) -> list[TitleChange]:
    """Return which titles other players would have, and which that were awarded would no longer be supported."""
    names = names_by_id(club, (player for _kind, player in (*before, *after)), staff=True)
    gained = _("%(title)s would be %(name)s.")
    lost = _("The title “%(title)s” of %(name)s would no longer be supported; it stays until a director withdraws it.")
    changes = [
        TitleChange(kind, player, name, gained % {"title": Kind(kind).label, "name": name})
        for kind, player in after
        if (kind, player) not in before
        for name in [names.get(player, "")]
    ]
    for title in awarded:
        claim = claim_of(title)
        if claim in before and claim not in after:
            name = names.get(claim[1], "")
            text = lost % {"title": title_label(title), "name": name}
            changes.append(TitleChange(title.kind, claim[1], name, text, title.public_id))
    return changes


def series_title_changes(series: Series, before: SeasonTable, after: SeasonTable) -> list[TitleChange]:
    """Return what a corrected result does to titles of a season; nothing before it is closed and none is awarded."""
    awarded = titles_of(Title.objects.filter(series=series, withdrawn_at=None))
    if not awarded and closing_of(series) is None:
        return []
    classes = classes_of(series)
    old, new = ([row[:2] for row in titles_of_series(series, standing, classes)] for standing in (before, after))
    return title_changes(series.club, old, new, awarded)


def division_title_changes(division: Division, states: Any) -> list[TitleChange]:
    """Return what a corrected result does to awarded titles: of a division, and of a season whose final it is."""
    if not states:
        return []
    final = _deciding_division(division.tournament)
    of_final = Title.objects.filter(series__final=division.tournament, kind=Kind.CHAMPION)
    rows = [(Kind.EVENT, Title.objects.filter(division=division))]
    if final == division:
        rows.append((Kind.CHAMPION, of_final))
    changes: list[TitleChange] = []
    for kind, titles in rows:
        if awarded := titles_of(titles.filter(withdrawn_at=None)):
            old, new = (
                [(kind.value, player) for player in winners_of(division, overrides)]
                for overrides in (None, {division.pk: states})
            )
            changes += title_changes(division.tournament.club, old, new, awarded)
    return changes


def title_label(title: Title | ProposedTitle) -> str:
    """Return the title with what it is of, such as “Most wins, Autumn 2026”."""
    of = subject_of(title)
    if isinstance(of, Division):
        return f"{Kind.EVENT.label}, {of.tournament.name}, {of.name}"
    if title.kind == Kind.CLASS:
        return _("Best of the class “%(name)s”, %(season)s") % {"name": _class(title), "season": of.name}
    return f"{Kind(title.kind).label}, {of.name}"


def title_reason(title: Title | ProposedTitle) -> str:
    """Say how a title was found."""
    match title.kind:
        case Kind.SEASON:
            return _("first in the table with %(figure)s points") % {"figure": local(title.figure)}
        case Kind.CHAMPION:
            return _("winner of the final")
        case Kind.WINS:
            return ngettext("%(figure)s win", "%(figure)s wins", _whole(title)) % {"figure": title.figure}
        case Kind.STREAK:
            return ngettext("%(figure)s win in a row", "%(figure)s wins in a row", _whole(title)) % {
                "figure": title.figure
            }  # fmt: skip
        case Kind.EVENINGS:
            return ngettext("%(figure)s evening", "%(figure)s evenings", _whole(title)) % {"figure": title.figure}
        case Kind.NEWCOMER:
            return _("best of those who had not played in the club before, %(figure)s points") % {
                "figure": local(title.figure)
            }  # fmt: skip
        case Kind.CLASS:
            return _("first in the table of all whose club class is “%(name)s”") % {"name": _class(title)}
        case _:
            return _("first place")


def _class(title: Title | ProposedTitle) -> str:
    return class_name(next((bound for bound, _name in CLASSES if f"{bound:g}" == title.figure), None))


def _whole(title: Title | ProposedTitle) -> int:
    return int(Fraction(title.figure)) if title.figure.isdigit() else 0


def title_url(title: Title | ProposedTitle) -> str:
    """Return the page of the season or division that a title is of."""
    of = subject_of(title)
    if isinstance(of, Series):
        return reverse("series", args=[of.club.slug, of.slug])
    return reverse("division", args=[of.tournament.club.slug, of.tournament.slug, of.public_id])


@dataclass(frozen=True)
class TitleLine:
    title: Title | ProposedTitle
    name: str
    player: PlayerId
    label: str
    kind: str
    reason: str
    url: str
    is_supported: bool = True

    @property
    def of(self) -> str:
        """The public id of the season or division."""
        of = self.title.series or self.title.division
        return of.public_id if of is not None else ""


def title_lines(user: Visitor, club: Club, titles: Sequence[Title | ProposedTitle]) -> list[TitleLine]:
    """Return titles or proposals of a club as a reader may see them."""
    awarded = [title for title in titles if isinstance(title, Title)]
    kept = supported(title for title in awarded if title.withdrawn_at is None)
    people = players_by_public_id(title.player for title in titles if isinstance(title, ProposedTitle))
    players = [canonical(title.player) if isinstance(title, Title) else people[title.player] for title in titles]
    names = names_in_club(club, players, staff=is_staff(user, club))
    lines = []
    for title, player in zip(titles, players, strict=True):
        lines.append(
            TitleLine(
                title, names[player.pk], player.public_id, title_label(title), str(Kind(title.kind).label),
                title_reason(title), title_url(title), isinstance(title, ProposedTitle) or title.pk in kept,
            )
        )  # fmt: skip
    return lines


def titles_of_players(players: Collection[int]) -> list[Title]:
    """Return the titles of one person, who may have several players, the newest first."""
    same = Player.objects.filter(Q(pk__in=players) | Q(merged_into__in=players)).values("pk")
    return titles_of(Title.objects.filter(player__in=same, withdrawn_at=None))


def awarded_titles(players: Collection[int]) -> Sequence[AwardedTitle]:
    """Return the titles of one person, the newest first."""
    titles = titles_of_players(players)
    kept = supported(titles)
    return [
        AwardedTitle(title.day.year, title_label(title), title.club.name, title_url(title), title.pk in kept)
        for title in titles
    ]
