"""The import map of our ES modules.

With hashed file names `import "./dice.js"` inside a module would ask for the plain name; the map leads it to the
hashed one, so every module can be cached for ever. Without hashing (DEBUG, tests) there is nothing to map.
"""

import base64
import functools
import hashlib
import json

from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.templatetags.static import static

# Folders in static/ that hold our modules; other people's scripts keep to themselves.
ROOMS = ("config", "players", "matches", "tournaments")


@functools.cache
def import_map() -> str:
    """The map as JSON; empty where static files keep their names."""
    storage = staticfiles_storage
    if not isinstance(storage, ManifestFilesMixin):
        return ""
    prefix = storage.base_url or ""
    imports = {
        prefix + name: static(name)
        for name in sorted(storage.hashed_files)
        if name.endswith(".js") and name.split("/", 1)[0] in ROOMS
    }
    return json.dumps({"imports": imports}, separators=(",", ":")) if imports else ""


def import_map_source() -> str:
    """The hash under which the content security policy lets the map in; empty where there is no map."""
    text = import_map()
    if not text:
        return ""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
