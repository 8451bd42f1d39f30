"""JSON for the API."""

from typing import Any

from rest_framework import renderers


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
