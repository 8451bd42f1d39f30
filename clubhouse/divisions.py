"""The pages of a division."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.gzip import gzip_page

from core.access import Who, open_to
from core.repeats import Repeat, repeated
from core.times import WEEKDAY, in_zone, pattern
from engine.errors import Refused
from formats.settings import ELIMINATION, PLACES
from matches.ratings.pools import pool_choices
from players import access as people
from players.access import Role, Visitor
from players.accounts.services import ensure_player
from players.models import Player
from players.people.rows import is_person, of_account
from tournaments import access
from tournaments.draws.evenings import EveningTemplateForm, create_division_for, format_sentence, local_span
from tournaments.draws.page import set_deadlines_of
from tournaments.entries import services as entries
from tournaments.entries.check_in import without_text
from tournaments.entries.forms import WayBackForm
from tournaments.entries.previews import withdrawal_view
from tournaments.entries.substitutions import substitutes
from tournaments.events import services as events
from tournaments.events.actions import by, division_url_args, form_key, me, page, refuse, sent, zone_of
from tournaments.events.forms import DivisionForm
from tournaments.events.selectors import can_register, my_player
from tournaments.ledger.money import Currency
from tournaments.models import Division, Draw, Entry, Stage, Tournament
from tournaments.standings import brackets
from tournaments.standings.brackets import BracketOptions, RoundRow, Tree, tree_key
from tournaments.standings.labels import jumps, stage_title
from tournaments.standings.placings import BracketPlaces, champion, decided_places
from tournaments.standings.standings import StageView, stage_view
from tournaments.state.derivation import StageState, states_of
from tournaments.state.figures import MatchFigures, figures_from
from tournaments.state.names import Names, entries_lists, names_of, own_entry
from tournaments.state.plans import is_continuous
from tournaments.state.stages import provenance_of

MAX_LINES = 64
"""Lines of a table shown on the division's page; the standings page shows all."""


@dataclass(slots=True)
class StageShown:
    """A stage on the page: its brackets, and its tables if points are counted."""

    stage: Stage
    title: str
    trees: list[Tree]
    view: StageView | None = None
    more: bool = False
    """Whether a table is longer than the lines shown."""

    @property
    def boxes(self) -> int:
        """Number of fixtures, byes included."""
        return sum(len(tree.boxes) for tree in self.trees)

    @property
    def matches_here(self) -> bool:
        """Whether the matches of a stage with tables are few enough to be shown below the tables."""
        return 0 < self.boxes <= brackets.MAX_BOXES

    @property
    def waits(self) -> bool:
        """Whether the players of the stage are not known yet."""
        return self.stage.status == Stage.Status.PLANNED


def division_page(
    user: Visitor, division: Division, now: datetime, *, player: str = "", section: str = ""
) -> dict[str, Any]:
    """Return the context of a division's page.

    `player` is the name to search for, whose path is marked; `section` is the section of a large bracket to open.
    """
    role = people.role_in(user, division.tournament.club)
    staff = people.is_at_least(role, Role.ASSISTANT)
    names = names_of(division, staff=staff)
    own = own_entry(names, user)
    mine = own if own is not None and own.status != Entry.Status.OUT else None
    found = names.find(player) if player.strip() else []
    marked = found[0] if len(found) == 1 else None
    prefetch_related_objects([division], "stages")
    stages = list(division.stages.all())
    provenance = provenance_of(stages[0]) if stages else None
    context: dict[str, Any] = {
        "tournament": division.tournament,
        "club": division.tournament.club,
        "division": division,
        "role": role,
        "staff": staff,
        "may_direct": people.is_at_least(role, Role.DIRECTOR),
        "found": found,
        "marked": marked,
        "looked_for": player.strip(),
        "mine": mine,
        "my_player": my_player(user),
        "may_register": can_register(division, now),
        "provenance": provenance,
        "substitutes": substitutes(division, staff=staff),
        "without": list(without_text(division.tournament, names.entries.values(), now, staff=staff).values()),
        "announced": Draw.objects.filter(stage__in=stages, state=Draw.State.DRAFT).exclude(publish_at=None).first(),
        **entries_lists(names),
    }
    if provenance is not None and division.status != Division.Status.ENTRIES:
        draw = provenance.published
        options = BracketOptions(
            names,
            seeds=brackets.seeds_of(draw, division),
            late=late_entries(names, draw),
            highlight=marked.pk if marked is not None else None,
            can_enter=staff,
        )
        return context | _stages_context(division, stages, options, section, mine)
    return context | {"figures": figures_from(division, names.entries.values(), (), {})}


