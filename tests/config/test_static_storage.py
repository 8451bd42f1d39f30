"""Modules and style sheets are served without comments and indentation, and are otherwise as they were written."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile

from config.static_files import StaticStorage, slimmed, sources
from tests.test_layout import APPS

ROOT = Path(__file__).resolve().parents[2]
MODULES = [path for app in APPS for path in sorted((ROOT / app / "static" / app).rglob("*.js"))]


def test_most_apps_have_modules() -> None:
    assert len({path.relative_to(ROOT).parts[0] for path in MODULES}) > 2


def test_comments_and_indentation_go_and_everything_else_stays() -> None:
    source = '// Head.\n\n/** Doc\n * more.\n */\nif (url === "https://x.test") // tail\n  // Inside.\n  run();\n'
    assert slimmed(source) == 'if (url === "https://x.test")\nrun();'


@pytest.mark.parametrize("code", ["""say("a // b");""", "say('// b');", "say(`${a} // b`);", 'a = "x"; // The "x".'])
def test_what_could_be_a_text_is_no_comment(code: str) -> None:
    assert slimmed(code) == code


def test_spaces_around_signs_go_except_in_texts() -> None:
    source = 'const { a, b } = c ? f(d) : "x = { y }";\nif (a < -b || !e) return [a + b];\nelse g({ ...h });\n'
    slim = 'const{a,b}=c?f(d):"x = { y }";if(a<-b||!e)return[a + b];else g({...h});'
    assert slimmed(source) == slim


@pytest.mark.parametrize("code", ["a = 'x = y';", "a = `${ b } = y`;", "a = b.match(/x = y/);", "a = b / c;"])
def test_a_line_with_anything_else_than_plain_texts_keeps_its_spaces(code: str) -> None:
    assert slimmed(code) == code


def test_a_break_stays_where_it_ends_a_comment_or_a_statement() -> None:
    source = 'f(\n  a,\n  b\n)\ng({\n  c: 1, // The "c";\n  d\n});\nh()\n'
    assert slimmed(source) == 'f(a,b\n)\ng({c: 1, // The "c";\nd\n});h()\n'


def test_what_stands_between_two_comments_stays() -> None:
    source = "/* A */ .a {\n  color: red; /* B */\n}\n"
    assert slimmed(source) == "/* A */ .a {color: red; /* B */\n}\n"
    assert slimmed(source, is_style=True) == "/* A */ .a{color:red;/* B */}"


def test_a_style_sheet_keeps_the_spaces_that_mean_something() -> None:
    source = "@media print, (width < 9px) {\n  .a :is(b, c) > d:hover {\n    width: calc(1px + var(--e));\n  }\n}\n"
    slim = "@media print,(width < 9px){.a :is(b,c) > d:hover{width:calc(1px + var(--e));}}"
    assert slimmed(source, is_style=True) == slim


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_of_ours_has_several_lines(path: Path) -> None:
    """Its indentation would be lost, and a line that begins like a comment."""
    code = slimmed(path.read_text(encoding="utf-8"))
    assert [line for line in code.splitlines() if line.count("`") % 2] == []


def test_only_our_files_are_changed(tmp_path: Path) -> None:
    storage = StaticStorage(location=tmp_path)
    source = b"/* License. */\n  run;\n"
    for name, expected in (("matches/a.js", b"run;"), ("config/a.css", b"run;"), ("vendor/a.js", source)):
        file = ContentFile(source)
        file.read()
        assert (tmp_path / storage.save(name, file)).read_bytes() == expected


def test_a_file_that_is_new_or_changed_is_collected_again(tmp_path: Path, settings: Any) -> None:
    settings.STATICFILES_DIRS = [tmp_path]
    seen = [sources()]
    for name, text in (("new.js", "a"), ("new.js", "bc"), ("other.css", "")):
        (tmp_path / name).write_text(text)
        seen.append(sources())
    assert len(set(seen)) == 4
    assert sources() == seen[-1]
