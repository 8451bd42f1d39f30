"""Template tags every page may use."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from config import modules

register = template.Library()


@register.simple_tag
def import_map() -> SafeString | str:
    """The import map of our ES modules, once in the head and before any module script."""
    text = modules.import_map()
    if not text:
        return ""
    # Our own file names as JSON, and the policy's hash is of exactly this text.
    return format_html('<script type="importmap">{}</script>', mark_safe(text))  # noqa: S308
