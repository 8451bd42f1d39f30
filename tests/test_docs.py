"""The documentation: each page says for whom it is, no link is broken, and every picture is shown."""

import re
from pathlib import Path

import pytest

from core.packages import PACKAGES

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")]
LINK = re.compile(r"\]\((?!\w+:|/)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page, as GitHub and GitLab make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    texts = (re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-") for text in texts}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_of_a_page_is_broken(page: Path) -> None:
    for path, anchor in LINK.findall(page.read_text()):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or target.suffix != ".md" or anchor in anchors(target), f"{path}#{anchor}"


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=lambda page: page.name)
def test_each_page_says_for_whom_it_is(page: Path) -> None:
    _title, reader, *_text = page.read_text().split("\n\n", 2)
    assert re.fullmatch(r"\*For [^*]+\.\*", reader)


def test_every_picture_is_shown_by_a_page() -> None:
    pictures = {path.resolve() for path in (ROOT / "docs" / "screenshots").glob("*.png")}
    shown = {(page.parent / path).resolve() for page in PAGES for path, _anchor in LINK.findall(page.read_text())}
    assert pictures - shown == set()


OF_DJANGO = {"migrations", "locale", "static", "management", "templatetags", "models", "__pycache__"}


def test_the_map_names_every_folder_of_an_app_and_only_what_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(rf"`((?:{'|'.join(PACKAGES)})/[\w./]*)`", page.partition("## Actions")[0]))
    assert len(named) > 60
    assert [path for path in named if not (ROOT / path).exists()] == []
    folders = {
        f"{folder.relative_to(ROOT)}/"
        for package in PACKAGES
        for folder in (ROOT / package).rglob("*")
        if folder.is_dir() and not OF_DJANGO & set(folder.relative_to(ROOT).parts)
    }
    inside = tuple(path for path in named if path.endswith("/") and path.count("/") > 1)
    unnamed = {folder for folder in folders if not folder.startswith(inside)}
    assert sorted(folder for folder in unnamed if not any(path.startswith(folder) for path in named)) == []
