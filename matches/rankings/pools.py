"""The pages of a club's rating pools: settings and their versions, imports, and the lists that everybody may read."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.contrib import messages
from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from core import downloads
from core.access import Who, open_to
from core.pagination import page_of
from core.repeats import Repeat, repeated
from core.requests import parse_int
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from matches.models import PlayerRating, PoolSettings, RatingImport, RatingPool, RatingPoolVersion
from matches.models.pool_settings import AFTER_EACH_MATCH, DEFAULTS
from matches.presentation.visibility import Viewer
from matches.rankings.formulas import formulas_of, newest_comparison, request_comparison
from matches.rankings.imports import apply_import, preview_import, undo_import
from matches.rankings.sentences import FAMILIES, PLACES, PUBLISHED_ON, sentences_of
from matches.rankings.tables import ROWS
from matches.ratings import pools as services
from matches.ratings.lists import Listed, ListPlace
from matches.ratings.rated import merged_players
from matches.ratings.services import pending_since
from players import access
from players.forms import MAX_LIST, NumberField, RefusingForm
from players.models import Club, Player
from players.requests import by, page, refused_back, sent


class RatingPoolForm(RefusingForm):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=MAX_NAME_LENGTH)
    family = forms.ChoiceField(label=gettext_lazy("Formula"), choices=list(FAMILIES.items()), initial="fibs")
    start_rating = NumberField(
        label=gettext_lazy("Starting rating"),
        min_value=services.MIN_RATING,
        max_value=services.MAX_RATING,
        usual=services.USUAL_RATINGS,
        initial=1500,
        help_text=gettext_lazy("Usually 1500; in Denmark 1000."),
    )
    start_experience = forms.IntegerField(
        label=gettext_lazy("Starting experience (points)"), min_value=0, max_value=services.MAX_EXPERIENCE, initial=0
    )
    ramp = forms.ChoiceField(
        label=gettext_lazy("K for new players falls with"), choices=RatingPool.RAMPS, initial=DEFAULTS["ramp"]
    )
    k_scale = NumberField(
        label=gettext_lazy("Scale of K"),
        min_value=services.MIN_SCALE,
        max_value=services.MAX_SCALE,
        initial=1,
        help_text=gettext_lazy("1 is the formula as it is; 0.5 halves every change."),
    )
    stake = NumberField(
        label=gettext_lazy("Points at stake in a match to 1"),
        min_value=services.MIN_STAKE,
        max_value=services.MAX_STAKE,
        initial=DEFAULTS["stake"],
    )
    stake_exponent = NumberField(
        label=gettext_lazy("Exponent of the length in the stake"),
        min_value=0,
        max_value=1,
        initial=DEFAULTS["stake_exponent"],
    )
    chance_exponent = NumberField(
        label=gettext_lazy("Exponent of the length in the chance"),
        min_value=0,
        max_value=1,
        initial=DEFAULTS["chance_exponent"],
        help_text=gettext_lazy("0: the better player is no surer to win a longer match."),
    )
    scale = NumberField(
        label=gettext_lazy("Scale of ratings"),
        min_value=services.MIN_SPREAD,
        max_value=services.MAX_SPREAD,
        initial=DEFAULTS["scale"],
        help_text=gettext_lazy("The difference with which one wins ten matches to 1 of eleven."),
    )
    stakes = forms.CharField(
        label=gettext_lazy("Stake by length"),
        max_length=200,
        initial=DEFAULTS["stakes"],
        help_text=gettext_lazy("Length:points; a length between two has the stake of the lower."),
    )
    deviation = NumberField(
        label=gettext_lazy("Deviation of new players"),
        min_value=services.MIN_DEVIATION,
        max_value=services.MAX_DEVIATION,
        initial=DEFAULTS["deviation"],
    )
    tau = NumberField(
        label=gettext_lazy("τ: how freely the volatility moves"),
        min_value=services.MIN_TAU,
        max_value=services.MAX_TAU,
        initial=DEFAULTS["tau"],
        help_text=gettext_lazy("Usually 0.3 to 1.2."),
    )
    by_length = forms.BooleanField(
        label=gettext_lazy("Longer matches weigh more: √(n/7)"), required=False, initial=DEFAULTS["by_length"]
    )
    by_event = forms.BooleanField(
        label=gettext_lazy("All matches of an event count together, others by weeks"),
        required=False,
        initial=DEFAULTS["by_event"],
    )
    least_length = forms.IntegerField(
        label=gettext_lazy("Least length (points)"), min_value=1, max_value=25, initial=DEFAULTS["least_length"]
    )
    where = forms.ChoiceField(
        label=gettext_lazy("Where they are played"), choices=list(PLACES.items()), initial=DEFAULTS["where"]
    )
    events_only = forms.BooleanField(
        label=gettext_lazy("Only matches of events"), required=False, initial=DEFAULTS["events_only"]
    )
    of_pairs = forms.BooleanField(
        label=gettext_lazy("Only matches of pairs"),
        required=False,
        initial=DEFAULTS["of_pairs"],
        help_text=gettext_lazy("Each pair has a rating of its own. Otherwise no match of a pair counts."),
    )
    imported = forms.BooleanField(
        label=gettext_lazy("Imported past matches count"), required=False, initial=DEFAULTS["imported"]
    )
    provisional_below = forms.IntegerField(
        label=gettext_lazy("Provisional below (points of experience)"),
        min_value=0,
        max_value=services.MAX_EXPERIENCE,
        initial=DEFAULTS["provisional_below"],
        help_text=gettext_lazy("0: no limit."),
    )
    lists_provisional = forms.BooleanField(
        label=gettext_lazy("Name provisional players at the end"),
        required=False,
        initial=DEFAULTS["lists_provisional"],
    )
    least_matches = forms.IntegerField(
        label=gettext_lazy("Least rated matches"),
        min_value=1,
        max_value=services.MAX_MATCHES,
        initial=DEFAULTS["least_matches"],
    )
    active_days = forms.IntegerField(
        label=gettext_lazy("Played within (days)"),
        min_value=0,
        max_value=services.MAX_DAYS,
        initial=DEFAULTS["active_days"],
        help_text=gettext_lazy("0: no limit."),
    )
    members_only = forms.BooleanField(
        label=gettext_lazy("Only members of the club"), required=False, initial=DEFAULTS["members_only"]
    )
    published_on = forms.ChoiceField(
        label=gettext_lazy("The list changes"),
        choices=[(AFTER_EACH_MATCH, gettext_lazy("after every match")), *PUBLISHED_ON.items()],
        initial=DEFAULTS["published_on"],
        help_text=gettext_lazy("On a day of the week it has the matches up to the Sunday of the week before."),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        "pool_name_taken": "name",
        "pool_bad_stakes": "stakes",
    }

    @property
    def settings(self) -> PoolSettings:
        return PoolSettings.of(self.cleaned_data)


STEPS = [("preview", "preview"), ("apply", "apply")]


class PoolChangeForm(RatingPoolForm):
    """Other settings of a pool, to preview or to apply."""

    after = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    step = forms.ChoiceField(choices=STEPS)

    @classmethod
    def of(cls, pool: RatingPool, data: Any = None) -> "PoolChangeForm":
        return cls(data, initial={**asdict(pool.chosen), "after": pool.seq})


class RestoreForm(RefusingForm):
    """An earlier version of the settings, to preview or to apply."""

    number = forms.IntegerField(min_value=1, max_value=10**9)
    after = forms.IntegerField(min_value=0)
    step = forms.ChoiceField(choices=STEPS)


class RatingImportForm(RefusingForm):
    kind = forms.ChoiceField(label=gettext_lazy("Data"), choices=RatingImport.Kind.choices)
    text = forms.CharField(
        label="CSV",
        max_length=MAX_LIST,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "The first row names the columns. Starting ratings: name, rating, experience. "
            "Past matches: date (2025-11-27), winner, loser, length."
        ),
    )
    step = forms.ChoiceField(choices=STEPS)
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        **dict.fromkeys(
            ("import_empty", "import_too_long", "import_bad_row", "import_unreadable_row", "import_ambiguous",
             "import_same_player", "name_too_long", "too_many_names"),
            "text",
        ),
    }  # fmt: skip


# Pages for directors: settings, ratings, and imports with preview and undo.


SHOWN = 200


def pool_of(club: Club, pk: int) -> RatingPool:
    """Return a pool of this club. Raise Http404 for any other."""
    pool = RatingPool.objects.select_related("club").filter(pk=pk, club=club).first()
    if pool is None:
        raise Http404
    return pool


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def pools(request: HttpRequest, slug: str) -> HttpResponse:
    """List the pools of a club, and create one."""
    club = access.club_for_director(request.user, slug)
    form = RatingPoolForm(sent(request))
    if form.is_valid():
        try:
            pool = services.create_pool(club=club, settings=form.settings, by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            return redirect("club-pool", slug, pool.pk)
    rows = RatingPool.objects.filter(club=club).order_by("name")
    context = {"club": club, "pools": [_summary(row) for row in rows], "form": form, "groups": groups_of(form)}
    return page(request, "matches/rankings/pools.html", context, form)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def pool(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show a pool with its ratings and imports; preview other settings, or apply them in the second step."""
    club = access.club_for_director(request.user, slug)
    rating_pool = pool_of(club, pk)
    form, now = PoolChangeForm.of(rating_pool, sent(request)), timezone.now()
    changes = None
    if form.is_valid():
        try:
            if form.cleaned_data["step"] == "preview":
                preview = services.preview_settings(pool=rating_pool, settings=form.settings, now=now)
                changes = Changes.of(rating_pool, preview, form.cleaned_data["after"])
            else:
                after = form.cleaned_data["after"]
                services.update_pool(pool=rating_pool, settings=form.settings, after=after, by=by(request), now=now)
        except Refused as refused:
            form.refuse(refused)
        else:
            if changes is None:
                messages.success(request, _("Saved. Ratings are being recalculated."))
                return redirect("club-pool", slug, pk)
    return _pool_page(request, club, rating_pool, form, changes=changes)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Preview the settings of an earlier version, or let them hold again in the second step."""
    club = access.club_for_director(request.user, slug)
    rating_pool, now = pool_of(club, pk), timezone.now()
    form = RestoreForm(request.POST)
    if not form.is_valid():
        return redirect("club-pool", slug, pk)
    number, after = form.cleaned_data["number"], form.cleaned_data["after"]
    try:
        if form.cleaned_data["step"] == "preview":
            settings = services.version_of(rating_pool, number).chosen
            preview = services.preview_settings(pool=rating_pool, settings=settings, now=now)
            changes = Changes.of(rating_pool, preview, after, number)
            return _pool_page(request, club, rating_pool, changes=changes)
        services.restore_version(pool=rating_pool, number=number, after=after, by=by(request), now=now)
    except Refused as refused:
        return refused_back(request, refused, "club-pool", slug, str(pk))
    messages.success(request, _("Saved. Ratings are being recalculated."))
    return redirect("club-pool", slug, pk)


@dataclass(frozen=True, slots=True)
class Changes:
    """A preview of other settings, as the page shows it, and what the second step sends."""

    preview: services.SettingsPreview
    sentences: Sequence[str]
    is_same: bool
    """Whether nothing at all would change."""
    fields: Sequence[tuple[str, str]]
    """Hidden fields: name and value."""
    url: str
    restores: int | None

    @classmethod
    def of(
        cls, pool: RatingPool, preview: services.SettingsPreview, after: int, restores: int | None = None
    ) -> "Changes":
        if restores is None:
            fields = [
                (name, "on" if value is True else str(value))
                for name, value in asdict(preview.chosen).items()
                if value is not False
            ]
        else:
            fields = [("number", str(restores))]
        is_same = preview.chosen == pool.chosen
        fields = [*fields, ("after", str(after)), ("step", "apply")]
        name = "club-pool" if restores is None else "club-pool-restore"
        url = reverse(name, args=[pool.club.slug if pool.club is not None else "", pool.pk])
        return cls(preview, sentences_of(preview.chosen), is_same, fields, url, restores)


class FieldGroup(NamedTuple):
    """Fields of the form that belong together: those of some formulas, or those that are folded under a title."""

    fields: Sequence[forms.BoundField]
    formulas: str = ""
    """The style class of those formulas; empty for all."""
    title: str = ""
    is_open: bool = False


FORMULA = ("family", "start_rating")
OF_FAMILIES = {
    "ramped": ("ramp",),
    "scaled": ("k_scale", "start_experience"),
    "free": ("stake", "stake_exponent", "chance_exponent", "scale"),
    "elo": ("stakes",),
    "glicko": ("deviation", "tau", "by_length", "by_event"),
}
COUNTED = ("least_length", "where", "events_only", "of_pairs", "imported")
LISTED = ("provisional_below", "lists_provisional", "least_matches", "active_days", "members_only", "published_on")


def groups_of(form: RatingPoolForm) -> list[FieldGroup]:
    """Return the fields in the order of the page."""

    def fields(names: Sequence[str]) -> list[forms.BoundField]:
        return [form[name] for name in names]

    def folded(title: str, names: Sequence[str]) -> FieldGroup:
        is_open = any(form[name].errors for name in names)
        return FieldGroup(fields(names), title=title, is_open=is_open)

    return [
        FieldGroup(fields(FORMULA)),
        *(FieldGroup(fields(names), formulas) for formulas, names in OF_FAMILIES.items()),
        folded(_("Which matches count"), COUNTED),
        folded(_("Who is in the list"), LISTED),
    ]


def _summary(pool: RatingPool) -> dict[str, Any]:
    return {"pool": pool, "sentences": sentences_of(pool.chosen)}


def _pool_page(request: HttpRequest, club: Club, pool: RatingPool, *bound: Any, **extra: Any) -> HttpResponse:
    forms = {"form": PoolChangeForm.of(pool), "import_form": RatingImportForm()}
    for form in bound:
        forms["import_form" if isinstance(form, RatingImportForm) else "form"] = form
    versions = list(pool.versions.select_related("by__player")[:SHOWN])
    context = {
        "club": club,
        "pool": pool,
        "sentences": sentences_of(pool.chosen),
        "is_pending": pending_since(pool, merged_players()) is not None,
        "ratings": PlayerRating.objects.filter(pool=pool).select_related("player", "pool")[:SHOWN],
        "versions": [_version(row, row is versions[0]) for row in versions],
        "imports": pool.imports.select_related("by")[:SHOWN],
        "groups": groups_of(forms["form"]),  # type: ignore[arg-type]
        **_comparison(pool),
        **forms,
        **extra,
    }
    return page(request, "matches/rankings/pool.html", context, *bound)


def _version(version: RatingPoolVersion, is_newest: bool) -> dict[str, Any]:
    return {"version": version, "sentence": sentences_of(version.chosen)[0], "is_newest": is_newest}


def _comparison(pool: RatingPool) -> dict[str, Any]:
    comparison = newest_comparison(pool)
    is_waiting = comparison is not None and comparison.done_at is None
    return {"formulas": formulas_of(comparison), "is_comparing": is_waiting}


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def compare(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have the formulas compared on the matches of a pool."""
    club = access.club_for_director(request.user, slug)
    request_comparison(pool=pool_of(club, pk), by=by(request), now=timezone.now())
    response = redirect("club-pool", slug, pk)
    response["Location"] += "#formulas"
    return response


