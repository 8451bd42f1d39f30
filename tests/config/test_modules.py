import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from config.static_files import import_map, import_map_source


@pytest.fixture
def hashed(tmp_path: Path, settings: Any) -> Iterator[None]:
    """Static files as on a server, including a page's module and what it imports at once and later."""
    source = tmp_path / "source" / "matches"
    (source / "parts").mkdir(parents=True)
    (source / "a_test_page.js").write_text('import {\n  run,\n} from "./parts/a_test_module.js";\n')
    (source / "parts" / "a_test_module.js").write_text('export const run = () => import("../later.js");\n')
    (source / "later.js").write_text("run();\n")
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
    import_map.cache_clear()
    call_command("collectstatic", "--noinput", verbosity=0)
    yield
    import_map.cache_clear()


@pytest.mark.slow
@pytest.mark.usefixtures("hashed")
def test_a_module_is_mapped_to_its_hashed_name_and_cached_for_ever(db: None) -> None:
    imports = json.loads(import_map())["imports"]
    for name in ("matches/parts/a_test_module", "matches/later", "config/stream"):
        assert re.fullmatch(rf"/static/{name}\.[0-9a-f]{{12}}\.js", imports[f"/static/{name}.js"])
    assert "/static/matches/a_test_page.js" not in imports
    assert [name for name in imports if name.startswith(("/static/admin/", "/static/vendor/"))] == []


@pytest.mark.slow
@pytest.mark.usefixtures("hashed")
def test_the_import_map_is_the_only_inline_script_and_in_the_policy(db: None) -> None:
    response = Client().get("/")
    inline = re.findall(r"<script(?![^>]*\bsrc=)([^>]*)>(.*?)</script>", response.content.decode(), re.DOTALL)
    assert inline == [(' type="importmap"', import_map())]
    assert f"'{import_map_source()}'" in response.headers["Content-Security-Policy"]


def test_without_hashed_names_there_is_no_map(client: Client, db: None) -> None:
    assert import_map() == import_map_source() == ""
    assert "importmap" not in client.get("/").content.decode()
