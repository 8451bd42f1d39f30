"""The languages of the site, and in which of them something is said to somebody."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.conf import settings
from django.contrib.humanize.templatetags import humanize
from django.http import HttpRequest
from django.utils.html import strip_tags
from django.utils.translation.trans_real import parse_accept_lang_header

NAMES: Mapping[str, str] = {"en": "English", "da": "Dansk", "de": "Deutsch", "fr": "Français"}
"""Every language that is translated, by what its speakers call it."""
OFFERED = ("en", "da", "de", "fr")
"""Those that readers can choose: all that players read is translated and reviewed (docs/translating.md)."""
PARAMETER = "lang"
"""The query parameter by which the address of a public page asks for a language."""

# Which language of the site a code stands for.


MAX_TAG_LENGTH = 35
"""Of what a cookie or an address may call a language, as in RFC 5646."""
OTHER_NAMES: Mapping[str, str] = {"no": "nb", "nn": "nb", "iw": "he", "in": "id", "ji": "yi"}
"""What browsers call a language that the site may offer by another code: all of Norway reads Bokmål."""


def offers_choice() -> bool:
    """Whether the site offers more than one language."""
    return len(settings.LANGUAGES) > 1


def offered(tag: str) -> str:
    """Return the language of the site that a tag stands for, as `de` does for `de-AT`; empty if there is none."""
    codes = {code for code, _name in settings.LANGUAGES}
    rest = tag[:MAX_TAG_LENGTH].lower()
    while rest:
        for code in (rest, OTHER_NAMES.get(rest)):
            if code in codes:
                return code
        rest = rest.rpartition("-")[0]
    return ""


def first_offered(*tags: str) -> str:
    """Return the first of these languages that the site offers, or else its own; an empty one stands for no choice.

    The order says whose choice counts: the reader's, then that of the event, of its club, of the site.
    """
    return next(filter(None, map(offered, tags)), settings.LANGUAGE_CODE)


# What a reader wants.


def wish(*, asked: str = "", own: str = "", switch: str = "", accepted: str = "") -> str:
    """Return the language in which somebody wants to read; empty if they have not expressed a wish that can be met.

    This is the order of what counts: what the address asks for, the setting of the account, what was chosen in this
    browser, and the Accept-Language of its requests. Without a wish the language of the club counts whose page it is,
    then the site's.
    """
    by_browser = (tag for tag, quality in parse_accept_lang_header(accepted) if quality > 0)
    return next(filter(None, map(offered, (asked, own, switch, *by_browser))), "")


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th … as the reader's language writes it, without the markup that French has in Django."""
    return strip_tags(str(humanize.ordinal(number)))


@dataclass
class Choice:
    """In which language a request is answered, and why."""

    asked: str = ""
    """The one for which the address asks."""
    wish: str = ""
    """The one that the reader wants."""
    default: str = ""
    """The one of the page for readers without a wish; the site's where it does not matter and was not looked up."""

    @property
    def language(self) -> str:
        return self.wish or self.default


def choice_of(request: HttpRequest) -> Choice:
    """Return what `config.middleware.Language` has found out; nothing where it has not been reached."""
    choice: Choice = getattr(request, "language_choice", Choice(default=settings.LANGUAGE_CODE))
    return choice


def address_in(address: str, language: str) -> str:
    """Return an address that asks for a language, or for none if that is empty.

    >>> address_in("/clubs/?lang=de&page=2", "en")
    '/clubs/?page=2&lang=en'
    """
    parts = urlsplit(address)
    pairs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != PARAMETER]
    query = urlencode([*pairs, *([(PARAMETER, language)] if language else [])])
    return parts._replace(query=query).geturl()