@open_to(get=Who.DIRECTORS)
@never_cache
def formulas(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the comparison of formulas; the page of the pool asks for it until it is done."""
    club = access.club_for_director(request.user, slug)
    rating_pool = pool_of(club, pk)
    context = {"club": club, "pool": rating_pool, **_comparison(rating_pool)}
    return render(request, "matches/rankings/_formulas.html", context)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def import_rows(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Preview an import, or apply it in the second step."""
    club = access.club_for_director(request.user, slug)
    rating_pool = pool_of(club, pk)
    form = RatingImportForm(request.POST)
    if form.is_valid():
        rows = {"kind": form.cleaned_data["kind"], "text": form.cleaned_data["text"]}
        try:
            if form.cleaned_data["step"] == "preview":
                return _pool_page(request, club, rating_pool, form, preview=preview_import(pool=rating_pool, **rows))
            apply_import(pool=rating_pool, by=by(request), now=timezone.now(), **rows)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved. Ratings are being recalculated."))
            return redirect("club-pool", slug, pk)
    return _pool_page(request, club, rating_pool, form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def undo(request: HttpRequest, slug: str, pk: int, source: int) -> HttpResponse:
    club = access.club_for_director(request.user, slug)
    row = RatingImport.objects.filter(pk=source, pool=pool_of(club, pk)).first()
    if row is None:
        raise Http404
    try:
        undo_import(source=row, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "club-pool", slug, str(pk))
    messages.success(request, _("Saved. Ratings are being recalculated."))
    return redirect("club-pool", slug, pk)


# The lists, for everybody.


@dataclass(frozen=True, slots=True)
class ListRow:
    player: Player
    listed: Listed
    is_me: bool


def rows_of(listed: Sequence[Listed], people: Mapping[int, Player], me: int | None = None) -> list[ListRow]:
    return [ListRow(people[row.player], row, row.player == me) for row in listed if row.place is not ListPlace.UNLISTED]


def list_page(pool: RatingPool, number: int, now: datetime, me: int | None) -> tuple[Page[Listed], list[ListRow], int]:
    """Return a page of the list with its rows, and how many rated players are not in the list."""
    everybody, people = services.list_of(pool, now)
    shown = [row for row in everybody if row.place is not ListPlace.UNLISTED]
    rows = page_of(shown, number, ROWS)
    return rows, rows_of(list(rows), people, me), len(everybody) - len(shown)


@open_to(get=Who.EVERYBODY)
def club_ratings(request: HttpRequest, slug: str) -> HttpResponseBase:
    """List the pools of a club for everybody; a single one is shown at once."""
    club = access.club(slug)
    rows = list(RatingPool.objects.filter(club=club).order_by("name"))
    if len(rows) == 1:
        return redirect("pool-ranking", slug, rows[0].pk)
    context = {"club": club, "pools": [_summary(row) for row in rows]}
    return render(request, "matches/rankings/club_ratings.html", context)


@open_to(get=Who.EVERYBODY)
def pool_ranking(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the list of a pool with the sentences of its settings: `?page=`."""
    club = access.club(slug)
    rating_pool = pool_of(club, pk)
    me = Viewer.of(request.user).player
    rows, listed, unlisted = list_page(rating_pool, parse_int(request.GET.get("page"), 1), timezone.now(), me)
    publication = services.publication_of(rating_pool, timezone.now())
    context = {
        "club": club,
        "pool": rating_pool,
        "publication": publication,
        "own_waiting": services.waiting_matches(rating_pool, publication, me) if publication and me else 0,
        "sentences": sentences_of(rating_pool.chosen),
        "is_pending": pending_since(rating_pool, merged_players()) is not None,
        "page": rows,
        "rows": listed,
        "unlisted": unlisted,
        "may_direct": access.is_at_least(access.role_in(request.user, club), access.Role.DIRECTOR),
    }
    return render(request, "matches/rankings/pool_ranking.html", context)


LIST_COLUMNS = ["rank", "player", "name", "rating", "spread", "matches", "wins", "experience", "last_played", "place"]


@open_to(get=Who.EVERYBODY)
def pool_ranking_csv(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    rating_pool = pool_of(access.club(slug), pk)
    rows = rows_of(*services.list_of(rating_pool, timezone.now()))
    return downloads.long_file(request, iter([LIST_COLUMNS, *map(_cells, rows)]), "ratings.csv")


def _cells(row: ListRow) -> list[Any]:
    standing = row.listed.standing
    return [
        row.listed.rank or "",
        row.player.public_id,
        downloads.safe(row.player.shown_name),
        f"{standing.rating:.2f}",
        "" if row.listed.spread is None else f"{row.listed.spread:.2f}",
        standing.matches,
        standing.wins,
        standing.experience,
        f"{standing.last_played_at:%Y-%m-%d}",
        row.listed.place.value,
    ]
