"""The real settings, with a database file and a broker for each process."""

import os
import re
import secrets
import tempfile
from pathlib import Path

# What the shell has set for a site is not for the tests, but for the database of a run and what one test sets.
_SOURCE = (Path(__file__).parents[1] / "config/settings.py").read_text(encoding="utf-8")
_READ = re.findall(r"""(?:environ(?:\.get\(|\[)|\b(?:flag|words|days|cpu_share)\()["']([A-Z_]+)["']""", _SOURCE)
for _name in {*_READ} - {"DATABASE_URL", "SENTRY_DSN"}:
    os.environ.pop(_name, None)

os.environ["BARPOINT_PROFILE"] = "local"
os.environ["DEBUG"] = "0"
os.environ["SECRET_KEY"] = "only-for-tests-" + "x" * 40

# Short, since the path of a Unix socket is limited to about 100 bytes.
RUN_DIR = Path(tempfile.gettempdir()) / f"barpoint-test-{os.getpid()}-{secrets.token_hex(3)}"
os.environ["REDIS_URL"] = f"unix://{RUN_DIR}/valkey.sock"
# Nothing that a site in this checkout has written or installed is used.
os.environ["BARPOINT_VAR"] = str(RUN_DIR)
os.environ["ANALYSIS_BGSAGE"] = str(RUN_DIR / "analysis")

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, REST_FRAMEWORK, STORAGES  # noqa: E402

# Not in memory, where several threads would find the table locked; each xdist worker is a process with its own file.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(RUN_DIR / "test.sqlite3")}

# The real hasher is slow on purpose.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = {"anon": None, "guest": None, "user": None}
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1", "hall.test"]
# A test sees the error itself; those of the boundary around a division set their own.
RAISE_FAULTS = True
# A thread that writes between two tests would disturb both.
WEB_PULSE = False
# Tests of the garbage collector's objects run in the same process.
GC_FREEZE = False
# A connection kept by a server thread would block dropping the test database.
DATABASES["default"]["CONN_MAX_AGE"] = 0
# Without it, the test client could read metrics, since it is on this machine.
METRICS_TOKEN = "only-for-tests"
# What follows from a result follows at once; tests of the time to undo it set their own.
RESULT_UNDO_SECONDS = 0.0
# Each test sees the state that it made.
HEALTH_LASTS = 0.0
# Most tests play their matches on a fixed day, which moves into the past.
PERSONAL_LINK_HOURS = 24 * 365 * 100
