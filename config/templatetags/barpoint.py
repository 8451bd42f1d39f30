"""Template tags for every page."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from config import modules

register = template.Library()


@register.simple_tag
def import_map() -> SafeString | str:
    """Return the import map of our ES modules; it comes once, in the head, before any module script."""
    text = modules.import_map()
    if not text:
        return ""
    # The JSON contains only our own file names, and the policy has the hash of exactly this text.
    return format_html('<script type="importmap">{}</script>', mark_safe(text))  # noqa: S308
