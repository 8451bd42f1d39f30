"""Modules are served without their comments, and are otherwise as they were written."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from config.static_storage import StaticStorage, without_comments

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(ROOT.glob("*/static/*/**/*.js"))


def test_comments_go_and_everything_else_stays() -> None:
    source = '// Head.\n\n/** Doc\n * more.\n */\nconst url = "https://x.test"; // tail\n  // Inside.\nconst a = 1;\n'
    assert without_comments(source) == '\nconst url = "https://x.test"; // tail\nconst a = 1;\n'


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_of_ours_looks_like_a_comment(path: Path) -> None:
    """A line in a text of several lines would be lost if it began like a comment."""
    is_inside = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if is_inside:
            assert not line.lstrip().startswith(("//", "/*"))
        if not line.lstrip().startswith(("//", "/*", "*")):
            is_inside ^= line.count("`") % 2 == 1


def test_only_our_modules_are_changed(tmp_path: Path) -> None:
    storage = StaticStorage(location=tmp_path)
    for folder, expected in (("matches", b"run();\n"), ("vendor", b"// License.\nrun();\n")):
        file = ContentFile(b"// License.\nrun();\n")
        file.read()
        name = storage.save(f"{folder}/module.js", file)
        assert (tmp_path / name).read_bytes() == expected
