"""Serializers of accounts, players and clubs."""

from collections.abc import Mapping
from typing import IO, Any

from django.core.files.base import ContentFile
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema_field
from rest_framework import serializers
from rest_framework.parsers import BaseParser

from core.encodings import ENCODINGS
from core.lines import check_one_line
from core.people_lists import read_people, refuse_unclear
from core.requests import parse_int
from core.spreadsheets import MAX_BYTES
from core.text_lengths import MAX_NAME_LENGTH
from core.times import find
from players.forms import HostsField, spreadsheet_in
from players.models import ApiToken, Club, Membership, Player, User
from players.models.people import (
    MAX_CLASS_POINTS,
    MAX_CLUB_TEXT_LENGTH,
    MAX_IMPRINT_LENGTH,
    MAX_TAGLINE_LENGTH,
    MAX_YEAR_FEE,
)
from players.people.pairs import persons
from players.people.services import MAX_NAMES, NameOutcome


class FaultSerializer(serializers.Serializer[Any]):
    """An invalid field."""

    field = serializers.CharField(
        help_text="For example `games.0.winner`; empty for errors that concern the whole body."
    )
    code = serializers.CharField(help_text="Stable.")
    message = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField(help_text="Always `about:blank`; the code identifies the problem.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="Stable.")
    detail = serializers.CharField(help_text="A sentence in the language of Accept-Language.")
    params = serializers.DictField(required=False, help_text="The values in the sentence.")
    errors = FaultSerializer(many=True, required=False, help_text="With the code `invalid`.")  # type: ignore[assignment]
    request_id = serializers.CharField(required=False, help_text="Include it when you report a problem.")


PROBLEM = OpenApiResponse(ProblemSerializer, description="Problem details (RFC 9457) with a stable `code`.")
LOCATION = OpenApiParameter(
    "Location",
    OpenApiTypes.URI,
    OpenApiParameter.HEADER,
    required=True,
    description="The URL of what was created.",
    response=[200, 201, 202],
)
PROBLEMS = {401: PROBLEM, 403: PROBLEM, 404: PROBLEM, 422: PROBLEM}


def example(media_type: str = "application/json", **body: Any) -> list[OpenApiExample]:
    """Return an example request body for the API description."""
    return [OpenApiExample("Example", value=body, request_only=True, media_type=media_type)]


class ZoneField(serializers.CharField):
    """The name of a time zone."""

    default_error_messages = {"unknown": "“{zone}” is not a known time zone."}

    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=64, help_text="A name from the IANA database, such as Europe/Copenhagen.", **options
        )

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        zone = find(text) if text else ""
        if zone is None:
            self.fail("unknown", zone=text)
        return zone


PEOPLE = "The player, or both of a pair in the order in which they were named."


class PersonSerializer(serializers.ModelSerializer[Player]):
    """A player as everybody sees them."""

    name = serializers.CharField(source="shown_name", help_text="Initials if the player shows only those.")

    class Meta:
        model = Player
        fields = ("public_id", "name")


def people_data(player: Player) -> Any:
    """Data of PersonSerializer for whom a player stands for; of many players, after `load_people`."""
    return PersonSerializer(persons(player), many=True).data


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """A member of a club."""

    player = PersonSerializer()

    class Meta:
        model = Membership
        fields = ("player", "role", "joined_at")


class ClubSerializer(serializers.ModelSerializer[Club]):
    """A club as everybody sees it."""

    members = serializers.SerializerMethodField(help_text="Number of members.")
    my_role = serializers.SerializerMethodField(help_text="Role of the current user; null for others.")
    emblem = serializers.SerializerMethodField(help_text="Path of the emblem (WebP); null if the club has none.")

    class Meta:
        model = Club
        fields = (
            "slug", "name", "city", "country", "currency", "tagline", "about", "meets", "contact", "year_fee",
            "imprint", "colour", "board", "emblem", "time_zone", "language", "embed_hosts", "class_points",
            "letter_on_close", "created_at", "members", "my_role",
        )  # fmt: skip

    @extend_schema_field(OpenApiTypes.INT)
    def get_members(self, club: Club) -> int:
        """Return the count that the selector annotated."""
        return getattr(club, "member_count", 0)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_emblem(self, club: Club) -> str | None:
        """Return the path, which changes with the picture."""
        return club.emblem_url or None

    @extend_schema_field(serializers.ChoiceField(Membership.Role.choices, allow_null=True))
    def get_my_role(self, club: Club) -> str | None:
        """Return the role that the selector annotated."""
        return getattr(club, "my_role", None)


