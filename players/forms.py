"""Forms that parse input for the services and show refusals beside the field they concern."""

import re
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files import File
from django.utils.datastructures import MultiValueDict
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from core import limited, times
from core.codes import COUNTRIES, check_currency, country_of_zone, disagree
from core.encodings import decoded_as
from core.languages import offers_choice
from core.lines import check_one_line, is_one_line
from core.messages import sentence
from core.names import fold
from core.numbers import UNCLEAR, UnclearNumberError, read_number
from core.people_lists import ListedPerson, of_lines, read_people
from core.public_ids import LENGTH
from core.spreadsheets import MAX_BYTES, MAX_MEBIBYTES, OTHER_FILES, spreadsheet_text
from core.text_lengths import MAX_NAME_LENGTH
from engine.errors import Refused
from players.access import Role
from players.models import Club, Membership, Player
from players.models.people import (
    MAX_CLASS_POINTS,
    MAX_CLUB_TEXT_LENGTH,
    MAX_IMPRINT_LENGTH,
    MAX_TAGLINE_LENGTH,
    MAX_YEAR_FEE,
)
from players.people.services import MAX_NAMES

MAX_LIST = 400_000
"""In characters; enough for the names of the largest draw."""
CHOICE = "choice-"
"""Prefix of the fields that choose a player for a name of a list."""
MAX_DECIMALS = 9
"""Decimal places of a number."""
SPREADSHEETS = ".csv,.tsv,.txt,.xlsx,.ods"
UNREADABLE = (
    *("spreadsheet_too_large", "spreadsheet_too_many_cells", "spreadsheet_too_long", "spreadsheet_not_plain"),
    *("spreadsheet_unreadable", "encoding_unclear", *(code for _beginning, code in OTHER_FILES)),
)
"""The codes with which a file is refused."""


