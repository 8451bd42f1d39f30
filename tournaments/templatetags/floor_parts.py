"""The tag `{% part %}`: an element of the floor that is sent alone if only it has changed."""

from django import template
from django.template import Context, Node, NodeList
from django.template.base import FilterExpression, Parser, Token
from django.utils.safestring import SafeString

from tournaments.pages.floor.parts import Parts

register = template.Library()


@register.tag
def part(parser: Parser, token: Token) -> "PartNode":
    """Render an element with this id: `{% part "floor-counts" %}<b id="floor-counts">…</b>{% endpart %}`.

    With a value as a second argument, from which alone the element is made, it is rendered only if that has changed:
    `{% part card.html_id card %}`.
    """
    _tag, name, *value = token.split_contents()
    content = parser.parse(("endpart",))
    parser.delete_first_token()
    return PartNode(parser.compile_filter(name), [parser.compile_filter(text) for text in value], content)


class PartNode(Node):
    """A part with its content."""

    def __init__(self, name: FilterExpression, value: list[FilterExpression], nodelist: NodeList) -> None:
        self.name, self.value, self.nodelist = name, value, nodelist

    def render(self, context: Context) -> SafeString:
        """Return the markup of the part, and add it to `parts` of the context."""
        parts: Parts = context["parts"]
        name = self.name.resolve(context)
        if self.value:
            return parts.add_made_from(self.value[0].resolve(context), name, lambda: self.nodelist.render(context))
        return parts.add(name, self.nodelist.render(context), token=str(context.get("csrf_token", "")))
