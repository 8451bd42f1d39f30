"""Messages of refusals of this package, and those that every app uses."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES = {
    # General
    "not_found": gettext_noop("This page does not exist, or you may not see it."),
    "may_not": gettext_noop("You do not have permission to do this."),
    "division_broken": gettext_noop(
        "{division}: This division cannot be shown. Tell those who run the site this number: {reference}"
    ),
    "stale": gettext_noop("This has changed in the meantime. Look again before you decide."),
    "stale_by_person": gettext_noop("{name} changed this in the meantime: {what}. Look again before you decide."),
    "stale_by_you": gettext_noop("You changed this in another tab: {what}. Look again before you decide."),
    "stale_by_site": gettext_noop("The site changed this in the meantime: {what}. Look again before you decide."),
    "stale_by_pairing": gettext_noop("Paired in the meantime: {what}. Look again before you decide."),
    # Files
    "file_too_heavy": gettext_noop("This file takes too much time or memory to read. Save it anew, or in parts."),
    "reading_busy": gettext_noop("Other files are being read. Please try again in a minute."),
    # Names and lists
    "name_missing": gettext_noop("A name is missing."),
    "name_too_long": gettext_noop(
        "Names can have up to {most} characters. The one that begins with “{start}” is longer."
    ),
    "list_empty": gettext_noop("There are no names in this list."),
    "list_unclear": gettext_noop(
        "Line {row} is not clear: {text}. Correct it, or name the columns in a first line: Last name, First name, Club."
    ),
    "encoding_unclear": gettext_noop(
        "The letters of this file can be read in several ways. Choose the one in which the names are right."
    ),
    "unclear_amount": gettext_noop("It is not clear which number “{text}” is."),
    "too_many_names": gettext_noop("Lists can have up to {most} names. This one has {count}."),
}

STATUS = {
    "not_found": HTTPStatus.NOT_FOUND,
    "not_yours": HTTPStatus.NOT_FOUND,
    "may_not": HTTPStatus.FORBIDDEN,
    "stale": HTTPStatus.CONFLICT,
    "reading_busy": HTTPStatus.SERVICE_UNAVAILABLE,
}
"""The HTTP status of codes that do not have 422."""
