"""Settings, read from the environment; safe for the open internet by default.

BARPOINT_PROFILE=local (set by `make run`, and by `manage.py` without a SECRET_KEY) is for one machine over plain HTTP:
it makes its own secret key in `var/` and sends cookies without TLS. With BARPOINT_PROFILE=server, maintenance commands
need a DATABASE_URL. Everything else is the same.
"""

import base64
import contextlib
import importlib.util
import os
import secrets
from email.utils import parseaddr
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config import database
from config.environment import cpu_share, days, flag, words
from config.logs import logging_config
from config.monitoring.errors import report_errors
from core.languages import NAMES, OFFERED
from core.packages import DJANGO_APPS, PACKAGES

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("BARPOINT_VAR", BASE_DIR / "var"))
LOCAL = os.environ.get("BARPOINT_PROFILE") == "local"
# BARPOINT_PROFILE=server: maintenance commands refuse the SQLite file that is used without a DATABASE_URL, which on a
# server is another database than the one that is meant.
IMPLICIT_DATABASE_REFUSED = os.environ.get("BARPOINT_PROFILE") == "server" and not os.environ.get("DATABASE_URL")

DEBUG = flag("DEBUG")
MIN_SECRET_KEY_LENGTH, MIN_CHARACTERS = 40, 10


def _secret_key() -> str:
    if key := os.environ.get("SECRET_KEY"):
        if not DEBUG and (len(key) < MIN_SECRET_KEY_LENGTH or len(set(key)) < MIN_CHARACTERS):
            raise ImproperlyConfigured(
                f"SECRET_KEY is too weak: use at least {MIN_SECRET_KEY_LENGTH} random characters. This makes one: "
                "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
            )
        return key
    if not LOCAL:
        raise ImproperlyConfigured("Set SECRET_KEY, or start with `make run`, which makes one for this machine.")
    return _kept("secret_key", secrets.token_urlsafe(50))


def _kept(name: str, new: str) -> str:
    """Return the secret in a file of `var/`, which is created with `new` on the first run."""
    path = VAR_DIR / name
    if path.exists():
        return path.read_text()
    path.parent.mkdir(parents=True, exist_ok=True)
    # Several processes may start at once. The key is written to a draft first, and the first process to link it wins.
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(new)
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()
    return path.read_text()


def _vapid_key() -> str:
    """Return the private key that identifies this site to push services, as base64url; empty for none."""
    if (key := os.environ.get("VAPID_PRIVATE_KEY")) or not LOCAL:
        return key or ""
    order_of_p256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    number = secrets.randbelow(order_of_p256 - 1) + 1
    return _kept("vapid_key", base64.urlsafe_b64encode(number.to_bytes(32, "big")).decode().rstrip("="))


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]" if LOCAL else "")
# The site's URL in e-mails; requests use their own.
_HERE = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}" if LOCAL else f"https://{next(iter(ALLOWED_HOSTS), '')}"
SITE_URL = os.environ.get("SITE_URL", _HERE).rstrip("/")
CSRF_TRUSTED_ORIGINS = words("CSRF_TRUSTED_ORIGINS")

SECURE_SSL_REDIRECT = flag("SSL_REDIRECT", not LOCAL)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 0 if LOCAL else 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = flag("HSTS_INCLUDE_SUBDOMAINS")
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = not LOCAL
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
# Scripts take the token from their page.
CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
SESSION_ENGINE = "players.accounts.sessions"
SESSION_COOKIE_AGE = 60 * 24 * 3600
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    # Its ordinals are in every language.
    "django.contrib.humanize",
    # Before staticfiles, so that a development server also leaves static files to WhiteNoise.
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_filters",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_otp",
    "django_otp.plugins.otp_totp",
    *DJANGO_APPS,
]

MIDDLEWARE = [
    "config.middleware.RequestId",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ContentSecurityPolicy",
    "config.middleware.RefuseNul",
    "config.middleware.RefuseOtherEncodings",
    "config.middleware.SecretUrls",
    "config.middleware.SearchEngines",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # After static files, which are too many to log.
    "config.middleware.RequestLog",
    "config.middleware.Metrics",
    "config.middleware.Compressed",
    "config.middleware.PrivateByDefault",
    "config.middleware.RateLimitHeaders",
    "matches.play.fast_path.FastPath",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.middleware.AppendSlash",
    "django.middleware.csrf.CsrfViewMiddleware",
    "players.accounts.sessions.AccountMiddleware",
    "config.middleware.Language",
    "config.middleware.Preferences",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "players.accounts.kept_input.KeepInput",
    "config.middleware.RefusalPages",
    # The last one, so that it sees every answer of a view.
    "config.middleware.ActOnce",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.page",
            ],
        },
    }
]