def _stages_context(
    division: Division, stages: list[Stage], options: BracketOptions, section: str, mine: Entry | None
) -> dict[str, Any]:
    """Return the context of the stages and their winners, once the division is drawn."""
    rounds = brackets.rounds_of(division)
    fixtures = (fixture.counted for row in rounds for fixture in row.fixtures)
    paired = Counter(row.stage for row in rounds)
    figures = figures_from(division, options.names.entries.values(), fixtures, paired)
    by_stage = {stage.number: [row for row in rounds if row.stage == stage.number] for stage in stages}
    without_rounds = {row.number for row in stages if is_continuous(row)}
    trees = brackets.trees(_in_one(rounds, without_rounds), options)
    for without in (tree for tree in trees if tree.stage in without_rounds):
        without.title = _("Matches")
        for column in (column for section in without.sections for column in section.columns):
            column.name = _("Matches")
    brackets.open_sections(trees, section or (_section_of(trees, mine.pk) if mine and not options.highlight else ""))
    best = {
        stage.number: decided_places(stage, by_stage[stage.number], options.names)
        for stage in stages
        if stage.format in ELIMINATION
    }
    _name_champions(trees, best)
    states = states_of(division) if len(best) < len(stages) else []
    several = len(stages) > 1
    shown = [StageShown(stage, "", [tree for tree in trees if tree.stage == stage.number]) for stage in stages]
    for stage_shown in shown:
        if several or stage_shown.stage.format not in ELIMINATION:
            stage_shown.title = stage_title(stage_shown.stage, several=several)
        _add_tables(stage_shown, states, options.names, options.highlight or (mine.pk if mine else None))
    return {
        "stages": shown,
        "has_tables": any(stage_shown.view is not None for stage_shown in shown),
        "jumps": jumps(shown),
        "seeded": bool(options.seeds),
        "late": [options.names.of(entry) for entry in options.late],
        "figures": figures,
        "progress": progress_line(rounds, figures.matches, without_rounds),
        "drawn_later": any(row.entrants for row in rounds),
        "placed": [
            (stage_shown.title if several else "", best[stage_shown.stage.number])
            for stage_shown in shown
            if best.get(stage_shown.stage.number) and stage_shown.stage.format != PLACES
        ],
        "orders": [
            (stage_shown.title if several else "", best[stage_shown.stage.number][0].places)
            for stage_shown in shown
            if stage_shown.stage.format == PLACES and best[stage_shown.stage.number]
        ],
        "champion": champion(stages[-1], best, states, options.names),
    }


def _in_one(rounds: list[RoundRow], without_rounds: Collection[int]) -> list[RoundRow]:
    """Return the rounds with the matches of a stage without rounds together, apart only where they are shorter."""
    together: list[RoundRow] = []
    for row in rounds:
        last = together[-1] if together else None
        if last is not None and row.stage in without_rounds and (last.stage, last.length) == (row.stage, row.length):
            together[-1] = replace(last, fixtures=[*last.fixtures, *row.fixtures])
        else:
            together.append(row)
    return together


def _add_tables(shown: StageShown, states: list[StageState], names: Names, here: int | None) -> None:
    """Add the tables of a stage that counts points; long ones are cut."""
    state = next((state for state in states if state.stage.pk == shown.stage.pk), None)
    if state is None or shown.stage.format in ELIMINATION:
        return
    shown.view = stage_view(state, names, here=here)
    for table in shown.view.tables:
        shown.more = shown.more or len(table.lines) > MAX_LINES
        table.lines = table.lines[:MAX_LINES]


def _name_champions(trees: list[Tree], best: dict[int, list[BracketPlaces]]) -> None:
    winners = {
        tree_key(number, places.bracket): places.champion for number, brackets_ in best.items() for places in brackets_
    }
    for tree in trees:
        tree.champion = winners.get(tree.key, "")


def late_entries(names: Names, draw: Draw | None) -> list[int]:
    """Return the entries made after the draw was published, in order."""
    if draw is None or draw.published_at is None:
        return []
    late = [entry for entry in names.entries.values() if entry.entered_at > draw.published_at]
    return [entry.pk for entry in late if entry.status != Entry.Status.WAITING]


def _section_of(trees: list[Tree], entry: int) -> str:
    for tree in trees:
        for section in tree.sections:
            if any(line.entry == entry for box in section.boxes for line in box.lines):
                return section.key
    return ""


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """The matches of a round or, without a name, of all brackets."""

    name: str
    length: int
    deadline: datetime | None
    matches: MatchFigures


def progress_line(
    rounds: list[RoundRow], matches: MatchFigures, without_rounds: Collection[int] = ()
) -> RoundProgress | None:
    """Return the first unfinished round, or all `matches` of the division if several brackets are being played.

    So too while a stage is played whose number is among those `without_rounds`.
    """
    sizes = Counter((row.stage, row.bracket) for row in rounds)
    for row in rounds:
        of_round = MatchFigures.of(fixture.counted for fixture in row.fixtures)
        if not of_round.is_over:
            name = row.name(sizes[row.stage, row.bracket])
            several = len(sizes) > 1 or row.stage in without_rounds
            return RoundProgress("" if several else name, row.length, row.deadline, matches if several else of_round)
    return None


