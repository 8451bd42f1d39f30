"""Static files as they are served: with hashed names and compressed, ours without their comments and indentation."""

import re
from typing import Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.modules import OUR_FOLDERS

LINE_COMMENTS = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
BLOCK_COMMENTS = re.compile(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
INDENTATION = re.compile(r"^\s+", re.MULTILINE)


def slimmed(source: str) -> str:
    """Return a module or a style sheet without its comment lines, indentation and empty lines.

    They are a fifth of what a page downloads. Texts of several lines would be changed, so our modules have none.
    """
    return INDENTATION.sub("", LINE_COMMENTS.sub("", BLOCK_COMMENTS.sub("", source)))


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """The storage of `collectstatic`."""

    def _save(self, name: str, content: Any) -> str:
        if name.endswith((".js", ".css")) and name.split("/", 1)[0] in OUR_FOLDERS:
            # `chunks` begins at the start: a file that is hashed has been read already.
            content = ContentFile(slimmed(b"".join(content.chunks()).decode()).encode())
        saved: str = super()._save(name, content)
        return saved
