"""Template tags for every page."""

from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from typing import Any

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template import Context
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, pgettext
from PIL import Image

from config import static_files
from config.middleware import INDEXED
from core import languages, times
from core.live.publishing import now_shown
from core.spreadsheets import HiddenPart, hidden_in

register = template.Library()

HELP_PICTURES = Path(__file__).parents[1] / "static/config/help"


@register.simple_tag
def import_map() -> SafeString | str:
    """Return the import map of our ES modules; it comes once, in the head, before any module script."""
    text = static_files.import_map()
    if not text:
        return ""
    # The JSON contains only our own file names, and the policy has the hash of exactly this text.
    return format_html('<script type="importmap">{}</script>', mark_safe(text))  # noqa: S308


@register.simple_tag
def service_worker() -> str:
    """The address of the service worker; empty if this site has none."""
    return reverse("service-worker") if settings.SERVICE_WORKER else ""


@register.simple_tag
def reader_time(at: datetime | None) -> SafeString | str:
    """An instant on the reader's clock."""
    return "" if at is None else times.reader_element(at)


@register.simple_tag
def shown_at() -> int:
    """The number of a touched topic that a page shows which is rendered now (see `core.live.publishing.touch`)."""
    return now_shown()


@register.simple_tag
def colon() -> str:
    """The colon between what two variables say; French sets it off with a space."""
    return pgettext("between two parts", ":")


@register.filter
def hidden_part(text: str) -> HiddenPart | None:
    """What is left out of the text of a list since it is hidden in its file."""
    return hidden_in(text)


@register.filter
def on_clock(at: datetime) -> str:
    """An instant on the reader's clock, as part of a sentence."""
    return times.reader_time(at)


@register.filter
def on_event_clock(at: datetime, zone: str) -> str:
    """An instant on the clocks of an event, as part of a sentence."""
    return times.event_time(at, zone)


@register.filter
def in_zone(at: datetime | None, zone: str) -> datetime | None:
    """An instant on the clocks of an event or a club, to be `written`; without a zone as it is."""
    return times.in_zone(at, zone) if at is not None and zone else at


@register.filter
def written(at: date | time | None, style: str = times.DATE) -> str:
    """A date, a time, or an instant in its zone; other instants are written on the reader's clock."""
    return "" if at is None else times.written(at, style)


@register.filter
def epoch(at: datetime) -> str:
    """The whole seconds since 1970 of an instant, for forms that say when their page was rendered."""
    return str(int(at.timestamp()))


@register.filter
def bdi(name: object) -> SafeString:
    """A name that keeps its own direction in a sentence, where `<bdi>` would be part of the translated text."""
    return format_html("<bdi>{}</bdi>", name)


@register.simple_tag
def current(request: HttpRequest, *sections: str) -> SafeString:
    """The `aria-current` of a link in the main navigation whose pages lie below `sections`."""
    if request.path == sections[0]:
        return mark_safe('aria-current="page"')
    return mark_safe('aria-current="true"' if request.path.startswith(sections) else "")  # noqa: S308


@register.simple_tag
def sign_up_url(request: HttpRequest) -> str:
    """The sign-up page; from the sign-in page, it leads back to the page that the reader came from."""
    url = reverse("sign-up")
    way_back = request.GET.get("next") if request.path == reverse("sign-in") else None
    return f"{url}?{urlencode({'next': way_back})}" if way_back else url


@register.simple_tag
def sign_in_url(request: HttpRequest) -> str:
    """The sign-in page, which leads back to this page unless this is the home, sign-in or sign-up page."""
    url = reverse("sign-in")
    if request.path in ("/", url, reverse("sign-up")):
        return url
    return f"{url}?{urlencode({'next': request.get_full_path()})}"


@register.simple_tag
def help_picture(name: str, alt: str) -> SafeString:
    """A picture of the help pages, which is loaded when it comes near the window (`tools.help_pictures` takes them)."""
    width, height = _size_of(name)
    return format_html(
        '<figure class="help-picture">'
        '<img src="{}" width="{}" height="{}" alt="{}" loading="lazy" decoding="async">'
        "</figure>",
        static(f"config/help/{name}.webp"),
        width,
        height,
        alt,
    )


@cache
def _size_of(name: str) -> tuple[int, int]:
    """Return width and height in pixels."""
    with Image.open(HELP_PICTURES / f"{name}.webp") as picture:
        return picture.size


@register.inclusion_tag("_partials/_language_links.html", takes_context=True)
def language_links(context: Context) -> dict[str, Any]:
    """Where search engines find a public page in each language; nothing if the site has only one."""
    request: HttpRequest | None = context.get("request")
    match = request.resolver_match if request else None
    if request is None or match is None or match.url_name not in INDEXED or not languages.offers_choice():
        return {}
    choice, plain = languages.choice_of(request), request.build_absolute_uri(request.path)
    asking = {code: languages.address_in(plain, code) for code, _name in settings.LANGUAGES}
    addresses = asking | {choice.default: plain}
    return {"canonical": addresses[choice.language], "addresses": addresses, "plain": plain}


@register.inclusion_tag("_partials/_languages.html", takes_context=True)
def language_switch(context: Context) -> dict[str, Any]:
    """The languages of the site to choose from, by the names that they call themselves; nothing if there is only one.

    Whoever is signed in sends a form, as their account changes. Public pages have no form for anybody else.
    """
    request: HttpRequest | None = context.get("request")
    if request is None or not languages.offers_choice():
        return {}
    page = languages.address_in(request.get_full_path(), "")
    keep = f"{reverse('set-language')}?{urlencode({'next': page})}"
    shown = [(code, name, f"{keep}&language={code}") for code, name in settings.LANGUAGES]
    user = context.get("user")
    return {"shown": shown, "page": page, "current": get_language(), "has_account": user and user.is_authenticated}