@gzip_page
@open_to(get=Who.EVERYBODY)
def division(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the entries, then the stages; `?player=` marks a player's path, `?section=` opens a section."""
    row = access.division(request.user, division, (club, slug))
    context = division_page(
        request.user,
        row,
        timezone.now(),
        player=request.GET.get("player", ""),
        section=request.GET.get("section", ""),
    )
    return render(request, "clubhouse/division.html", context)


def _way_back(request: HttpRequest, division: Division) -> str:
    """Return the page of the club if the form says so; else the division's."""
    form = WayBackForm(request.POST)
    if form.is_valid() and form.cleaned_data["back"]:
        return reverse("club", args=[division.tournament.club.slug])
    return reverse("division", args=division_url_args(division))


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def register(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Enter the signed-in player."""
    row = access.division(request.user, division, (club, slug))
    url = _way_back(request, row)
    player = ensure_player(user=me(request), by=by(request))
    try:
        entry = entries.register(division=row, player=player, by=by(request), now=timezone.now())
    except Refused as refused:
        return refuse(request, refused, url)
    waiting = entry.status == Entry.Status.WAITING
    messages.success(request, _("You are on the waiting list.") if waiting else _("You are entered."))
    return redirect(url)


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def withdraw(request: HttpRequest, club: str, slug: str, division: str) -> HttpResponse:
    """Show the signed-in player what follows from a withdrawal; by POST, withdraw them."""
    row = access.division(request.user, division, (club, slug))
    url = _way_back(request, row)
    players = list(Player.objects.filter(of_account(me(request)), is_person()))
    own = row.entries.filter(entries.decided_by(players)).exclude(status=Entry.Status.OUT).first()
    if own is not None and request.method != "POST":
        try:
            preview = entries.preview_withdrawal(entry=own)
        except Refused as refused:
            return refuse(request, refused, url)
        context = {
            "club": row.tournament.club,
            "tournament": row.tournament,
            "division": row,
            "title": _("Withdraw from %(division)s") % {"division": row.name},
            "parts": withdrawal_view(preview, staff=False),
            "action": request.path,
            "cancel_url": url,
            "button": _("Withdraw from this division"),
            "is_danger": True,
        }
        return render(request, "tournaments/entries/entry_preview.html", context)
    if own is not None:
        entries.withdraw(entry=own, by=by(request), now=timezone.now())
        starts = in_zone(row.tournament.starts_at, row.tournament.time_zone)
        text = _("You are off the list of %(division)s for %(day)s.")
        messages.success(request, text % {"division": row.name, "day": date_format(starts, pattern(WEEKDAY))})
    return redirect(url)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def create(request: HttpRequest, club: str, slug: str) -> HttpResponse:
    tournament = access.tournament_as(request.user, club, slug, Role.DIRECTOR)
    form = DivisionForm(
        sent(request),
        zone=zone_of(tournament),
        currency=Currency.of(tournament),
        pools=pool_choices(tournament.club),
        waits=tournament.club.accepted_at is None,
        initial={
            "name": pgettext("name of a division", "Open") if not tournament.divisions.exists() else "",
            "rated": tournament.rated,
        },
    )
    starts, ends = local_span(tournament)
    evening = EveningTemplateForm(sent(request), tournament=tournament, starts=starts, ends=ends)
    if form.is_valid() and evening.is_valid():
        try:
            created = _create(request, tournament, form, evening)
            set_deadlines_of(request, created, form)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("%(division)s was created. Now add the players.") % {"division": created.name})
            return redirect("entries", *division_url_args(created))
    context = {
        "form": form, "evening": evening, "tournament": tournament, "club": tournament.club, "key": form_key(request),
    }  # fmt: skip
    return page(request, "clubhouse/division_form.html", context, form, evening)


def _create(request: HttpRequest, tournament: Tournament, form: DivisionForm, evening: EveningTemplateForm) -> Division:
    """Create the division, with the format for the evening if one was asked for, which is explained in a message."""
    format_ = evening.format()
    if format_ is None:
        return events.create_division(
            tournament=tournament, by=by(request), now=timezone.now(), key=form_key(request), **form.settings()
        )
    division = create_division_for(
        tournament=tournament,
        settings=form.settings(),
        format_=format_,
        by=by(request),
        now=timezone.now(),
        key=form_key(request),
    )
    messages.info(request, format_sentence(format_) + " " + _("You can change it under “Format” until the draw."))
    return division
