"""The API's JSON: what clients send and what they receive."""

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import IO, Any

from django.conf import settings
from rest_framework import exceptions, parsers, renderers
from rest_framework.utils.json import strict_constant

MAX_STRUCTURE = 256 * 1024
"""Characters of a JSON body outside its strings. Python takes some 25 bytes for each, and REST framework checks each
item of a list before its length; the longest list that a service takes needs a fifth."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
"""A string, or all that follows a quotation mark that is never closed, so that removing strings takes linear time."""
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half of a surrogate pair, which is possible in JSON but not in UTF-8."""


class TooLarge(exceptions.APIException):
    """The request body is larger than allowed."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request is too large."
    default_code = "too_large"


class JSONParser(parsers.JSONParser):
    """JSON in UTF-8 of limited length, nesting and number of values."""

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the data. Raises TooLarge, and ParseError for what is not JSON or is nested too deeply."""
        body = stream.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        if len(body) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise TooLarge
        try:
            return _parsed(body.decode("utf-8"))
        except ValueError as error:
            raise exceptions.ParseError(f"JSON parse error - {error}") from None
        except RecursionError:
            raise exceptions.ParseError("JSON parse error - nested too deeply") from None


def _parsed(text: str) -> Any:
    if len(text) > MAX_STRUCTURE and len(_STRING.sub("", text)) > MAX_STRUCTURE:
        raise TooLarge
    data = json.loads(text, parse_constant=strict_constant)
    if _HALF_CHARACTER.search(text):
        json.dumps(data, ensure_ascii=False).encode()
    return data


class JSONRenderer(renderers.JSONRenderer):
    """JSON, after which a response is freed as soon as it is sent.

    REST framework's response, renderer context and view refer to each other, which leaves all data of a response to
    the garbage collector, and so makes it run more often.
    """

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any | None = None) -> Any:
        """Return the JSON, and take the response out of its context and its view."""
        content = super().render(data, accepted_media_type, renderer_context)
        if renderer_context:
            renderer_context.pop("response", None)
            if view := renderer_context.get("view"):
                view.response = None
        return content
