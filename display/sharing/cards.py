"""What the picture of a page shows: as values, with the names that everybody may see, and nothing else.

A card is read as an anonymous visitor reads the page. Pages that not everybody may see have none. Texts are in the
language of the site, since a link is shared with anybody.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from core.languages import first_offered, offers_choice
from engine.cube import Side
from formats.graph import FINAL, MAIN
from formats.settings import ELIMINATION
from matches.access import match_for_viewer
from matches.lifecycle.events import events
from matches.lifecycle.notices import language_of_match
from matches.models import LiveMatch, Match, PlayerRating, Result
from matches.play.watching import where_of
from matches.presentation import labels
from matches.presentation.visibility import NOBODY
from matches.rankings import tables
from matches.rankings.histories import versus
from matches.rankings.profiles import rating_of
from matches.ratings.services import default_pool
from players import access as people
from players.models import Club, Membership, Player
from players.people.rows import persons_among
from seasons.actions import series_of
from seasons.page.season import season_view
from tournaments import access
from tournaments.events import selectors
from tournaments.models import Division, Fixture, Stage, Tournament
from tournaments.standings import brackets
from tournaments.standings.brackets import BoxSide, BracketOptions, FixtureBox, RoundRow
from tournaments.standings.placings import champion, champions, decided_places
from tournaments.standings.standings import standings_of
from tournaments.state.names import Names, names_of

DESIGN = 2
"""Counted up when pictures look different, so that all are drawn again."""
DIGEST_BYTES = 16
VERSION_DIGITS = 10
"""Hexadecimal digits of the digest that stand in the URL of a picture."""
FINALISTS = 4
TABLE_LINES = 5
FACTS = 3
CLUBS_SHOWN = 2


class SharedSide(NamedTuple):
    name: str
    points: str = ""
    won: bool = False


class CardMatch(NamedTuple):
    title: str
    sides: tuple[SharedSide, SharedSide]


class BoardMoment(NamedTuple):
    """The end of a match that was played here: its public id, and the number of its last action."""

    match: str
    last: int


@dataclass(frozen=True, slots=True)
class SharedCard:
    """What a picture shows, each text on a line of its own."""

    label: str
    """What the page is, such as “Result”."""
    title: str = ""
    """Empty for a match, whose players are its title."""
    above: tuple[str, ...] = ()
    """What the page belongs to, such as the event and the club."""
    below: tuple[str, ...] = ()
    """Date, place and the like."""
    sides: tuple[SharedSide, ...] = ()
    """The two players of a match; side 0 has the white checkers."""
    board: BoardMoment | None = None
    matches: tuple[CardMatch, ...] = ()
    """The semifinals of a bracket, as far as it has them, and the final as the last."""
    facts: tuple[tuple[str, str], ...] = ()
    """Names with what is said about them."""
    monogram: str = ""
    """Initials that stand for a club without an emblem or a player."""
    emblem: tuple[str, str] | None = None
    """The slug of a club and the version of its emblem."""

    @property
    def digest(self) -> str:
        """A digest of everything that the picture shows."""
        return blake2b(repr((DESIGN, astuple(self))).encode(), digest_size=DIGEST_BYTES).hexdigest()

    @property
    def version(self) -> str:
        """What the URL of the picture says of its content."""
        return self.digest[:VERSION_DIGITS]

    def texts(self) -> Iterator[str]:
        yield from (self.label, *self.above, self.title)
        for side in (*self.sides, *(side for match in self.matches for side in match.sides)):
            yield from (side.name, side.points)
        yield from (match.title for match in self.matches)
        yield from (text for fact in self.facts for text in fact)
        yield from (*self.below, self.monogram)


def card_of(kind: str, key: str) -> SharedCard:
    """Return the card of a page, in the language of its event or club, or else the site's.

    Raises Http404 if there is none, or not everybody may see it.
    """
    with translation.override(language_of_page(kind, key)):
        return CARDS[kind](*filter(None, key.split("/")))


def language_of_page(kind: str, key: str) -> str:
    """Return the language of the event or the club of a page, or else the site's."""
    names = key.split("/")
    if not offers_choice():
        return first_offered()
    if kind in ("club", "series"):
        club = Club.objects.filter(slug=names[0]).first()
        return first_offered(club.language if club is not None else "")
    if kind in ("event", "division", "standing"):
        events_here = Tournament.objects.filter(club__slug=names[0], slug=names[1]).select_related("club")
        return first_offered(*(event.effective_language for event in events_here))
    if kind in ("match", "replay"):
        match = Match.objects.filter(public_id=names[0]).select_related("club").first()
        return language_of_match(match) if match is not None else first_offered()
    return first_offered()