class RefusingForm(forms.Form):
    """A form that can show why a service refused."""

    instance: Any = None
    """What is acted on, if an `Action` has bound the form."""

    FIELD_OF: ClassVar[dict[str, str]] = {
        "weak_password": "new_password",
        "wrong_password": "password",
        "bad_time_zone": "time_zone",
        "bad_language": "language",
        "name_missing": "name",
        "name_too_long": "name",
        "namesake": "name",
        "bad_country": "country",
        "bad_currency": "currency",
        "player_has_account": "name",
        "slug_taken": "slug",
        "bad_slug": "slug",
        "file_too_heavy": "file",
        "reading_busy": "file",
        "emblem_format": "image",
        "emblem_svg": "image",
        "emblem_bytes": "image",
        "emblem_pixels": "image",
        "emblem_broken": "image",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not offers_choice():
            for name in [name for name, field in self.fields.items() if isinstance(field, LanguageField)]:
                del self.fields[name]

    def is_valid(self) -> bool:
        """Return whether nothing is wrong. Refused: `unclear_amount`, so that whoever sent the form is asked."""
        for name, errors in self.errors.as_data().items():
            for error in errors:
                if error.code == UNCLEAR:
                    raise Refused(UNCLEAR, field=self.add_prefix(name), **(error.params or {}))
        return super().is_valid()

    def full_clean(self) -> None:
        """Check the form, and that its short texts are one line."""
        for field in self.fields.values():
            if isinstance(field, forms.CharField) and is_one_line(field.max_length, strips=field.strip):
                field.validators = [*field.validators, check_one_line]
        super().full_clean()

    def choose_from(self, name: str, rows: Any) -> None:
        """Let a field choose from these rows; `Form.fields` do not have the types of their declarations."""
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101, declared so
        field.queryset = rows

    def choose_among(self, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
        """Let a field choose among these values, each with its label."""
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101, declared so
        field.choices = choices

    def refuse(self, refused: Refused) -> None:
        """Add the message of a refusal to the field it concerns, or to the whole form."""
        field = self.FIELD_OF.get(refused.code)
        self.add_error(field if field in self.fields else None, sentence(refused.code, refused.params))


class LanguageField(forms.ChoiceField):
    """One of the site's languages, or none, which `empty` words. Forms of a site with one language are without it."""

    def __init__(self, *, empty: Any, **options: Any) -> None:
        super().__init__(choices=lambda: [("", empty), *settings.LANGUAGES], required=False, **options)


class NumberField(forms.FloatField):
    """A number as `read_number` reads it; of two readings the one within `usual`, by default within the limits."""

    def __init__(self, *, usual: tuple[float, float] | None = None, **options: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "size": 8})
        super().__init__(**{"widget": widget, **options})
        self.usual = usual or (options.get("min_value", 0), options.get("max_value", inf))

    def to_python(self, value: Any) -> Any:
        """Return the number; programs send one. Raises ValidationError for anything else."""
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        try:
            return float(read_number(value, MAX_DECIMALS, self.usual))
        except UnclearNumberError as error:
            numbers = [reading.normalize() for reading in error.readings]
            raise unclear(value, {f"{each:f}": number_format(each, force_grouping=True) for each in numbers}) from None
        except ValueError:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from None


def unclear(text: str, readings: Mapping[str, str]) -> ValidationError:
    """Return the error of a text with several readings, as they are written in fields and as they are shown."""
    params = {"text": text, "readings": dict(readings)}
    return ValidationError(sentence(UNCLEAR, params), code=UNCLEAR, params=params)


class YesNoField(forms.TypedChoiceField):
    """A choice between two, `1` and `0` in a browser, which is a truth value; None if it may be left open."""

    def __init__(self, *, choices: Any = (("1", "1"), ("0", "0")), **options: Any) -> None:
        super().__init__(choices=choices, coerce=lambda value: value == "1", empty_value=None, **options)

    def to_python(self, value: Any) -> str:
        """Return the choice; programs send a truth value."""
        return str(int(value)) if isinstance(value, bool) else super().to_python(value)


class ZoneChoiceField(forms.CharField):
    """A time zone, chosen from a list while typing; the name of a city is enough."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("label", _("Time zone"))
        widget = forms.TextInput(attrs={"list": "zones", "autocomplete": "off", "spellcheck": "false"})
        super().__init__(widget=widget, max_length=64, **options)

    def clean(self, value: Any) -> str:
        """Return the name of the zone. Raises ValidationError if no zone, or more than one, matches."""
        text = super().clean(value)
        if not text:
            return ""
        zone = times.find(text)
        if zone is None:
            raise ValidationError(sentence("bad_time_zone", {"zone": text}), code="bad_time_zone")
        return zone


class CountryField(forms.ChoiceField):
    """A country, chosen from a list by its name; its value is the code, empty for none."""

    def __init__(self, **options: Any) -> None:
        listed = sorted(COUNTRIES.items(), key=lambda country: fold(country[1]))
        options = {"label": _("Country"), "required": False, "choices": [("", "—"), *listed], **options}
        super().__init__(widget=forms.Select(attrs={"autocomplete": "country"}), **options)

    def to_python(self, value: Any) -> str:
        """Return the code in capitals."""
        return str(super().to_python(value)).upper()


class ZonedForm(RefusingForm):
    """A form with a country and a time zone. Where they disagree, that is asked once: the same again is accepted."""

    agreed = forms.CharField(required=False, widget=forms.HiddenInput, max_length=70)

    def clean(self) -> dict[str, Any]:
        """Refuse a new country and time zone that disagree, unless that has been asked."""
        fields: dict[str, Any] = super().clean() or self.cleaned_data
        agreed, country, zone = fields.pop("agreed", ""), fields.get("country", ""), fields.get("time_zone", "")
        chosen, before = f"{country} {zone}", f"{self['country'].initial} {self['time_zone'].initial}"
        if not disagree(country, zone) or chosen in (agreed, before):
            return fields
        data = MultiValueDict[str, Any]()
        data.update(self.data)
        data["agreed"] = chosen
        self.data = data
        text = _("{zone} is a time zone of {there}, not of {country}. Change one of them, or save again.")
        names = {"there": COUNTRIES[country_of_zone(zone)], "country": COUNTRIES[country]}
        self.add_error("country", text.format(zone=zone, **names))
        return fields


def error_of(refused: Refused) -> ValidationError:
    """Return the error of a field that shows why something was refused."""
    return ValidationError(sentence(refused.code, refused.params), code=refused.code)


class CurrencyField(forms.CharField):
    """A currency code in any case, or “ticket”."""

    def __init__(self, **options: Any) -> None:
        options = {"help_text": _("A code such as EUR, or “ticket” for fees in tickets."), **options}
        super().__init__(max_length=6, widget=forms.TextInput(attrs={"size": 7, "autocomplete": "off"}), **options)

    def clean(self, value: Any) -> str:
        """Return the currency. Raises ValidationError for anything else."""
        try:
            return check_currency(super().clean(value))
        except Refused as refused:
            raise error_of(refused) from None


class ClubForm(ZonedForm):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    city = forms.CharField(label=_("City"), max_length=80, required=False)
    country = CountryField(required=True)
    currency = CurrencyField(label=_("Currency of fees"))
    time_zone = ZoneChoiceField(help_text=_("The time zone of the club's events. Type a city."))
    language = LanguageField(
        label=_("Language"),
        empty=_("As the site"),
        help_text=_("Of the wall, printed sheets, calendars, and emails to people who chose no language."),
    )
    about = forms.CharField(
        label=_("About"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("Who you are, and what you play."),
    )


class HostsField(forms.CharField):
    """Hosts separated by spaces, commas or line breaks; their value is a text of origins, as in a security policy."""

    HOST = re.compile(r"(?:https://)?((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d{1,5})?)/?")

    def clean(self, value: Any) -> str:
        """Return the origins, separated by spaces. Raises ValidationError for anything but hosts."""
        origins = []
        for host in re.split(r"[\s,]+", super().clean(value).strip().lower()):
            match = self.HOST.fullmatch(host)
            if host and match is None:
                raise ValidationError(_("Enter hosts such as www.example.org, separated by spaces."))
            if match is not None:
                origins.append(f"https://{match[1]}")
        return " ".join(dict.fromkeys(origins))


class EditClubForm(ClubForm):
    """The editable fields of an existing club. Clubs that began without a country and a currency need none."""

    country = CountryField()
    currency = CurrencyField(label=_("Currency of fees"), required=False)
    tagline = forms.CharField(
        label=_("One sentence"),
        max_length=MAX_TAGLINE_LENGTH,
        required=False,
        help_text=_("Below the name of the club, for example “Every Tuesday on the quay. Beginners welcome.”"),
    )
    meets = forms.CharField(
        label=_("Where and when"),
        max_length=MAX_CLUB_TEXT_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Place, address and usual evening; how to get in."),
    )
    contact = forms.CharField(
        label=_("Contact"),
        max_length=MAX_CLUB_TEXT_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("An email address, a phone number or a website, which everybody can see."),
    )
    class_points = forms.IntegerField(
        label=_("Points for a club class"),
        min_value=1,
        max_value=MAX_CLASS_POINTS,
        required=False,
        help_text=_("How many points, of analysed matches, a member must have played to be given a class."),
    )
    letter_on_close = forms.BooleanField(
        label=_("Letters on the same evening"),
        required=False,
        help_text=_("Players get their results an hour after an event is finished, and else the next morning at 8."),
    )
    year_fee = forms.CharField(
        label=_("Membership fee"),
        max_length=MAX_YEAR_FEE,
        required=False,
        help_text=_("For example “200 kr. a year”."),
    )
    imprint = forms.CharField(
        label=_("Imprint"),
        max_length=MAX_IMPRINT_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Who is responsible for this page, where the law asks for it."),
    )
    colour = forms.ChoiceField(label=_("Colour"), choices=Club.Colour.choices, required=False, widget=forms.RadioSelect)
    board = forms.ChoiceField(
        label=_("Board behind the name"), choices=Club.Board.choices, required=False, widget=forms.RadioSelect
    )
    embed_hosts = HostsField(
        label=_("Websites that may embed the club's events"),
        max_length=400,
        required=False,
        help_text=_("Hosts such as www.example.org. Brackets, standings and calls can be shown in a frame there."),
    )

    @classmethod
    def of(cls, club: Club, data: Any = None) -> "EditClubForm":
        return cls(data, initial={field: getattr(club, field) for field in cls.base_fields if field != "agreed"})

    def clean_colour(self) -> str:
        """Return the colour that was picked, or the one the club has."""
        return str(self.cleaned_data["colour"] or self.initial["colour"])

    def clean_class_points(self) -> int:
        """Return what was typed, or what the club has."""
        return int(self.cleaned_data["class_points"] or self.initial["class_points"])

    def clean_board(self) -> str:
        """Return the board that was picked, or the one the club has."""
        return str(self.cleaned_data["board"] or self.initial["board"])


class EmblemForm(RefusingForm):
    image = forms.FileField(
        label=_("Picture"),
        allow_empty_file=True,
        widget=forms.ClearableFileInput(attrs={"accept": "image/png,image/jpeg,image/webp"}),
        help_text=_("PNG, JPEG or WebP, up to 200 KB and 2,000 × 2,000 pixels. A square looks best."),
    )
    FIELD_OF = {**RefusingForm.FIELD_OF, "file_too_heavy": "image", "reading_busy": "image"}


class SecondFactorForm(forms.Form):
    """Whether the owners of a club need a second factor."""

    required = forms.BooleanField(required=False)


class SuspendForm(forms.Form):
    """The confirmation that accounts are suspended, after the list of what ends."""

    confirmed = forms.BooleanField()


class EndMembershipForm(forms.Form):
    """Whether a member who leaves gives up what only members may take part in."""

    gives_up = forms.BooleanField(required=False)


class AddMemberForm(RefusingForm):
    """A new player without an account."""

    name = forms.CharField(label=_("Add a player"), max_length=MAX_NAME_LENGTH)
    namesake = forms.BooleanField(label=_("This is somebody else"), required=False)


class AddPlayerForm(RefusingForm):
    player = forms.CharField(max_length=10)


class SpreadsheetForm(RefusingForm):
    """A form whose `file` is a spreadsheet or a list. Where its encoding is unclear, its `readings` are to be shown."""

    readings: Sequence[Mapping[str, Any]] = ()
    """The lines of each that tell them apart, and its whole text, to be sent in place of the file."""

    def refuse(self, refused: Refused) -> None:
        """Add the message, and read a file in all its possible encodings."""
        if refused.code == "encoding_unclear":
            try:
                self.readings = [
                    {"lines": lines, "text": spreadsheet_in(self.cleaned_data["file"], encoding)}
                    for encoding, lines in refused.params["readings"]
                ]
            except Refused as unreadable:
                refused = unreadable
        super().refuse(refused)


class ListForm(SpreadsheetForm):
    """Many people at once: pasted, or in a file."""

    text = ""
    """The list that was read."""

    names = forms.CharField(
        label=_("Paste a list"),
        max_length=MAX_LIST,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=_("One name per line, or a table whose first line names its columns. You can check it first."),
    )
    file = forms.FileField(
        label=_("or a spreadsheet"),
        required=False,
        widget=forms.FileInput(attrs={"accept": SPREADSHEETS}),
        help_text=_("CSV, .xlsx or .ods"),
    )
    FIELD_OF: ClassVar[dict[str, str]] = {
        **RefusingForm.FIELD_OF,
        **dict.fromkeys(("name_missing", "name_too_long", "too_many_names", "list_empty"), "names"),
        **dict.fromkeys(UNREADABLE, "file"),
    }

    def people(self, *, pairs: bool = False) -> list[ListedPerson]:
        """Return the rows of the list, with `pairs` as `read_people` does.

        Refused: `name_missing`, and as `spreadsheet_in` and `read_people`.
        """
        file, text = self.cleaned_data["file"], self.cleaned_data["names"]
        if file is None and not text.strip():
            raise Refused("name_missing")
        self.text = text if file is None else spreadsheet_in(file)
        return read_people(self.text, pairs=pairs)


class ChosenListForm(RefusingForm):
    """The people of a list that was checked, with the players chosen for unclear names.

    Each `choice-<place>` field is empty (leave the name out), a public id, or `lists.NEW_PLAYER`.
    """

    names = forms.CharField(max_length=MAX_LIST)
    in_line = 1
    """How many names a line may have; places count them all."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        add_choices(self)

    def clean_names(self) -> list[ListedPerson]:
        """One person, or pair, a line."""
        return of_lines(self.cleaned_data["names"])

    def clean(self) -> dict[str, Any]:
        """Reject a choice for a position that the list does not have."""
        cleaned = super().clean() or {}
        places = {f"{CHOICE}{place}" for place in range(min(len(cleaned.get("names", ())) * self.in_line, MAX_NAMES))}
        if any(key.startswith(CHOICE) and key not in places for key in self.fields):
            raise error_of(Refused("stale"))
        return cleaned

    @property
    def choices(self) -> dict[int, str]:
        """The players chosen for names, by their position in the list."""
        return choices_in(self.cleaned_data)


def add_choices(form: forms.Form) -> None:
    """Add the fields with the players chosen for unclear names, of those that were sent."""
    for key in form.data:
        if key.startswith(CHOICE):
            form.fields[key] = forms.CharField(max_length=LENGTH, required=False)


def choices_in(cleaned: Mapping[str, Any]) -> dict[int, str]:
    """Return the players chosen for names, by their positions in the list."""
    places = {key.removeprefix(CHOICE): value for key, value in cleaned.items() if key.startswith(CHOICE)}
    return {int(place): value for place, value in places.items() if place.isdecimal()}


def spreadsheet_in(file: "File[bytes]", encoding: str = "") -> str:
    """Return the text of a spreadsheet or list; `encoding` is what was chosen for one that is a text.

    Refused: as `spreadsheet_text` and `limited.read_in_request`.
    """
    if (file.size or 0) > MAX_BYTES:
        raise Refused("spreadsheet_too_large", mebibytes=MAX_MEBIBYTES)
    file.seek(0)
    content = file.read()
    if encoding and not content.startswith(b"PK"):
        content = decoded_as(content, encoding).encode()
    return limited.read_in_request(spreadsheet_text, content)


class RoleForm(RefusingForm):
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)

    @classmethod
    def of(cls, membership: Membership) -> "RoleForm":
        """Offer the roles that the member can be given at once: an owner is asked first."""
        form = cls(initial={"role": Role(membership.role)})
        if membership.role != Role.OWNER:
            form.choose_among("role", [choice for choice in Role.choices if choice[0] != Role.OWNER])
        return form


class OwnerOfferForm(RefusingForm):
    then = forms.ChoiceField(
        label=_("Once they have accepted"),
        choices=[
            (Role.OWNER, _("I stay owner")),
            (Role.DIRECTOR, _("I become director")),
            (Role.MEMBER, _("I become member")),
        ],
        initial=Role.OWNER,
    )


class NameForm(RefusingForm):
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_LENGTH)
    country = CountryField()

    @classmethod
    def of(cls, player: Player) -> "NameForm":
        return cls(initial={"name": player.name, "country": player.country}, auto_id="edit_%s")


class InviteForm(RefusingForm):
    """The recipient of an invitation; without an e-mail address it is only a link."""

    email = forms.EmailField(
        label=_("Email address"),
        required=False,
        max_length=254,
        help_text=_("Leave empty to share the link yourself. With an address, only that account can accept."),
    )


class MergeForm(RefusingForm):
    into = forms.ChoiceField(label=_("Same person as"))

    def __init__(self, *args: Any, others: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choose_among("into", [("", _("Choose …")), *others])


class AliasForm(RefusingForm):
    """Another name of a player, as it appears in match records."""

    name = forms.CharField(label=_("Name"), max_length=200)
