"""The import map of our ES modules.

Files have hashed names, but `import "./dice.js"` inside a module requests the plain name. The map translates it to the
hashed one, so that modules can be cached for ever. Without hashing (DEBUG, tests) no map is needed.
"""

import base64
import functools
import hashlib
import json

from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.templatetags.static import static

# Folders in static/ with our modules; other folders contain third-party scripts.
OUR_FOLDERS = ("config", "players", "matches", "tournaments")


@functools.cache
def import_map() -> str:
    """Return the map as JSON; empty if static files are not hashed."""
    storage = staticfiles_storage
    if not isinstance(storage, ManifestFilesMixin):
        return ""
    prefix = storage.base_url or ""
    imports = {
        prefix + name: static(name)
        for name in sorted(storage.hashed_files)
        if name.endswith(".js") and name.split("/", 1)[0] in OUR_FOLDERS
    }
    return json.dumps({"imports": imports}, separators=(",", ":")) if imports else ""


def import_map_source() -> str:
    """Return the map's hash for the content security policy; empty if there is no map."""
    text = import_map()
    if not text:
        return ""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