def _home() -> SharedCard:
    """The events that are on and those that come next."""
    return SharedCard(
        label=_("Backgammon for clubs"), title=_("Run the club night, play the match, watch the final."),
        facts=_soonest(selectors.visible(AnonymousUser())),
    )  # fmt: skip


def _soonest(events: QuerySet[Tournament]) -> tuple[tuple[str, str], ...]:
    """Name the events that begin next, then those that are on."""
    now = timezone.now()
    coming = events.filter(status=Tournament.Status.PUBLISHED, starts_at__gt=now).order_by("starts_at", "pk")
    running = events.filter(status=Tournament.Status.RUNNING).order_by("-starts_at", "pk")
    rows = [*coming[: FACTS - 1], *running[:FACTS]][:FACTS]
    running_text = str(Tournament.Status.RUNNING.label)
    return tuple((row.name, running_text if row.status == row.Status.RUNNING else _event_day(row)) for row in rows)


def _club(slug: str) -> SharedCard:
    club = people.club(slug)
    return SharedCard(
        label=_("Backgammon club"),
        title=club.name,
        below=tuple(filter(None, (club.place,))),
        facts=_soonest(selectors.visible(AnonymousUser()).filter(club=club)),
        monogram=monogram_of(club.name),
        emblem=(club.slug, club.emblem_version) if club.emblem_version else None,
    )


def _event(club: str, slug: str) -> SharedCard:
    event = access.tournament(AnonymousUser(), club, slug)
    divisions = list(event.divisions.all())
    winners = champions(AnonymousUser(), divisions)
    running = [division for division in divisions if division.status == Division.Status.RUNNING]
    facts = [(division.name, str(division.get_status_display())) for division in running]
    facts += [
        (division.name, _("won by %(name)s") % {"name": winners[division.pk]})
        for division in divisions
        if winners.get(division.pk) and division not in running
    ]
    if not facts:
        facts = [(division.name, str(division.get_status_display())) for division in divisions]
    return SharedCard(
        label=capfirst(event.get_status_display()),
        title=event.name,
        above=(event.club.name,),
        below=tuple(filter(None, (_event_day(event), event.venue))),
        facts=tuple(facts[:FACTS]),
    )


def _division(club: str, slug: str, public_id: str) -> SharedCard:
    division = access.division(AnonymousUser(), public_id, (club, slug))
    event = division.tournament
    names = names_of(division, staff=False)
    stages = list(division.stages.order_by("number"))
    card = SharedCard(
        label=capfirst(division.get_status_display()),
        title=division.name,
        above=(event.name, event.club.name),
        below=(_event_day(event),),
    )
    if division.status == Division.Status.ENTRIES or not stages:
        return _with(card, facts=((_entries_text(names), ""),))
    if stages[-1].format not in ELIMINATION:
        return _with(card, facts=_table(division, stages[-1], names))
    rounds = brackets.rounds_of(division)
    finals = _finals(rounds, stages[-1], names)
    best = {stages[-1].number: decided_places(stages[-1], rounds_in(rounds, stages[-1]), names)}
    winner = champion(stages[-1], best, (), names)
    facts = ((winner, _("Winner")),) if winner else ()
    return _with(card, matches=finals, facts=facts) if finals else _with(card, facts=((_entries_text(names), ""),))


def _standing(club: str, slug: str, public_id: str) -> SharedCard:
    """The first of the stage that is being played, or was last; of a bracket the places that are decided."""
    division = access.division(AnonymousUser(), public_id, (club, slug))
    event, names = division.tournament, names_of(division, staff=False)
    facts: tuple[tuple[str, str], ...] = ()
    for view in standings_of(division, names):
        if len(view.tables) == 1 and view.tables[0].lines:
            facts = tuple((line.person.name, line.points_text) for line in view.tables[0].lines)
        placed = [(who.name, row.text) for bracket in view.brackets[:1] for row in bracket.places for who in row.people]
        facts = tuple(placed) or facts
    return SharedCard(
        label=_("Standings"),
        title=division.name,
        above=(event.name, event.club.name),
        below=(capfirst(division.get_status_display()), _event_day(event)),
        facts=facts[:TABLE_LINES] or ((_entries_text(names), ""),),
    )


