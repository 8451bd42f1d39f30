"""The help pages: what they list, what they name, and which pages lead to them."""

import re
from html import unescape

import pytest
from django.test import Client

from config.templatetags.barpoint import HELP_PICTURES
from core.packages import DJANGO_APPS, ROOT
from tests.test_layout import python_files

PAGES = ("/help/players/", "/help/directors/")
MAX_BYTES = 30 * 1024
"""Of a picture."""
ENTRY = re.compile(r'<section class="help-entry" id="([\w-]+)">\s*<h3>(.*?)</h3>', re.DOTALL)
LISTED = re.compile(r'<li><a href="#([\w-]+)">(.*?)</a></li>')
LINK = re.compile(r"{% url '(help-players|help-directors)' %}#([\w-]+)")

pytestmark = pytest.mark.django_db


def shown(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def sources() -> str:
    """What pages may show: all templates but those of the help, and all modules."""
    templates = (path for path in (ROOT / "templates").rglob("*.html") if not path.name.startswith("help"))
    return "\n".join(path.read_text(encoding="utf-8") for path in (*templates, *python_files(*DJANGO_APPS)))


@pytest.mark.parametrize("path", PAGES)
def test_a_help_page_lists_all_its_entries(client: Client, path: str) -> None:
    page = shown(client, path)
    entries = ENTRY.findall(page)
    assert len(entries) >= 15
    assert LISTED.findall(page) == entries


@pytest.mark.parametrize("path", PAGES)
def test_links_inside_a_help_page_lead_to_an_entry(client: Client, path: str) -> None:
    page = shown(client, path)
    assert set(re.findall(r'href="#([\w-]+)"', page)) - {"main"} <= {key for key, _ in ENTRY.findall(page)}


@pytest.mark.parametrize("path", PAGES)
def test_help_names_buttons_and_headings_as_the_pages_do(client: Client, path: str) -> None:
    labels = {unescape(label) for label in re.findall(r"<b>(.*?)</b>", shown(client, path))}
    assert len(labels) > 10
    known = sources()
    labels = {label.removesuffix("…") for label in labels}
    assert [label for label in sorted(labels) if f'"{label}' not in known and f"'{label}" not in known] == []


def test_links_to_help_lead_to_an_entry(client: Client) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "templates").rglob("*.html")]
    links = {link for text in texts for link in LINK.findall(text)}
    entries = {(f"help-{path.split('/')[2]}", key) for path in PAGES for key, _ in ENTRY.findall(shown(client, path))}
    assert len(links) >= 8
    assert links <= entries


@pytest.mark.parametrize("path", PAGES)
def test_every_picture_of_help_is_small_and_described(client: Client, path: str) -> None:
    pictures = re.findall(
        r'<img src="[^"]*/(\w[\w-]*)\.webp" width="\d+" height="\d+" alt="([^"]+)" loading="lazy"', shown(client, path)
    )
    assert len(pictures) >= 3
    for name, _ in pictures:
        assert (HELP_PICTURES / f"{name}.webp").stat().st_size < MAX_BYTES, name


def test_no_picture_of_help_is_left_over(client: Client) -> None:
    page = "".join(shown(client, path) for path in PAGES)
    assert {path.stem for path in HELP_PICTURES.iterdir()} == set(re.findall(r'/([\w-]+)\.webp"', page))


def test_the_footer_leads_to_help(client: Client) -> None:
    page = shown(client, "/")
    footer = page[page.index('<footer class="site-footer"') :]
    assert all(f'href="{path}"' in footer for path in PAGES)


@pytest.mark.parametrize("path", PAGES)
def test_help_needs_no_query(client: Client, path: str, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        client.get(path)
