"""The description of the API as it is served: generated once in a process for each language and format."""

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from threading import Lock
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.utils.encoding import force_bytes
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from config.page_cache.answers import accepts_gzip

RENDERERS: dict[str, type[BaseRenderer]] = {"json": OpenApiJsonRenderer, "yaml": OpenApiYamlRenderer}
_lock = Lock()


@dataclass(frozen=True)
class Description:
    """The description in one language and format."""

    text: bytes
    compressed: bytes
    etag: str


def description(language: str, file_type: str) -> Description:
    """Return the description; whoever asks for it while it is generated waits for the same one."""
    with _lock:
        return _generated(language, file_type)


@cache
def _generated(language: str, file_type: str) -> Description:
    with translation.override(language):
        schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
        text = force_bytes(RENDERERS[file_type]().render(schema, renderer_context={}))
    return Description(text, gzip.compress(text, mtime=0), f'W/"{blake2b(text, digest_size=12).hexdigest()}"')


class ApiSchema(SpectacularAPIView):
    """The description of the API, the same for everybody; `?lang=` chooses a language, `Accept` JSON or YAML."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse | None:
        """Return it, or 304 to a client that has it already."""
        chosen = request.query_params.get("lang")
        language = chosen if chosen in dict(settings.LANGUAGES) else translation.get_language()
        shown = description(language or settings.LANGUAGE_CODE, request.accepted_renderer.format)
        is_compressed = accepts_gzip(request.headers.get("Accept-Encoding", "").encode())
        response = HttpResponse(
            shown.compressed if is_compressed else shown.text,
            content_type=f"{request.accepted_media_type}; charset=utf-8",
            headers={
                "Cache-Control": "public, no-cache",
                "Content-Disposition": f'inline; filename="Barpoint.{request.accepted_renderer.format}"',
                "ETag": shown.etag,
                "Vary": "Accept, Accept-Encoding, Accept-Language, Cookie",
            },
        )
        if is_compressed:
            response["Content-Encoding"] = "gzip"
        return get_conditional_response(request._request, etag=shown.etag, response=response)  # noqa: SLF001
