"""Static files as they are served, and the import map of our ES modules."""

import base64
import functools
import hashlib
import json
import posixpath
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.core.files.base import ContentFile
from django.templatetags.static import static
from whitenoise.storage import CompressedManifestStaticFilesStorage

from core.packages import PACKAGES

# The import map of our ES modules.
#
# Files have hashed names, but `import "./dice.js"` inside a module requests the plain name. The map translates it to
# the hashed one, so that modules can be cached for ever. Without hashing (DEBUG, tests) no map is needed. Our modules
# are in folders of static/ with the names of our packages; other folders contain third-party scripts.

IMPORTS = re.compile(r"""\b(?:from|import)[ (]*"(\.[^"]+\.js)\"""")


@functools.cache
def import_map() -> str:
    """Return the map of the modules that others import as JSON; empty if static files are not hashed."""
    storage = staticfiles_storage
    if not isinstance(storage, ManifestFilesMixin):
        return ""
    prefix = storage.base_url or ""
    ours = [name for name in storage.hashed_files if name.endswith(".js") and name.split("/", 1)[0] in PACKAGES]
    imported = {target for name in ours for target in _imports_of(storage, name)}
    imports = {prefix + name: static(name) for name in sorted(imported)}
    return json.dumps({"imports": imports}, separators=(",", ":")) if imports else ""


def _imports_of(storage: Any, name: str) -> list[str]:
    """The names of the modules that a module imports, at once or later."""
    with storage.open(storage.hashed_files[name]) as file:
        paths = IMPORTS.findall(file.read().decode())
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in paths]


def import_map_source() -> str:
    """Return the map's hash for the content security policy; empty if there is no map."""
    text = import_map()
    if not text:
        return ""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# Static files as they are served: with hashed names and compressed, ours without their comments and indentation.


LINE_COMMENTS = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
BLOCK_COMMENTS = re.compile(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
TAIL_COMMENTS = re.compile(r"[ \t]+//[ \t][^\"'`\n]*$", re.MULTILINE)
STYLE_SPACE = re.compile(r"(?<=[{};,:])\s+|\s+(?=[{}])")
INDENTATION = re.compile(r"^\s+", re.MULTILINE)
PLAIN_LINES = re.compile(r"^[^`'/\n]+$", re.MULTILINE)
NEEDLESS_BREAKS = re.compile(r"^((?:(?!//).)*[;{,(\[])\n", re.MULTILINE)
TEXT_OR_SPACED_SIGN = re.compile(r'("(?:\\.|[^"\\])*")| ?([={}();:?<>,&|\[\]]) ?')


def slimmed(source: str, *, is_style: bool = False) -> str:
    """Return a module or a style sheet without comments, indentation, needless breaks, and spaces around signs.

    They are a third of what a page downloads. Texts of several lines would be changed, so our modules have none; a
    comment behind code that contains a quotation mark stays, since it could be the end of a text. A line of a module
    keeps its spaces if a text in single quotes, a template or a regular expression may stand in it.
    """
    if is_style:
        return STYLE_SPACE.sub("", INDENTATION.sub("", BLOCK_COMMENTS.sub("", source)))
    code = INDENTATION.sub("", TAIL_COMMENTS.sub("", LINE_COMMENTS.sub("", BLOCK_COMMENTS.sub("", source))))
    code = PLAIN_LINES.sub(lambda line: TEXT_OR_SPACED_SIGN.sub(_without_spaces, line[0]), code)
    # After these signs a break means nothing, unless a comment ends with it.
    return NEEDLESS_BREAKS.sub(r"\1", code)


def _without_spaces(match: re.Match[str]) -> str:
    """Return the replacement of a match: strings as they are, operators without the spaces around them."""
    return match[1] or match[2]


def sources() -> str:
    """Return a hash of the names, sizes and times of all static files, and of what `collectstatic` does to them."""
    changes = (Path(__file__).read_text(), version("django"), version("whitenoise"))
    digest = hashlib.sha256("\n".join(changes).encode())
    for finder in get_finders():
        for name, storage in sorted(finder.list([]), key=lambda pair: pair[0]):
            state = Path(storage.path(name)).stat()
            digest.update(f"\n{name} {state.st_size} {state.st_mtime_ns}".encode())
    return digest.hexdigest()


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    def _save(self, name: str, content: Any) -> str:
        if name.endswith((".js", ".css")) and name.split("/", 1)[0] in PACKAGES:
            # `chunks` begins at the start: a file that is hashed has been read already.
            source = b"".join(content.chunks()).decode()
            content = ContentFile(slimmed(source, is_style=name.endswith(".css")).encode())
        saved: str = super()._save(name, content)
        return saved
