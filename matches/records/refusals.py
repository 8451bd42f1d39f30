"""The sentences of what this room refuses; the engine brings its own."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

from matches.lifecycle import refusals

MESSAGES = {
    **refusals.MESSAGES,
    "file_missing": gettext_noop("Choose a file or paste a record first."),
    "file_twice": gettext_noop("Send either a file or pasted text, not both."),
    "file_empty": gettext_noop("There is nothing in this record: it is empty."),
    "record_too_large": gettext_noop("A record may be up to {mebibytes} MiB long; this one is longer."),
    "key_too_long": gettext_noop("An Idempotency-Key may have up to {most} characters."),
    "key_reused": gettext_noop("This Idempotency-Key came with another record before."),
    "too_many_uploads": gettext_noop("That were many records in a short time. Try again in {minutes} minutes."),
    "too_many_downloads": gettext_noop(
        "Too many long files are being downloaded at the moment. Wait until one is done, then try again."
    ),
    "adjudication_gave_up": gettext_noop(
        "This record could not be checked: each attempt took longer than we allow or broke off. "
        "It is kept, and nothing was decided about it."
    ),
    "no_transcript": gettext_noop("Nothing in this record could be read as a match, so there is nothing to show here."),
}

STATUS = {
    **refusals.STATUS,
    "record_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too_many_uploads": HTTPStatus.TOO_MANY_REQUESTS,
    "too_many_downloads": HTTPStatus.TOO_MANY_REQUESTS,
    "no_transcript": HTTPStatus.NOT_FOUND,
}
"""The HTTP status of a code, where it is not 422."""