# ATOMIC_REQUESTS stays off: with SQLite's IMMEDIATE every page view would take the write lock.
DATABASES: dict[str, dict[str, Any]] = {
    "default": database.from_url(os.environ.get("DATABASE_URL") or f"sqlite:///{VAR_DIR / 'barpoint.sqlite3'}"),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Backups that a worker writes: none without a folder, which only the worker needs.
BACKUP_DIR = Path(folder) if (folder := os.environ.get("BACKUP_DIR")) else None
BACKUP_EVERY_HOURS = float(os.environ.get("BACKUP_EVERY_HOURS", "24"))
BACKUPS_KEPT = int(os.environ.get("BACKUPS_KEPT", "14"))

# Who may read /metrics: with a token whoever sends it, without one this machine only.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
# Seconds for which /readyz repeats its answer: anybody may ask, and the database should not write all the time.
HEALTH_LASTS = 1.0
if _sentry_dsn := os.environ.get("SENTRY_DSN"):
    report_errors(_sentry_dsn)

# Broker, cache and live events. Empty means none: only for commands (core.queue.require_broker).
REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
CACHES = {
    "default": {
        "BACKEND": f"config.cache.{'ForgivingRedisCache' if REDIS_URL else 'NoCache'}",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "barpoint",
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
}

# Public pages are kept for anonymous visitors (config.page_cache).
PAGE_CACHE = flag("PAGE_CACHE", default=True)
# Off, it is replaced by one that removes what browsers keep.
SERVICE_WORKER = flag("SERVICE_WORKER", default=True)

# How many days data is kept (docs/privacy.md); 0: forever.
EXPORTS_KEPT_DAYS = days("EXPORTS_KEPT_DAYS", 7)
LOG_KEPT_DAYS = days("LOG_KEPT_DAYS", 3 * 365)
RECORDS_KEPT_DAYS = days("RECORDS_KEPT_DAYS", 3 * 365)
CHECKED_RECORDS_KEPT_DAYS = days("CHECKED_RECORDS_KEPT_DAYS", 90)
CHAT_KEPT_DAYS = days("CHAT_KEPT_DAYS", 365)
NOTIFICATIONS_KEPT_DAYS = days("NOTIFICATIONS_KEPT_DAYS", 365)
# Seconds until unclaimed work is announced again, and until a worker with a claim is considered dead.
QUEUE_RESEND_AFTER = float(os.environ.get("QUEUE_RESEND_AFTER", "10"))
QUEUE_CLAIM_LASTS = float(os.environ.get("QUEUE_CLAIM_LASTS", "60"))
# Seconds for which a result that the staff enter can be undone before anything follows from it (docs/floor.md).
RESULT_UNDO_SECONDS = float(os.environ.get("RESULT_UNDO_SECONDS", "5"))
# Which program analyses matches: `auto` (gnubg if it runs here, else bgsage), its name, or `off`; the path of GNU
# Backgammon, empty to look for it; the folder of bgsage (`make analysis`); the CPU seconds that a club's analyses may
# take in 24 hours; the share of one core that an analysis uses, so that it slows nothing else much.
ANALYSIS_BACKEND = os.environ.get("ANALYSIS_BACKEND", "auto")
ANALYSIS_GNUBG = os.environ.get("ANALYSIS_GNUBG", "")
ANALYSIS_BGSAGE = os.environ.get("ANALYSIS_BGSAGE", str(BASE_DIR / "var/analysis"))
ANALYSIS_CPU_SECONDS = float(os.environ.get("ANALYSIS_CPU_SECONDS", "7200"))
ANALYSIS_CPU_SHARE = cpu_share("ANALYSIS_CPU_SHARE", 0.5)
# Web processes note in the database that they are alive, so that players lose no time in an outage.
WEB_PULSE = flag("WEB_PULSE", default=True)
# Web processes keep what they have loaded from the garbage collector, and collect less often.
GC_FREEZE = flag("GC_FREEZE", default=True)
# Seconds a player may be absent in their own turns before the opponent may claim: with the page closed, and in all.
ABSENCE_CLOSED = int(os.environ.get("ABSENCE_CLOSED", "30"))
ABSENCE_LOST = int(os.environ.get("ABSENCE_LOST", "90"))
# Seconds in which a player can take back a report of their own loss; 0 accepts it at once.
OWN_LOSS_PENDING = int(os.environ.get("OWN_LOSS_PENDING", "120"))
# Hours for which personal links outlast their event.
PERSONAL_LINK_HOURS = int(os.environ.get("PERSONAL_LINK_HOURS", "48"))
# Seconds in which notifications of one user are gathered for one e-mail; urgent ones are sent at once.
NOTIFICATION_EMAILS_AFTER = int(os.environ.get("NOTIFICATION_EMAILS_AFTER", "60"))
# Web push is off without a key; on several machines all need the same one. The subject is where the operator of a push
# service reaches the site's: an https URL or mailto.
VAPID_PRIVATE_KEY = _vapid_key() if importlib.util.find_spec("cryptography") else ""
VAPID_SUBJECT = os.environ.get("VAPID_SUBJECT", "")
# Records that one client or one account may send in.
UPLOAD_RATES = {
    "anon": os.environ.get("UPLOAD_RATE_ANON", "60/hour"),
    "user": os.environ.get("UPLOAD_RATE_USER", "600/hour"),
}

AUTH_USER_MODEL = "players.User"
AUTHENTICATION_BACKENDS = ["players.accounts.backend.AccountBackend"]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
CSRF_FAILURE_VIEW = "config.middleware.csrf_failure"
PASSWORD_RESET_TIMEOUT = 4 * 3600
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
# core.throttle limits attempts by network and account; a delay that grows for everybody would lock out the owner.
OTP_TOTP_THROTTLE_FACTOR = 0
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

# On one machine without a mail server, e-mails are written to files; never to the terminal, since links in them work
# like keys.
_TO_FILES = LOCAL and not os.environ.get("EMAIL_HOST")
_MAILER = "django.core.mail.backends.filebased.EmailBackend" if _TO_FILES else "core.mail.SmtpBackend"
EMAIL_FILE_PATH = VAR_DIR / "mail"
EMAIL_BACKEND = os.environ.get("EMAIL_BACKEND", _MAILER)
if "console" in EMAIL_BACKEND and not (LOCAL or DEBUG):
    raise ImproperlyConfigured("EMAIL_BACKEND would write links to choose a new password to the log of a server.")
EMAIL_HOST = os.environ.get("EMAIL_HOST", "localhost")
EMAIL_PORT = int(os.environ.get("EMAIL_PORT", "25"))
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = flag("EMAIL_USE_TLS")
EMAIL_USE_SSL = flag("EMAIL_USE_SSL")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "Barpoint <barpoint@localhost>")

# Where /.well-known/security.txt asks people to report weaknesses: a mailto or https URL.
SECURITY_CONTACT = os.environ.get("SECURITY_CONTACT") or f"mailto:{parseaddr(DEFAULT_FROM_EMAIL)[1]}"

LANGUAGE_CODE = os.environ.get("SITE_LANGUAGE", "en")
LANGUAGES = [(code, NAMES[code]) for code in OFFERED]
if LANGUAGE_CODE not in OFFERED:
    raise ImproperlyConfigured(f"SITE_LANGUAGE is {LANGUAGE_CODE}, which is none of {', '.join(OFFERED)}.")
# Our catalogues come before those of Django's apps, which translate some of the same messages in other words.
LOCALE_PATHS = [BASE_DIR / name / "locale" for name in PACKAGES]
if DEBUG and (VAR_DIR / "locale").exists():
    # The pseudo-translations and drafts of tools/pseudo_locale.py.
    LANGUAGES += [("en-xa", "Pseudo"), ("ar-xb", "Pseudo, right to left")]
    LANGUAGES += [(code, name) for code, name in NAMES.items() if code not in OFFERED]
    LOCALE_PATHS.append(VAR_DIR / "locale")
USE_I18N = True
USE_TZ = True
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
# The scripts with which anybody checks dice and draws. Their addresses, /static/tools/…, are in copies of older pages.
STATICFILES_DIRS = [("tools", BASE_DIR / "verify")]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "config.static_files.StaticStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = False
if DEBUG:
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    WHITENOISE_USE_FINDERS = True

# Uploads are small and are stored in the database, never in a file on this machine. The limit fits the largest record
# (matches.models.MAX_BYTES) as JSON, in which each line end takes two bytes.
DATA_UPLOAD_MAX_MEMORY_SIZE = 17 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = DATA_UPLOAD_MAX_MEMORY_SIZE
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "players.accounts.tokens.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["config.api_json.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "config.api_json.JSONParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_PAGINATION_CLASS": "core.pagination.CursorPages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_THROTTLE_CLASSES": [
        "core.throttle.AnonymousThrottle",
        "core.throttle.AccountThrottle",
    ],
    # The web server has put the client of a trusted proxy (FORWARDED_ALLOW_IPS) in the place of the proxy, for
    # `is_secure` as well, so no header is read here.
    "NUM_PROXIES": 0,
    "DEFAULT_THROTTLE_RATES": {"anon": "120/min", "guest": "2400/min", "user": "1200/min"},
    "DEFAULT_SCHEMA_CLASS": "core.repeats.OperationSchema",
    "EXCEPTION_HANDLER": "config.api_errors.handle",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Barpoint",
    "DESCRIPTION": "Everything a page can do. Errors are problem details (RFC 9457) with a stable `code`. "
    "`RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` say how many requests a window allows, how many "
    "are left, and in how many seconds the oldest no longer counts; after 429 wait for `Retry-After` seconds.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": STATIC_URL + "config/favicon.svg",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.api_schema.plain_numbers",
        "config.api_schema.defaults_of_choices",
        "config.api_schema.json_bodies",
        "config.api_schema.seen_versions",
        "config.api_schema.repeats",
        "config.api_schema.responses",
        "config.api_schema.lines",
        "config.api_schema.event_stream",
    ],
    "ENUM_NAME_OVERRIDES": {
        "TitleKind": "tournaments.models.Title.Kind",
        "RequestedByeKind": "tournaments.models.ByeRequest.Kind",
        "DecisionKindEnum": "matches.models.Decision.Kind",
        "ResultKind": "matches.models.Result.Kind",
        "NewResultKind": "matches.lifecycle.finish.ENDINGS",
        "CorrectionChoice": "tournaments.models.Correction.Choice",
        "RemarkKind": "formats.forecast.forecasts.RemarkKind",
        "StageFormat": "tournaments.models.Stage.Format",
        "WithdrawalScopeEnum": "tournaments.entries.api.SCOPES",
        "RoleEnum": "players.models.Membership.Role",
        "ClosingRule": "tournaments.models.Tournament.ClosingRule",
        "ClosingAction": "tournaments.floor.closing_time.CLOSING_RULES",
        "ClaimState": "matches.models.Claim.State",
        "DrawState": "tournaments.models.Draw.State",
        "HelperState": "tournaments.events.helpers.STATES",
        "MatchState": "matches.models.Match.State",
        "ProposalState": "matches.models.Proposal.State",
        "SubmissionState": "matches.models.Submission.State",
        "ResultSource": "matches.models.Result.Source",
        "SlotSource": "tournaments.models.Slot.Source",
        "DivisionStatus": "tournaments.models.Division.Status",
        "EntryStatus": "tournaments.models.Entry.Status",
        "EventStatus": "tournaments.models.Tournament.Status",
        "ThemeEnum": "players.models.User.Theme",
        "BoardTheme": "matches.models.PlayPreferences.Theme",
        "TokenScope": "players.models.ApiToken.Scope",
        "AnimationSpeed": "matches.models.PlayPreferences.Speed",
        "Autoroll": "matches.models.PlayPreferences.Autoroll",
        "CheckerColour": "matches.models.PlayPreferences.Checkers",
        "DataExportState": "players.models.DataExport.State",
        "FixtureStatus": "tournaments.models.Fixture.Status",
        "SlotStatus": "tournaments.models.Slot.Status",
    },
}

# For `DEBUG=1 make run` after `make install-dev`; shown only to this machine.
DEBUG_TOOLBAR = DEBUG and importlib.util.find_spec("debug_toolbar") is not None
if DEBUG_TOOLBAR:
    INTERNAL_IPS = ["127.0.0.1", "::1"]
    INSTALLED_APPS.append("debug_toolbar")
    # As early as it can write into pages, which are compressed after it.
    MIDDLEWARE.insert(
        MIDDLEWARE.index("config.middleware.Compressed") + 1, "debug_toolbar.middleware.DebugToolbarMiddleware"
    )

# Whether an error in one division ends the whole page, as tests want it, instead of leaving that division out.
RAISE_FAULTS = False

# Whether the request log has the IP address of the client.
LOG_CLIENT_ADDRESS = flag("LOG_CLIENT_ADDRESS")
LOGGING = logging_config(json=not LOCAL, level=os.environ.get("LOG_LEVEL", "WARNING" if LOCAL else "INFO"))
