"""The routes of the site as a whole, of records that anybody checks, and of the admin."""

from tests.access.answers import EVERYBODY, ONLY_POST, SIGN_IN, Access

ROUTES: dict[str, Access] = {
    "": EVERYBODY,
    # Whoever is signed in is sent on: tests/config/test_home.py.
    "start/": Access(SIGN_IN, 302, 302),
    "help/players/": EVERYBODY,
    "help/directors/": EVERYBODY,
    "theme/": ONLY_POST,
    # Django's view redirects GET requests.
    "language/": Access(302, 302, 302),
    "robots.txt": EVERYBODY,
    "healthz": EVERYBODY,
    # Without a topic there is nothing to watch; who may watch what: tests/core/live/test_stream.py.
    "live/": Access(400, 400, 400),
    "readyz": EVERYBODY,
    # Only with the token of the operator: tests/config/monitoring.
    "metrics": Access(404, 404, 404),
    "api/schema/": EVERYBODY,
    "api/docs/": EVERYBODY,
    "api/docs/reference/": EVERYBODY,
    # Records are visible to anybody with the link: tests/matches/records/test_pages.py.
    "check/": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/replay/$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/replay/picture\.png$": EVERYBODY,
    r"^check/(?P<public_id>[2-9a-z]{10})/record\.(?P<extension>mat|sgf|json)$": EVERYBODY,
    # tests/api/test_submissions.py
    "api/v1/submissions/": ONLY_POST,
    r"^api/v1/submissions/(?P<public_id>[2-9a-z]{10})/$": EVERYBODY,
    r"^api/v1/submissions/(?P<public_id>[2-9a-z]{10})/record\.(?P<extension>mat|sgf|json)$": EVERYBODY,
    # Django's own pages, which share one check.
    ".well-known/security.txt": EVERYBODY,
    # The staff is signed in already.
    "admin/login/": Access(SIGN_IN, 403, 403),
    "admin/": Access(SIGN_IN, SIGN_IN, 200),
}
