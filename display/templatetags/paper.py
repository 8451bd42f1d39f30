"""Headings of printed sheets in two languages."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import override

register = template.Library()


class BothNode(template.Node):
    """What is written in the language of the page, and below it, smaller, in `second_language` if there is one."""

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> SafeString:
        first = self.nodelist.render(context).strip()
        second_language = context.get("second_language")
        if not second_language:
            return SafeString(first)
        with override(second_language):
            second = self.nodelist.render(context).strip()
        if second == first:
            return SafeString(first)
        return format_html(
            '{} <span class="second-language" lang="{}">{}</span>',
            SafeString(first), second_language, SafeString(second),
        )  # fmt: skip


@register.tag
def both(parser: template.base.Parser, _token: template.base.Token) -> BothNode:
    """Write what is up to `{% endboth %}` in both languages of a sheet."""
    nodelist = parser.parse(("endboth",))
    parser.delete_first_token()
    return BothNode(nodelist)
