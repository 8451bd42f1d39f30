"""Pages of clubs and their members."""

from collections.abc import Iterable, Sequence
from http import HTTPStatus

import segno
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from core import throttle, times
from core.access import Who, open_to
from core.codes import country_of_zone
from core.links import absolute_url
from core.messages import sentence
from core.names import fold
from core.pagination import page_of
from core.people_lists import ListedPerson, not_kept
from core.repeats import Repeat, repeated
from core.requests import entity_tags, is_htmx
from core.spreadsheets import HIDDEN, SHOWN
from engine.errors import Refused
from players import access, selectors
from players.access import Role
from players.clubs import lists
from players.clubs import services as club_services
from players.clubs.emblems import emblem_image, picture_data, remove_emblem, set_emblem
from players.clubs.owners import may_ask, ownerless, standing
from players.forms import (
    AddMemberForm,
    AddPlayerForm,
    AliasForm,
    ChosenListForm,
    ClubForm,
    EditClubForm,
    EmblemForm,
    EndMembershipForm,
    InviteForm,
    ListForm,
    MergeForm,
    NameForm,
    OwnerOfferForm,
    RefusingForm,
    RoleForm,
    SecondFactorForm,
)
from players.models import Club, User
from players.people import services as people_services
from players.people.services import UNCLEAR, NameMatch, NameOutcome
from players.requests import by, me, page, refused_back, sent

# The list of clubs, and creating, editing and leaving one.


@open_to(get=Who.EVERYBODY)
def club_list(request: HttpRequest) -> HttpResponse:
    """List all clubs, the user's own first; for htmx, only the list."""
    q = request.GET.get("q", "")
    clubs = page_of(selectors.clubs(q, request.user), request.GET.get("page"), selectors.CLUBS_ON_A_PAGE)
    mine = selectors.my_clubs(request.user) if isinstance(request.user, User) and not q else ()
    name = "players/clubs/_clubs.html" if is_htmx(request) else "players/clubs/clubs.html"
    context = {"clubs": clubs, "mine": mine, "q": q, "runs_site": getattr(request.user, "is_superuser", False)}
    if context["runs_site"]:
        context["waiting"] = selectors.waiting_clubs(request.user).count()
        context["ownerless"] = ownerless(timezone.now()).count()
    return render(request, name, context)


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@repeated(Repeat.KEY)
def create_club(request: HttpRequest) -> HttpResponse:
    """Create a club owned by the user; its time zone is the account's, or else the browser's, and so its country."""
    zone = timezone.get_current_timezone_name()
    form = ClubForm(sent(request), initial={"time_zone": zone, "country": country_of_zone(zone)})
    form.fields["name"].widget.attrs["autofocus"] = ""
    if form.is_valid():
        try:
            club = club_services.create_club(by=by(request), **form.cleaned_data)
        except Refused as refused:
            if refused.code == "club_twice":
                # The second of two clicks: the club exists.
                messages.info(request, sentence("club_twice", {}))
                return redirect("club", refused.params["slug"])
            form.refuse(refused)
        else:
            messages.success(request, _("Club created. Who plays tonight?"))
            return redirect("tonight", club.slug)
    return page(request, "players/clubs/club_form.html", {"form": form, "zones": times.offered()}, form)


