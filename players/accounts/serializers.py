"""What the API of this room takes and gives."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema_field
from rest_framework import serializers

from core.names import LONGEST_NAME
from core.time_zones import find
from players.models import Club, Membership, Player, User
from players.people.services.lists import MOST_NAMES, How


class FaultSerializer(serializers.Serializer[Any]):
    """One field at fault."""

    field = serializers.CharField(help_text="`games.0.winner`; empty for what is wrong with the whole.")
    code = serializers.CharField(help_text="Stable.")
    message = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField(help_text="Always `about:blank`: the code says what it is.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="Stable.")
    detail = serializers.CharField(help_text="A sentence, in the language asked for by Accept-Language.")
    params = serializers.DictField(required=False, help_text="What the sentence of the code is filled with.")
    errors = FaultSerializer(many=True, required=False, help_text="With the code `invalid`.")  # type: ignore[assignment]
    request_id = serializers.CharField(required=False, help_text="Name it when you ask us.")


PROBLEM = OpenApiResponse(ProblemSerializer, description="Problem details (RFC 9457) with a stable `code`.")
PROBLEMS = {401: PROBLEM, 403: PROBLEM, 404: PROBLEM, 422: PROBLEM}


def example(**body: Any) -> list[OpenApiExample]:
    """A body that might be sent, for the description of the API."""
    return [OpenApiExample("For example", value=body, request_only=True)]


class ZoneField(serializers.CharField):
    """The name of a time zone."""

    default_error_messages = {"unknown": "“{zone}” is not a time zone that is known here."}

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=64, help_text="A name of the IANA database: Europe/Copenhagen.", **options)

    def to_internal_value(self, data: Any) -> str:
        """The zone's own name."""
        text = super().to_internal_value(data)
        zone = find(text) if text else ""
        if zone is None:
            self.fail("unknown", zone=text)
        return zone


class PersonSerializer(serializers.ModelSerializer[Player]):
    """A player as everybody may see him."""

    name = serializers.CharField(source="shown_name", help_text="Initials where the player wants no more to be shown.")

    class Meta:
        model = Player
        fields = ("public_id", "name")


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """Somebody in a club."""

    player = PersonSerializer()

    class Meta:
        model = Membership
        fields = ("player", "role", "joined_at")


class ClubSerializer(serializers.ModelSerializer[Club]):
    """A club as everybody may see it."""

    members = serializers.SerializerMethodField(help_text="How many people are in it.")
    my_role = serializers.SerializerMethodField(help_text="Of whoever asks; null for strangers.")

    class Meta:
        model = Club
        fields = ("slug", "name", "city", "about", "time_zone", "created_at", "members", "my_role")

    @extend_schema_field(OpenApiTypes.INT)
    def get_members(self, club: Club) -> int:
        """Counted by the selector."""
        return getattr(club, "member_count", 0)

    @extend_schema_field(serializers.ChoiceField(Membership.Role.choices, allow_null=True))
    def get_my_role(self, club: Club) -> str | None:
        """Looked up by the selector."""
        return getattr(club, "my_role", None)


class ClubFieldsSerializer(serializers.Serializer[Any]):
    """What a club says about itself."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    slug = serializers.CharField(
        max_length=60, required=False, help_text="In addresses; else it follows from the name."
    )
    city = serializers.CharField(max_length=80, required=False, allow_blank=True)
    about = serializers.CharField(max_length=2000, required=False, allow_blank=True)
    time_zone = ZoneField(required=False)


class NewMemberSerializer(serializers.Serializer[Any]):
    """Somebody to add: by name, without an account; or a player who is known here, by his id."""

    name = serializers.CharField(max_length=LONGEST_NAME, required=False)
    player = serializers.CharField(max_length=10, required=False)
    namesake = serializers.BooleanField(default=False, help_text="Another person of the same name as a member.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """One of the two."""
        if ("name" in attrs) == ("player" in attrs):
            raise serializers.ValidationError("Give either a name or a player.", code="name_or_player")
        return attrs


class NamesSerializer(serializers.Serializer[Any]):
    """A list of names."""

    names = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NAME), max_length=MOST_NAMES, allow_empty=False
    )


class FoundNameSerializer(serializers.Serializer[Any]):
    """What became of one name of a list."""

    name = serializers.CharField()
    how = serializers.ChoiceField([how.value for how in How])
    player = PersonSerializer(allow_null=True)
    candidates = PersonSerializer(many=True, help_text="Whom an ambiguous name may mean.")
    repeated = serializers.BooleanField(help_text="Whether the list has named the same player before.")


class RoleSerializer(serializers.Serializer[Any]):
    """What somebody may do in a club."""

    role = serializers.ChoiceField(Membership.Role.choices)


class NameSerializer(serializers.Serializer[Any]):
    """A player's name and country as they should be."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    country = serializers.CharField(max_length=2, allow_blank=True, help_text="ISO 3166 code: DK; empty for none.")


class NewInvitationSerializer(serializers.Serializer[Any]):
    """Where an invitation goes."""

    email = serializers.EmailField(required=False, allow_blank=True, help_text="Only that account can then accept.")


class InvitationSerializer(serializers.Serializer[Any]):
    """A new invitation; its link cannot be had again."""

    url = serializers.URLField()
    expires_at = serializers.DateTimeField()


class SecretSerializer(serializers.Serializer[Any]):
    """The secret of an invitation: what stands after `/invitations/` in its link."""

    secret = serializers.CharField(max_length=64)


class MergeSerializer(serializers.Serializer[Any]):
    """Whom a player turned out to be."""

    into = serializers.CharField(max_length=10, help_text="The public_id of another member of the club.")


class MergedSerializer(serializers.Serializer[Any]):
    """A merge, by which it can be undone."""

    id = serializers.IntegerField()
    player = PersonSerializer()
    into = PersonSerializer()
    merged_at = serializers.DateTimeField()


class MeSerializer(serializers.ModelSerializer[User]):
    """The account that asks, and its preferences."""

    player = serializers.CharField(source="player.public_id", read_only=True)
    initials_only = serializers.BooleanField(source="player.initials_only", read_only=True)
    country = serializers.CharField(source="player.country", read_only=True)
    federation_number = serializers.CharField(source="player.federation_number", read_only=True)

    class Meta:
        model = User
        fields = (
            "email", "display_name", "language", "time_zone", "theme", "initials_only", "country", "federation_number",
            "player", "date_joined",
        )  # fmt: skip
        read_only_fields = fields


class PreferencesSerializer(serializers.Serializer[Any]):
    """What somebody may set for himself."""

    display_name = serializers.CharField(max_length=LONGEST_NAME, required=False)
    language = serializers.CharField(max_length=10, required=False, allow_blank=True)
    time_zone = ZoneField(required=False, allow_blank=True)
    theme = serializers.ChoiceField(User.Theme.choices, required=False)
    initials_only = serializers.BooleanField(required=False)
    country = serializers.CharField(max_length=2, required=False, allow_blank=True, help_text="ISO 3166 code: DK.")


class CredentialsSerializer(serializers.Serializer[Any]):
    """What one signs in with."""

    email = serializers.EmailField()
    password = serializers.CharField(trim_whitespace=False, max_length=128, style={"input_type": "password"})


class TokenSerializer(serializers.Serializer[Any]):
    """Sent with each request as `Authorization: Token …`."""

    token = serializers.CharField()
