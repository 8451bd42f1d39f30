"""The answer with which a copy of a person's data is downloaded."""

from django.http import HttpRequest, StreamingHttpResponse

from core.downloads import long_download
from players.models import DataExport


def archive_download(request: HttpRequest, export: DataExport, content_type: str) -> StreamingHttpResponse:
    """Return the ZIP file of a finished copy, in parts. Refused: `too_many_downloads`, `too_many_attempts`."""
    name = f"barpoint-{export.player.public_id}-{export.requested_at:%Y-%m-%d}.zip"
    response = long_download(request, export.chunks(), name=name, content_type=content_type)
    response["Content-Length"] = str(export.size)
    return response
