"""What a GET request of a route may answer, by who asks."""

from typing import NamedTuple

SIGN_IN = 302
NOT_GET = 405


class Access(NamedTuple):
    """The status of a GET request by an anonymous visitor, by Dave (signed in, without any role) and by the staff."""

    anonymous: int
    dave: int
    staff: int


EVERYBODY = Access(200, 200, 200)
ONLY_POST = Access(NOT_GET, NOT_GET, NOT_GET)
WITH_ACCOUNT = Access(SIGN_IN, 200, 200)
# Forms that need an account: anonymous visitors are asked to sign in.
ONLY_POST_WITH_ACCOUNT = Access(SIGN_IN, NOT_GET, NOT_GET)
# Pages of a club that Dave and the staff are not in: being staff gives no role in a club.
ONLY_OFFICERS = Access(SIGN_IN, 403, 403)
