"""Clubs and their members."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core import throttle
from core.access import Who, open_to
from core.api import APIView, validated, validated_query
from core.links import absolute_url
from core.repeats import Repeat, repeated
from players import access, selectors
from players.access import Role
from players.accounts import serializers
from players.accounts.api import by, me
from players.clubs import services as club_services
from players.clubs.emblems import picture_data, remove_emblem, set_emblem
from players.clubs.lists import add_list, preview_list
from players.forms import EndMembershipForm
from players.models import Club, Membership, User
from players.people import services as people_services
from players.people.services import NameMatch, NameOutcome

GIVES_UP = OpenApiParameter(
    "gives_up", bool, description="Withdraw from what only members may take part in, such as a final."
)
Q = OpenApiParameter("q", str, description="Part of a name; case and accents do not matter.")


def _club_answer(request: Request, club: Club, code: int = status.HTTP_200_OK) -> Response:
    shown = selectors.clubs(visitor=request.user).get(pk=club.pk)
    return Response(serializers.ClubSerializer(shown).data, status=code)


@open_to(get=Who.EVERYBODY, post=Who.SIGNED_IN)
class Clubs(APIView, generics.ListAPIView[Club]):
    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = serializers.ClubSerializer
    filter_backends = ()

    def get_queryset(self) -> Any:
        """Filter by name or city, and by membership of the current user."""
        query = self.request.query_params
        clubs = selectors.clubs(query.get("q", ""), self.request.user)
        if query.get("mine") == "true":
            user = self.request.user
            return selectors.my_clubs(user, query.get("q", "")) if isinstance(user, User) else clubs.none()
        return clubs

    @extend_schema(
        operation_id="clubs_list",
        summary="Find clubs",
        parameters=[
            OpenApiParameter("q", str, description="Part of a name or a city."),
            OpenApiParameter("mine", bool, description="`true` for only the clubs I am a member of."),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a page of clubs."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="clubs_create",
        summary="Start a club",
        request=serializers.ClubFieldsSerializer,
        examples=serializers.example(name="Harbour Backgammon", city="Aarhus", time_zone="Europe/Copenhagen"),
        responses={201: serializers.ClubSerializer, **serializers.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request) -> Response:
        """Create a club owned by the current user."""
        fields = validated(serializers.ClubFieldsSerializer, request)
        club = club_services.create_club(by=by(request), **fields)
        return _club_answer(request, club, status.HTTP_201_CREATED)


@open_to(get=Who.EVERYBODY, patch=Who.DIRECTORS)
class OneClub(APIView):
    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="clubs_retrieve",
        summary="A club",
        responses={200: serializers.ClubSerializer, 404: serializers.PROBLEM},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the club."""
        return _club_answer(request, access.club(slug))

    @extend_schema(
        operation_id="clubs_update",
        summary="Edit a club",
        description="For directors; only owners can change the `slug`.",
        request=serializers.ClubChangesSerializer,
        examples=serializers.example(tagline="Every Tuesday on the quay."),
        responses={200: serializers.ClubSerializer, **serializers.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def patch(self, request: Request, slug: str) -> Response:
        club = access.club_for_director(request.user, slug)
        fields = validated(serializers.ClubChangesSerializer, request, partial=True)
        if "slug" in fields:
            access.require(request.user, club, Role.OWNER)
        return _club_answer(request, club_services.update_club(club=club, by=by(request), **fields))


@open_to(put=Who.DIRECTORS, delete=Who.DIRECTORS)
class Emblem(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="clubs_set_emblem",
        summary="Set a club's emblem",
        description="For directors. The server draws the picture anew, without what else the file holds.",
        request={"multipart/form-data": serializers.EmblemSerializer},
        examples=serializers.example("multipart/form-data", image="the bytes of the file"),
        responses={200: serializers.ClubSerializer, **serializers.PROBLEMS},
    )
    def put(self, request: Request, slug: str) -> Response:
        club = access.club_for_director(request.user, slug)
        throttle.count(throttle.PICTURES_BY, str(me(request).pk))
        image = validated(serializers.EmblemSerializer, request)["image"]
        return _club_answer(request, set_emblem(club=club, data=picture_data(image), by=by(request)))

    @extend_schema(
        operation_id="clubs_remove_emblem",
        summary="Remove a club's emblem",
        responses={204: None, **serializers.PROBLEMS},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Show the club's initials again; harmless if there is no emblem."""
        remove_emblem(club=access.club_for_director(request.user, slug), by=by(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(get=Who.EVERYBODY, post=Who.DIRECTORS)
class Members(APIView, generics.ListAPIView[Membership]):
    permission_classes = (IsAuthenticatedOrReadOnly,)
    serializer_class = serializers.MemberSerializer
    filter_backends = ()

    def get_queryset(self) -> Any:
        """Filter by name and role."""
        if getattr(self, "swagger_fake_view", False):
            return Membership.objects.none()
        query = self.request.query_params
        members = selectors.people(access.club(self.kwargs["slug"]), query.get("q", ""))
        return members.filter(role=query["role"]) if query.get("role") else members

    @extend_schema(
        operation_id="members_list",
        summary="List the members of a club",
        parameters=[Q, OpenApiParameter("role", str, enum=Role.values)],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a page of members."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="members_create",
        summary="Add a member to a club",
        request=serializers.NewMemberSerializer,
        examples=serializers.example(name="Elif Ristic"),
        responses={201: serializers.MemberSerializer, **serializers.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str) -> Response:
        """Add a new or an existing player."""
        club = access.club_for_director(request.user, slug)
        fields = validated(serializers.NewMemberSerializer, request)
        if "player" in fields:
            player = access.player_to_add(club, fields["player"])
            membership = club_services.add_player(club=club, player=player, by=by(request))
        else:
            membership = club_services.add_member(
                club=club, name=fields["name"], by=by(request), namesake=fields["namesake"]
            )
        return Response(serializers.MemberSerializer(membership).data, status=status.HTTP_201_CREATED)


@open_to(post=Who.DIRECTORS)
class MemberList(APIView):
    permission_classes = (IsAuthenticated,)
    parser_classes = (*APIView.parser_classes, serializers.CsvParser)

    @extend_schema(
        operation_id="members_paste",
        summary="Find or add the players of a list",
        description=(
            "In the order of the list. A name that several members share (`ambiguous`), or that may be part or another "
            "spelling of a known one (`partial`), needs a choice. " + serializers.LISTS
        ),
        parameters=[serializers.CsvOptionsSerializer],
        request={
            "multipart/form-data": serializers.NameFileSerializer,
            "text/csv": OpenApiTypes.BINARY,
            "application/json": serializers.NameListSerializer,
        },
        examples=serializers.example(names=["Elif Ristic", "Omar Kageyama"]),
        responses={200: serializers.FoundNameSerializer(many=True), **serializers.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str) -> Response:
        """Find the known names and add the others as members without an account."""
        club = access.club_for_director(request.user, slug)
        fields = validated(serializers.NameFileSerializer, request)
        query = validated_query(serializers.CsvOptionsSerializer, request)
        people, choices = fields["people"], fields["choices"]
        if fields["preview"] or query["preview"]:
            matches = [line.match for line in preview_list(club=club, people=people)]
        else:
            matches = add_list(club=club, people=people, choices=choices, by=by(request), partial=fields["partial"])
        unclear = [NameMatch(text, NameOutcome.NOT_UNDERSTOOD) for text in fields["unclear"]]
        return Response(serializers.FoundNameSerializer([*matches, *unclear], many=True).data)


@open_to(get=Who.EVERYBODY, patch=Who.OWNERS, delete=Who.DIRECTORS)
class OneMember(APIView):
    permission_classes = (IsAuthenticatedOrReadOnly,)

    @extend_schema(
        operation_id="members_retrieve",
        summary="A member",
        responses={200: serializers.MemberSerializer, 404: serializers.PROBLEM},
    )
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Return the member."""
        return Response(serializers.MemberSerializer(access.member(slug, public_id)).data)

    @extend_schema(
        operation_id="members_update",
        summary="Change a member's role",
        description="For owners.",
        request=serializers.RoleSerializer,
        examples=serializers.example(role="assistant"),
        responses={200: serializers.MemberSerializer, **serializers.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def patch(self, request: Request, slug: str, public_id: str) -> Response:
        """Set the role. The last owner cannot give up the role."""
        membership = access.member_for_owner(request.user, slug, public_id)
        role = validated(serializers.RoleSerializer, request)["role"]
        changed = club_services.set_role(membership=membership, role=role, by=by(request))
        return Response(serializers.MemberSerializer(changed).data)

    @extend_schema(
        operation_id="members_remove",
        summary="Remove a member from a club, or leave it",
        parameters=[GIVES_UP],
        responses={204: None, **serializers.PROBLEMS},
    )
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Remove the member: everybody may leave, directors remove those below them, owners everybody.

        409 `for_members` if the member would be withdrawn from what only members may take part in.
        """
        gives_up = EndMembershipForm(request.query_params)
        gives_up.full_clean()
        ends = {"by": by(request), "gives_up": gives_up.cleaned_data["gives_up"]}
        now, shown = timezone.now(), access.member(slug, public_id)
        if shown.player.user_id == me(request).pk:
            club_services.leave_club(membership=shown, now=now, **ends)
        else:
            membership = access.member_below(request.user, slug, public_id)
            club_services.remove_member(membership=membership, now=now, **ends)
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(put=Who.DIRECTORS)
class MemberName(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="members_edit_name",
        summary="Correct a member's name and country",
        description="For directors of the club that entered the player. The player can still be found by the old name.",
        request=serializers.NameSerializer,
        examples=serializers.example(name="Nils Nord", country="DK"),
        responses={200: serializers.MemberSerializer, **serializers.PROBLEMS},
    )
    def put(self, request: Request, slug: str, public_id: str) -> Response:
        membership = access.member_for_director(request.user, slug, public_id)
        fields = validated(serializers.NameSerializer, request)
        people_services.edit_player(player=membership.player, club=membership.club, by=by(request), **fields)
        return Response(serializers.MemberSerializer(access.member(slug, public_id)).data)


@open_to(post=Who.DIRECTORS, delete=Who.DIRECTORS)
class MemberInvitation(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="members_invite",
        summary="Invite a member to create an account",
        description="Earlier links for the same player stop working. Only a hash of the secret is stored.",
        request=serializers.NewInvitationSerializer,
        examples=serializers.example(email="elif@example.org"),
        responses={201: serializers.InvitationSerializer, 429: serializers.PROBLEM, **serializers.PROBLEMS},
    )
    @repeated(Repeat.KEY)
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        membership = access.member_for_director(request.user, slug, public_id)
        email = validated(serializers.NewInvitationSerializer, request).get("email", "")
        throttle.count(throttle.INVITE_BY, str(me(request).pk))
        invited = people_services.invite(
            membership=membership,
            by=by(request),
            now=timezone.now(),
            link=lambda secret: absolute_url(request, reverse("invitation", args=[secret])),
            email=email,
        )
        answer = serializers.InvitationSerializer({"url": invited.url, "expires_at": invited.invitation.expires_at})
        return Response(answer.data, status=status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="members_uninvite",
        summary="Withdraw a member's invitation",
        responses={204: None, **serializers.PROBLEMS},
    )
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Withdraw the invitation; harmless if there is none."""
        membership = access.member_for_director(request.user, slug, public_id)
        now = timezone.now()
        for invitation in selectors.open_invitations(now).filter(player=membership.player, club=membership.club):
            people_services.withdraw_invitation(invitation=invitation, by=by(request), now=now)
        return Response(status=status.HTTP_204_NO_CONTENT)


@open_to(post=Who.DIRECTORS)
class MemberMerge(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="members_merge",
        summary="Merge a member into another",
        request=serializers.MergeSerializer,
        examples=serializers.example(into="k7m2q9x4ab"),
        responses={201: serializers.MergedSerializer, **serializers.PROBLEMS},
    )
    @repeated(Repeat.STATE)
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Merge the players; it can be undone."""
        membership = access.member_for_director(request.user, slug, public_id)
        into = access.member_for_director(request.user, slug, validated(serializers.MergeSerializer, request)["into"])
        merge = people_services.merge_players(
            player=membership.player, into=into.player, by=by(request), now=timezone.now(), club=membership.club
        )
        return Response(serializers.MergedSerializer(merge).data, status=status.HTTP_201_CREATED)


@open_to(get=Who.DIRECTORS)
class Merges(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="merges_list",
        summary="List the merges of players whom the club entered",
        responses={200: serializers.MergedSerializer(many=True), **serializers.PROBLEMS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return those that can be undone, without pages."""
        now = timezone.now()
        rows = selectors.merges(access.club_for_director(request.user, slug), now)
        return Response(serializers.MergedSerializer(rows.filter(selectors.can_be_undone(now)), many=True).data)


@open_to(delete=Who.DIRECTORS)
class UndoMerge(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="merges_undo",
        summary="Undo a merge",
        request=None,
        responses={204: None, **serializers.PROBLEMS},
    )
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Separate the two players again."""
        merge = access.merge_for_director(request.user, slug, pk)
        people_services.undo_merge(merge=merge, by=by(request), now=timezone.now(), club=access.club(slug))
        return Response(status=status.HTTP_204_NO_CONTENT)