@open_to(get=Who.DIRECTORS, post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def edit_club(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and save the settings of a club; for directors."""
    club = access.club_for_director(request.user, slug)
    form = EditClubForm.of(club, sent(request))
    if form.is_valid():
        try:
            club_services.update_club(club=club, by=by(request), **form.cleaned_data)
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("club", club.slug)
    return _edit_page(request, club, form, EmblemForm())


def _edit_page(request: HttpRequest, club: Club, form: EditClubForm, emblem_form: EmblemForm) -> HttpResponse:
    """Render the settings, with the form that was refused."""
    is_owner = access.role_in(request.user, club) == access.Role.OWNER
    context = {"form": form, "emblem_form": emblem_form, "club": club, "zones": times.offered(), "is_owner": is_owner}
    return page(request, "players/clubs/club_form.html", context, form, emblem_form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.HARMLESS)
def change_emblem(request: HttpRequest, slug: str) -> HttpResponse:
    club = access.club_for_director(request.user, slug)
    form = EmblemForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            throttle.count(throttle.PICTURES_BY, str(me(request).pk))
            set_emblem(club=club, data=picture_data(form.cleaned_data["image"]), by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("edit-club", slug)
    return _edit_page(request, club, EditClubForm.of(club), form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def clear_emblem(request: HttpRequest, slug: str) -> HttpResponse:
    remove_emblem(club=access.club_for_director(request.user, slug), by=by(request))
    messages.success(request, _("The emblem was removed. The club’s initials take its place."))
    return redirect("edit-club", slug)


@open_to(get=Who.EVERYBODY)
def emblem(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Return the emblem to everybody; its path changes with the picture, so that browsers may keep it."""
    image = emblem_image(slug, version)
    response: HttpResponse
    if version in entity_tags(request.headers.get("If-None-Match", "")):
        response = HttpResponseNotModified()
    else:
        response = HttpResponse(image, content_type="image/webp")
    response.headers["ETag"] = f'"{version}"'
    response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


@open_to(post=Who.OWNERS)
@repeated(Repeat.STATE)
def set_second_factor(request: HttpRequest, slug: str) -> HttpResponse:
    """Say whether owners need a second factor; for owners."""
    club = access.club_for_owner(request.user, slug)
    form = SecondFactorForm(request.POST)
    form.full_clean()
    try:
        club_services.set_second_factor(club=club, required=form.cleaned_data["required"], by=by(request))
    except Refused as refused:
        return refused_back(request, refused, "edit-club", slug)
    messages.success(request, _("Saved."))
    return redirect("edit-club", slug)


@open_to(post=Who.MEMBERS)
@repeated(Repeat.STATE)
def leave_club(request: HttpRequest, slug: str) -> HttpResponse:
    membership = access.my_membership(request.user, slug)
    try:
        club_services.leave_club(membership=membership, by=by(request), now=timezone.now(), gives_up=_gives_up(request))
    except Refused as refused:
        if refused.code == "for_members":
            return _ask_to_give_up(request, refused, membership.club)
        return refused_back(request, refused, "club", slug)
    messages.success(request, _("You have left %(club)s.") % {"club": membership.club.name})
    return redirect("club", slug)


def _gives_up(request: HttpRequest) -> bool:
    form = EndMembershipForm(request.POST)
    form.full_clean()
    return bool(form.cleaned_data["gives_up"])


def _ask_to_give_up(request: HttpRequest, refused: Refused, club: Club) -> HttpResponse:
    """Ask whether the membership is to end although the member has what only members may have."""
    context = {"club": club, "reason": sentence(refused.code, refused.params)}
    response = page(request, "players/clubs/give_up.html", context)
    response.status_code = HTTPStatus.CONFLICT
    return response


# The pages on which directors manage a club's members.


def _members_page(
    request: HttpRequest,
    club: Club,
    add_form: AddMemberForm | None = None,
    paste_form: ListForm | None = None,
    *,
    namesake: bool = False,
) -> HttpResponse:
    """Render the list, with the form that was refused."""
    role = access.require(request.user, club, Role.DIRECTOR)
    context = selectors.members_page(role, club, timezone.now(), request.GET.get("q", ""), request.GET.get("page"))
    add_form, paste_form = add_form or AddMemberForm(), paste_form or ListForm()
    typed = add_form.cleaned_data.get("name", "") if add_form.is_bound else ""
    context |= {
        "add_form": add_form,
        "paste_form": paste_form,
        "ask_namesake": namesake,
        "may_ask_for_owner": may_ask(request.user, club, timezone.now()),
        "elsewhere": list(selectors.namesakes(club, typed)) if typed else [],
    }
    name = "players/clubs/_members.html" if is_htmx(request) else "players/clubs/members.html"
    return page(request, name, context, add_form, paste_form)


@open_to(get=Who.DIRECTORS)
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """List the members; for htmx, only the list."""
    return _members_page(request, access.club_for_director(request.user, slug))


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def add_member(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a new player. If players of other clubs have the same name, they are offered first."""
    club = access.club_for_director(request.user, slug)
    form = AddMemberForm(request.POST)
    if not form.is_valid():
        return _members_page(request, club, form)
    name, namesake = form.cleaned_data["name"], form.cleaned_data["namesake"]
    if not namesake and selectors.namesakes(club, name):
        form.add_error(None, _("Someone with this name plays at another club. Is it the same person?"))
        return _members_page(request, club, form, namesake=True)
    try:
        club_services.add_member(club=club, name=name, by=by(request), namesake=namesake)
    except Refused as refused:
        form.refuse(refused)
        return _members_page(request, club, form, namesake=refused.code == "namesake")
    messages.success(request, _("{name} is now a member.").format(name=name))
    return redirect("club-members", slug)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def add_player(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a player who is known from another club, or a former member."""
    club = access.club_for_director(request.user, slug)
    form = AddPlayerForm(request.POST)
    if not form.is_valid():
        return _members_page(request, club)
    player = access.player_to_add(club, form.cleaned_data["player"])
    try:
        club_services.add_player(club=club, player=player, by=by(request))
    except Refused as refused:
        return refused_back(request, refused, "club-members", slug)
    messages.success(request, _("{name} is now a member.").format(name=player.shown_name))
    return redirect("club-members", slug)


def say_not_kept(request: HttpRequest, people: Iterable[ListedPerson]) -> None:
    """Name the columns of a list that is taken without a preview, since nothing but its names is kept."""
    if titles := not_kept(people):
        messages.warning(request, _("Columns not kept: %(columns)s.") % {"columns": ", ".join(titles)})


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def paste_members(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the people of a list, or show first what is unclear in it."""
    club = access.club_for_director(request.user, slug)
    form = ListForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            people = form.people()
            lines = lists.preview_list(club=club, people=[person for person in people if person.name])
            is_clear = len(lines) == len(people) and not any(line.is_unclear for line in lines)
            if is_clear and not {HIDDEN, SHOWN} & set(form.text):
                say_not_kept(request, people)
                return _add_list(request, club, people, {})
        except Refused as refused:
            form.refuse(refused)
        else:
            context = {"club": club, "text": form.text, **lists.checked(people, lines)}
            return render(request, "players/clubs/list_preview.html", context)
    return _members_page(request, club, paste_form=form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def add_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the people of a list that was checked."""
    club = access.club_for_director(request.user, slug)
    form = ChosenListForm(request.POST)
    if not form.is_valid():
        shown = ListForm({"names": form.data.get("names", "")})
        shown.full_clean()
        shown.add_error(None, [str(error) for errors in form.errors.values() for error in errors])
        return _members_page(request, club, paste_form=shown)
    try:
        return _add_list(request, club, form.cleaned_data["names"], form.choices)
    except Refused as refused:
        return refused_back(request, refused, "club-members", slug)


def _add_list(request: HttpRequest, club: Club, people: Sequence[ListedPerson], choices: lists.Choices) -> HttpResponse:
    _report_matches(request, lists.add_list(club=club, people=people, choices=choices, by=by(request)))
    return redirect("club-members", club.slug)


def _report_matches(request: HttpRequest, matches: Sequence[NameMatch]) -> None:
    once = [match for match in matches if not match.repeated]
    added = sum(match.how in (NameOutcome.ADDED, NameOutcome.RETURNED) for match in once)
    known = sum(match.how == NameOutcome.FOUND or (match.how in UNCLEAR and match.player is not None) for match in once)
    parts = []
    if added:
        parts.append(ngettext("%(count)d player added.", "%(count)d players added.", added) % {"count": added})
    if known:
        parts.append(
            ngettext("%(count)d was already a member.", "%(count)d were already members.", known) % {"count": known}
        )
    if parts:
        messages.success(request, " ".join(parts))
    respelled = [f"{match.name} → {match.player.name}" for match in once if match.player and match.respelled]
    if respelled := sorted(dict.fromkeys(respelled), key=fold):
        messages.warning(request, _("Recognised as members: %(names)s.") % {"names": ", ".join(respelled)})
    unclear = [match.name for match in matches if match.how in UNCLEAR and match.player is None]
    if unclear := sorted(dict.fromkeys(unclear), key=fold):
        messages.warning(request, _("Not added: %(names)s.") % {"names": ", ".join(unclear)})


@open_to(get=Who.DIRECTORS)
@never_cache
def member(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show one member: role, invitation, other names, merging, removal."""
    return _member_page(request, slug, public_id)


def _member_page(
    request: HttpRequest,
    slug: str,
    public_id: str,
    **bound: RefusingForm,
) -> HttpResponse:
    """Render the page of a member, with the form that was refused."""
    membership = access.member_for_director(request.user, slug, public_id)
    role = access.require(request.user, membership.club, Role.DIRECTOR)
    context = selectors.member_page(membership, role, timezone.now())
    context |= {
        "role_form": RoleForm.of(membership),
        "offer_form": OwnerOfferForm(),
        "standing_offer": standing(timezone.now()).filter(club=membership.club, player=membership.player).first(),
        "merge_form": MergeForm(others=context["others"]),
        "invite_form": InviteForm(),
        "alias_form": AliasForm(),
        "name_form": NameForm.of(membership.player),
        **bound,
    }
    return page(request, "players/clubs/member.html", context, *bound.values())


@open_to(post=Who.OWNERS)
@repeated(Repeat.STATE)
def set_role(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    membership = access.member_for_owner(request.user, slug, public_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _member_page(request, slug, public_id, role_form=form)
    try:
        club_services.set_role(membership=membership, role=form.cleaned_data["role"], by=by(request))
    except Refused as refused:
        return refused_back(request, refused, "club-member", slug, public_id)
    messages.success(request, _("Saved."))
    if membership.player.user_id == me(request).pk:
        # The user may not be allowed to see this page any more.
        return redirect("club", slug)
    return redirect("club-member", slug, public_id)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def edit_name(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Correct a member's name and country; the old name is kept as an alias."""
    membership = access.member_for_director(request.user, slug, public_id)
    form = NameForm(request.POST)
    if form.is_valid():
        try:
            people_services.edit_player(
                player=membership.player, club=membership.club, by=by(request), **form.cleaned_data
            )
        except Refused as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("Saved."))
            return redirect("club-member", slug, public_id)
    return _member_page(request, slug, public_id, name_form=form)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def remove_member(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    membership = access.member_below(request.user, slug, public_id)
    try:
        club_services.remove_member(
            membership=membership, by=by(request), now=timezone.now(), gives_up=_gives_up(request)
        )
    except Refused as refused:
        if refused.code == "for_members":
            return _ask_to_give_up(request, refused, membership.club)
        return refused_back(request, refused, "club-member", slug, public_id)
    messages.success(
        request,
        _("%(name)s is no longer in %(club)s.") % {"name": membership.player.name, "club": membership.club.name},
    )
    if membership.player.user_id == me(request).pk:
        return redirect("club", slug)
    return redirect("club-members", slug)


@open_to(post=Who.DIRECTORS)
@never_cache
@repeated(Repeat.KEY)
def invite(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Create an invitation and show its link once; only its hash is stored."""
    membership = access.member_for_director(request.user, slug, public_id)
    form = InviteForm(request.POST)
    if form.is_valid():
        try:
            throttle.count(throttle.INVITE_BY, str(me(request).pk))
            invited = people_services.invite(
                membership=membership,
                by=by(request),
                now=timezone.now(),
                link=lambda secret: absolute_url(request, reverse("invitation", args=[secret])),
                email=form.cleaned_data["email"],
            )
        except Refused as refused:
            form.refuse(refused)
        else:
            context = {
                "club": membership.club,
                "player": membership.player,
                "invitation": invited.invitation,
                "url": invited.url,
                "qr": qr(invited.url),
            }
            return page(request, "players/clubs/invited.html", context)
    return _member_page(request, slug, public_id, invite_form=form)


def qr(url: str) -> str:
    """Return the URL as an SVG QR code, dark on light in either theme, since cameras need that."""
    svg = segno.make(url, error="m").svg_inline(scale=5, border=3, dark="#000", light="#fff", omitsize=True)
    # The SVG contains only squares, none of the URL's text.
    return mark_safe(svg)  # noqa: S308


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def withdraw_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    invitation = access.invitation_for_director(request.user, slug, pk)
    try:
        people_services.withdraw_invitation(invitation=invitation, by=by(request), now=timezone.now())
    except Refused as refused:
        return refused_back(request, refused, "club-members", slug)
    messages.success(request, _("Invitation withdrawn. Its link no longer works."))
    return redirect("club-members", slug)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def merge(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    membership = access.member_for_director(request.user, slug, public_id)
    others = selectors.other_members(membership)
    form = MergeForm(request.POST, others=others)
    if not form.is_valid():
        return _member_page(request, slug, public_id, merge_form=form)
    into = access.member_for_director(request.user, slug, form.cleaned_data["into"])
    try:
        people_services.merge_players(
            player=membership.player, into=into.player, by=by(request), now=timezone.now(), club=membership.club
        )
    except Refused as refused:
        return refused_back(request, refused, "club-member", slug, public_id)
    names = {"player": membership.player.name, "other": into.player.name}
    messages.success(request, _("%(player)s is now shown as %(other)s.") % names)
    return redirect("club-members", slug)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.STATE)
def undo_merge(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    merged = access.merge_for_director(request.user, slug, pk)
    try:
        undone = people_services.undo_merge(merge=merged, by=by(request), now=timezone.now(), club=access.club(slug))
    except Refused as refused:
        return refused_back(request, refused, "club-members", slug)
    names = {"player": undone.player.name, "other": undone.into.name or undone.into.shown_name}
    messages.success(request, _("%(player)s and %(other)s are separate players again.") % names)
    return redirect("club-members", slug)


@open_to(post=Who.DIRECTORS)
@repeated(Repeat.KEY)
def add_alias(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Add another name of a player, as it appears in match records."""
    membership = access.member_for_director(request.user, slug, public_id)
    form = AliasForm(request.POST)
    if form.is_valid():
        try:
            people_services.remember_alias(player=membership.player, name=form.cleaned_data["name"], by=by(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            return redirect("club-member", slug, public_id)
    return _member_page(request, slug, public_id, alias_form=form)
