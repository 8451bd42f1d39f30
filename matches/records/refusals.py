"""Messages and HTTP statuses of refusals about records, together with those of matches."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

from matches.lifecycle import refusals

MESSAGES = {
    **refusals.MESSAGES,
    "file_missing": gettext_noop("Choose a file or paste a record."),
    "file_twice": gettext_noop("Send either a file or pasted text, not both."),
    "file_empty": gettext_noop("This record is empty."),
    "record_too_large": gettext_noop("A record can be up to {mebibytes} MiB; this one is larger."),
    "key_too_long": gettext_noop("An Idempotency-Key can have up to {most} characters."),
    "key_reused": gettext_noop("This Idempotency-Key was already used for a different request."),
    "too_many_uploads": gettext_noop("Too many records in a short time. Please try again in {minutes} min."),
    "too_many_downloads": gettext_noop(
        "Too many large files are being downloaded at the moment. Please try again when one has finished."
    ),
    "adjudication_gave_up": gettext_noop(
        "This record could not be checked: every attempt took too long or failed. "
        "The record is kept, but it has no verdict."
    ),
    "no_transcript": gettext_noop("No match could be read from this record, so there is nothing to show."),
}

STATUS = {
    **refusals.STATUS,
    "record_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too_many_uploads": HTTPStatus.TOO_MANY_REQUESTS,
    "too_many_downloads": HTTPStatus.TOO_MANY_REQUESTS,
    "no_transcript": HTTPStatus.NOT_FOUND,
}
"""HTTP status by code, if it is not 422."""