def _with(card: SharedCard, **changes: object) -> SharedCard:
    values = {name: getattr(card, name) for name in SharedCard.__dataclass_fields__}
    return SharedCard(**(values | changes))


def _entries_text(names: Names) -> str:
    count = len(persons_among(entry.player for entry in names.entries.values() if entry.status == entry.Status.IN))
    return ngettext("%(count)s player", "%(count)s players", count) % {"count": count}


def _table(division: Division, stage: Stage, names: Names) -> tuple[tuple[str, str], ...]:
    """The first lines of the only table of a stage; of several groups none comes first."""
    view = standings_of(division, names, stage=stage.number)[0]
    if len(view.tables) != 1:
        return ((_entries_text(names), ""),)
    return tuple((line.person.name, line.points_text) for line in view.tables[0].lines[:TABLE_LINES])


def rounds_in(rounds: Sequence[RoundRow], stage: Stage) -> list[RoundRow]:
    return [row for row in rounds if row.stage == stage.number]


def _finals(rounds: Sequence[RoundRow], stage: Stage, names: Names) -> tuple[CardMatch, ...]:
    """The last match of the main bracket and the matches before it, if their players are known."""
    own = [row for row in rounds_in(rounds, stage) if row.bracket in (MAIN, FINAL)]
    counts = Counter(row.bracket for row in own)
    matches = []
    for row in [row for row in own if len(row.fixtures) <= FINALISTS // 2][-2:]:
        title = row.name(counts[row.bracket])
        for fixture in row.fixtures:
            if fixture.status == Fixture.Status.NOT_NEEDED or fixture.conditional:
                continue
            box = brackets.box_of(fixture, row, BracketOptions(names))
            is_public = fixture.played.visibility in ("", Match.Visibility.PUBLIC)
            first, second = (_bracket_side(line, box, is_public=is_public) for line in box.lines)
            matches.append(CardMatch(title, (first, second)))
    known = any(side.name for match in matches for side in match.sides)
    return tuple(matches) if known else ()


def _bracket_side(line: BoxSide, box: FixtureBox, *, is_public: bool) -> SharedSide:
    """A line of a bracket; scores only of matches that are over, since others may be shown with a delay."""
    name = line.text if line.entry is not None else ""
    is_over = box.status in (Fixture.Status.DECIDED, Fixture.Status.WALKOVER)
    points = str(line.score) if is_over and is_public and line.score is not None else ""
    return SharedSide(name, points, line.won)


def _match(public_id: str) -> SharedCard:
    return _match_card(match_for_viewer(AnonymousUser(), public_id), pgettext("of backgammon", "Match"))


def _replay(public_id: str) -> SharedCard:
    match = match_for_viewer(AnonymousUser(), public_id)
    if not LiveMatch.objects.filter(pk=match.pk, lapsed_at=None).exists():
        raise Http404
    return _match_card(match, _("Replay"))


def _match_card(match: Match, label: str) -> SharedCard:
    """The players with the score, as spectators see it, and once the match is settled the board at its end."""
    context = events().contexts([match.parent_topic]).get(match.parent_topic) if match.parent_topic else None
    above = tuple(filter(None, (context.title if context is not None else "", match.club.name if match.club else "")))
    if match.state != Match.State.SETTLED:
        where = where_of([match], NOBODY, timezone.now())[match.pk]
        label = _("Live") if where.is_in_play else label
        return SharedCard(label, above=above, below=(labels.length(match.length),), sides=_sides(match, where.score))
    result = match.results.order_by("-version").first()
    played = result is not None and result.kind == Result.Kind.PLAYED
    ending = [] if result is None or played else [capfirst(labels.ending(match, result))]
    if match.provisional:
        ending.append(capfirst(str(Result.Finality.PROVISIONAL.label)))
    zone = match.club.time_zone if match.club is not None else settings.TIME_ZONE
    live = LiveMatch.objects.filter(pk=match.pk, last__gt=0).only("last").first()
    return SharedCard(
        label=_("Result") if label == pgettext("of backgammon", "Match") else label,
        above=above,
        below=(labels.length(match.length), *ending, *_day(match.finished_at, zone)),
        sides=_sides(
            match, result.score if result is not None else None, result.winner if result is not None else None
        ),
        board=BoardMoment(match.public_id, live.last) if live is not None else None,
    )


def _sides(match: Match, points: tuple[int, int] | None, winner: int | None = None) -> tuple[SharedSide, SharedSide]:
    score = labels.shown_score(match.length, points) if points else ("", "")
    sides: tuple[Side, Side] = (0, 1)
    first, second = (SharedSide(match.names[side], str(score[side]), side == winner) for side in sides)
    return first, second


def _player(public_id: str) -> SharedCard:
    player = people.player(public_id)
    standing = PlayerRating.objects.filter(pool=default_pool(), player=player).select_related("pool").first()
    clubs = Membership.objects.filter(player=player, left_at=None).order_by("joined_at", "pk")
    facts = []
    if standing is not None:
        rating = f"{standing.rating:.0f}{'?' if standing.is_provisional else ''}"
        facts = [(_("Rating"), rating), (_("Rated matches"), str(standing.matches))]
    return SharedCard(
        label=_("Player"),
        title=player.shown_name,
        below=tuple(clubs.values_list("club__name", flat=True)[:CLUBS_SHOWN]),
        facts=tuple(facts),
        monogram=_initials(player),
    )


def _rankings() -> SharedCard:
    """The first of the ranking of the site."""
    ranking = tables.ranking(tables.opened(tables.RankingFilters.read({}), AnonymousUser()), 1, timezone.now())
    rows = ranking.rows[:TABLE_LINES]
    return SharedCard(
        label=_("Rankings"),
        title=_("Rankings"),
        facts=tuple((row.standing.player.shown_name, f"{row.standing.rating:.0f}") for row in rows),
    )


def _versus(public_id: str, other_id: str) -> SharedCard:
    """Two players and how often each has won against the other."""
    pair, pool = (people.player(public_id), people.player(other_id)), default_pool()
    ratings = rating_of(pair[0], pool), rating_of(pair[1], pool)
    wins = versus(*pair, ratings, 1, NOBODY).wins
    return SharedCard(
        label=_("Head to head"),
        title=" – ".join(player.shown_name for player in pair),
        below=(_("Matches won"),),
        facts=tuple((player.shown_name, str(won)) for player, won in zip(pair, wins, strict=True)),
    )


def _initials(player: Player) -> str:
    return "" if player.erased_at is not None else monogram_of(player.shown_name)


def monogram_of(name: str) -> str:
    """Return the first letters of the first and the last word of a name."""
    words = [word for word in name.split() if word[0].isalnum()]
    return "".join(word[0] for word in dict.fromkeys((*words[:1], *words[-1:]))).upper()


def _event_day(event: Tournament) -> str:
    return _day(event.starts_at, event.time_zone)[0]


def _day(at: datetime | None, zone: str) -> tuple[str, ...]:
    return (date_format(at.astimezone(ZoneInfo(zone))),) if at is not None else ()


def _series(club: str, slug: str) -> SharedCard:
    """The first of a season with their points."""
    series = series_of(club, slug)
    view = season_view(AnonymousUser(), series, explained=False, with_race=False)
    first = [row for row in view.rows if row.rank is not None][:TABLE_LINES]
    return SharedCard(
        label=_("Season"),
        title=series.name,
        above=(series.club.name,),
        below=(pgettext("season", "closed"),) if view.closing is not None else (view.played,),
        facts=tuple((row.name, row.total) for row in first),
    )


CARDS: Mapping[str, Callable[..., SharedCard]] = {
    "club": _club,
    "event": _event,
    "division": _division,
    "match": _match,
    "replay": _replay,
    "player": _player,
    "series": _series,
    "home": _home,
    "rankings": _rankings,
    "standing": _standing,
    "versus": _versus,
}
"""The pages that have a picture."""