class ClubFieldsSerializer(serializers.Serializer[Any]):
    """The editable fields of a club."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH)
    slug = serializers.CharField(
        max_length=60, required=False, help_text="Part of URLs; derived from the name if missing."
    )
    city = serializers.CharField(max_length=80, required=False, allow_blank=True)
    country = serializers.CharField(
        max_length=2, required=False, allow_blank=True, help_text="An ISO 3166 code, such as DK; empty for none."
    )
    currency = serializers.CharField(
        max_length=6, required=False, allow_blank=True, help_text="Of new events: an ISO 4217 code or `ticket`."
    )
    about = serializers.CharField(max_length=2000, required=False, allow_blank=True)
    time_zone = ZoneField(required=False)
    language = serializers.CharField(
        max_length=10, required=False, allow_blank=True, help_text="One that the site offers; empty for the site's."
    )
    embed_hosts = serializers.CharField(
        max_length=400,
        required=False,
        allow_blank=True,
        help_text="Hosts whose pages may show the club's events in a frame, such as www.example.org, by spaces.",
    )

    def validate_embed_hosts(self, hosts: str) -> str:
        """Return their origins."""
        return str(HostsField(required=False).clean(hosts))


class ClubChangesSerializer(ClubFieldsSerializer):
    """The editable fields of an existing club."""

    tagline = serializers.CharField(
        max_length=MAX_TAGLINE_LENGTH, required=False, allow_blank=True, help_text="One sentence below its name."
    )
    meets = serializers.CharField(
        max_length=MAX_CLUB_TEXT_LENGTH, required=False, allow_blank=True, help_text="Where and when the club plays."
    )
    contact = serializers.CharField(max_length=MAX_CLUB_TEXT_LENGTH, required=False, allow_blank=True)
    year_fee = serializers.CharField(
        max_length=MAX_YEAR_FEE, required=False, allow_blank=True, help_text="What membership costs, in words."
    )
    imprint = serializers.CharField(max_length=MAX_IMPRINT_LENGTH, required=False, allow_blank=True)
    colour = serializers.ChoiceField(Club.Colour.choices, required=False)
    board = serializers.ChoiceField(Club.Board.choices, required=False, help_text="Drawn behind the club's name.")
    class_points = serializers.IntegerField(
        min_value=1,
        max_value=MAX_CLASS_POINTS,
        required=False,
        help_text="Points that a member must have played, in analysed matches, for a club class.",
    )
    letter_on_close = serializers.BooleanField(
        required=False, help_text="Send the letters of an event an hour after it is finished, not the next morning."
    )


@extend_schema_field(OpenApiTypes.BINARY)
class ImageFileField(serializers.FileField):
    """The file of a picture."""


class EmblemSerializer(serializers.Serializer[Any]):
    """A new emblem."""

    image = ImageFileField(
        allow_empty_file=True, help_text="PNG, JPEG or WebP, up to 200 KB and 2,000 × 2,000 pixels; drawn anew."
    )


class NewMemberSerializer(serializers.Serializer[Any]):
    """A new member: either a name, for a player without an account, or the id of an existing player."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH, required=False)
    player = serializers.CharField(max_length=10, required=False)
    namesake = serializers.BooleanField(
        default=False, help_text="True for somebody else than the member of this, or nearly this, name."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require exactly one of the two."""
        if ("name" in attrs) == ("player" in attrs):
            raise serializers.ValidationError("Give either a name or a player.", code="name_or_player")
        return attrs


LISTS = (
    "A list has a name in each line, or is a table whose first line names its columns: `name,rating,club`, or `first "
    "name` and `last name`, in fourteen languages, with any order and separator. It may also be the whole body "
    "(`text/csv`). Hidden sheets and rows of a workbook are left out. A line that is not understood is refused as "
    "`list_unclear`, with all of them in `rows`; a file in an encoding that is not clear as `encoding_unclear`, with "
    "lines in each of its `readings`: send it again with the `encoding` in which they are right. Unless all are "
    "taken, nobody is: 422 `list_left_out` has in `rows` each name that would be left out, with its `place`, `why`, "
    "and whom it may mean. With `partial` all others are taken, and the answer says who is left out, and which lines "
    "are `unclear`."
)
ALIKE = "An earlier name of the list of which this may be another spelling."


def _lines(**options: Any) -> serializers.ListField:
    line = serializers.CharField(max_length=200, allow_blank=True, trim_whitespace=False, validators=[check_one_line])
    return serializers.ListField(
        child=line, min_length=1, max_length=MAX_NAMES, help_text="The lines of the list.", **options
    )


def encoding_field() -> serializers.ChoiceField:
    """The field with which a program says in which encoding a text is."""
    return serializers.ChoiceField(
        [*ENCODINGS], required=False, help_text="Of a text that is not Unicode; without it, its letters are judged."
    )


class NameListSerializer(serializers.Serializer[Any]):
    """A list of people."""

    names = _lines()
    choices = serializers.DictField(
        child=serializers.CharField(max_length=10, allow_blank=True),
        required=False,
        help_text=(
            "Place among the people of the list (from 0) -> public id of the player meant, or `new`: somebody else of "
            "that name; empty: leave this name out."
        ),
    )
    preview = serializers.BooleanField(default=False, help_text="Only preview which players the names match.")
    partial = serializers.BooleanField(  # type: ignore[assignment]  # a field, which the class does not keep
        default=False, help_text="Take the others where somebody is left out."
    )


@extend_schema_field(OpenApiTypes.BINARY)
class ListFileField(serializers.FileField):
    """A CSV, .xlsx or .ods file."""


class NameFileSerializer(NameListSerializer):
    """A list of people, or a file with one instead."""

    names = _lines(required=False)
    file = ListFileField(required=False, help_text="CSV, .xlsx or .ods.")
    encoding = encoding_field()
    pairs = False
    """Whether a line may have two people."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Replace the lines, or the file, with the `people` in them, and the keys of the choices with numbers.

        Lines that are not understood are in `unclear`, if some may be left out. Refused otherwise: `list_unclear`.
        """
        if ("names" in attrs) == ("file" in attrs):
            raise serializers.ValidationError({"names": "Send either `names` or a `file`."})
        file = attrs.pop("file", None)
        text = spreadsheet_in(file, attrs.pop("encoding", "")) if file else "\n".join(attrs["names"])
        people = read_people(text, pairs=self.pairs)
        attrs["unclear"] = [person.text for person in people if attrs["partial"] and not person.name]
        attrs["people"] = [person for person in people if person.name or not attrs["partial"]]
        refuse_unclear(attrs["people"])
        numbered = ((parse_int(place), player) for place, player in attrs.get("choices", {}).items())
        attrs["choices"] = {place: player for place, player in numbered if place is not None}
        return attrs


class CsvOptionsSerializer(serializers.Serializer[Any]):
    """What a CSV file as the body of a request cannot say."""

    preview = serializers.BooleanField(default=False, help_text="The same as in the other bodies.")
    partial = serializers.BooleanField(  # type: ignore[assignment]  # as above
        required=False, help_text="As in the other bodies; ignored beside them."
    )
    encoding = encoding_field()


class CsvParser(BaseParser):
    """A CSV file as the body of a request."""

    media_type = "text/csv"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return it as the `file` of a form, with what the query says about it."""
        query = (parser_context or {})["request"].query_params
        options = {name: query[name] for name in ("partial", "encoding") if name in query}
        return {"file": ContentFile(stream.read(MAX_BYTES + 1), name="list.csv"), **options}


class FoundNameSerializer(serializers.Serializer[Any]):
    """The outcome for one name of a list."""

    name = serializers.CharField()
    how = serializers.ChoiceField([how.value for how in NameOutcome])
    player = PersonSerializer(allow_null=True)
    candidates = PersonSerializer(many=True, help_text="The members that an ambiguous or partial name may mean.")
    alike = serializers.CharField(help_text=ALIKE)
    repeated = serializers.BooleanField(help_text="Whether the list named the same player before.")


class RoleSerializer(serializers.Serializer[Any]):
    """A member's role."""

    role = serializers.ChoiceField(Membership.Role.choices)


class NameSerializer(serializers.Serializer[Any]):
    """A player's name and country."""

    name = serializers.CharField(max_length=MAX_NAME_LENGTH)
    country = serializers.CharField(
        max_length=2, allow_blank=True, help_text="ISO 3166 code, such as DK; empty for none."
    )


class NewInvitationSerializer(serializers.Serializer[Any]):
    """The recipient of an invitation."""

    email = serializers.EmailField(
        required=False, allow_blank=True, help_text="If set, only the account with this address can accept."
    )


class InvitationSerializer(serializers.Serializer[Any]):
    """A new invitation. Its link is shown only once."""

    url = serializers.URLField()
    expires_at = serializers.DateTimeField()


class SecretSerializer(serializers.Serializer[Any]):
    """The secret of an invitation: the part after `/invitations/` in its link."""

    secret = serializers.CharField(max_length=64)


class MergeSerializer(serializers.Serializer[Any]):
    """The player to merge into."""

    into = serializers.CharField(max_length=10, help_text="The public_id of another member of the club.")


class MergedPlayerSerializer(PersonSerializer):
    """A merged player, by the name of their own."""

    name = serializers.CharField()


class MergedSerializer(serializers.Serializer[Any]):
    """A merge; its id is needed to undo it."""

    id = serializers.IntegerField()
    player = MergedPlayerSerializer()
    into = PersonSerializer()
    merged_at = serializers.DateTimeField()


class MeSerializer(serializers.ModelSerializer[User]):
    """The current account and its preferences."""

    email = serializers.EmailField(source="shown_email", read_only=True)
    player = serializers.CharField(source="player.public_id", read_only=True)
    initials_only = serializers.BooleanField(source="player.initials_only", read_only=True)
    analysis_visibility = serializers.ChoiceField(
        Player.AnalysisVisibility.choices, source="player.analysis_visibility", read_only=True
    )
    in_event_lines = serializers.BooleanField(source="player.in_event_lines", read_only=True)
    puzzle_choice = serializers.ChoiceField(
        Player.PuzzleChoice.choices, source="player.puzzle_choice", read_only=True, allow_blank=True
    )
    country = serializers.CharField(source="player.country", read_only=True)
    federation_number = serializers.CharField(source="player.federation_number", read_only=True)

    class Meta:
        model = User
        fields = (
            "email", "display_name", "language", "time_zone", "theme", "initials_only", "analysis_visibility",
            "in_event_lines", "puzzle_choice", "country", "federation_number", "player", "date_joined",
        )  # fmt: skip
        read_only_fields = fields


class PreferencesSerializer(serializers.Serializer[Any]):
    """The preferences of an account."""

    display_name = serializers.CharField(max_length=MAX_NAME_LENGTH, required=False)
    language = serializers.CharField(max_length=10, required=False, allow_blank=True)
    time_zone = ZoneField(required=False, allow_blank=True)
    theme = serializers.ChoiceField(User.Theme.choices, required=False)
    initials_only = serializers.BooleanField(required=False)
    analysis_visibility = serializers.ChoiceField(
        Player.AnalysisVisibility.choices, required=False, help_text="Who may see how well the player played."
    )
    in_event_lines = serializers.BooleanField(
        required=False, help_text="False: no line of a morning letter is about a match of the player."
    )
    puzzle_choice = serializers.ChoiceField(
        Player.PuzzleChoice.choices,
        required=False,
        allow_blank=True,
        help_text="`yes`: positions of the player may be puzzles of a club; `no`: none of the player's matches may.",
    )
    country = serializers.CharField(
        max_length=2, required=False, allow_blank=True, help_text="ISO 3166 code, such as DK."
    )


class CredentialsSerializer(serializers.Serializer[Any]):
    """Credentials to sign in with, and the token to create."""

    email = serializers.EmailField()
    password = serializers.CharField(trim_whitespace=False, max_length=128, style={"input_type": "password"})
    one_time_code = serializers.CharField(
        max_length=40, default="", help_text="Of an account with a second factor; a recovery code will do."
    )
    name = serializers.CharField(max_length=60, default="API client")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(ApiToken.Scope.choices), default=list(ApiToken.Scope.values)
    )
    days = serializers.IntegerField(
        min_value=1,
        max_value=3650,
        default=365,
        allow_null=True,
        help_text="Until the token expires; null: never, if it may only read.",
    )


class ApiTokenSerializer(serializers.ModelSerializer[ApiToken]):
    """A token without its key."""

    scopes = serializers.ListField(child=serializers.ChoiceField(ApiToken.Scope.choices))

    class Meta:
        model = ApiToken
        fields: tuple[str, ...] = ("id", "name", "scopes", "created_at", "expires_at", "last_used_on")


class TokenSerializer(ApiTokenSerializer):
    """A new token, sent with each request as `Authorization: Token …`."""

    token = serializers.CharField()

    class Meta(ApiTokenSerializer.Meta):
        fields = ("token", *ApiTokenSerializer.Meta.fields)
