"""The column of a name."""

from typing import TYPE_CHECKING, Any

from django.db import models

from core.names import visible
from engine.errors import Refused

if TYPE_CHECKING:
    TextColumn = models.CharField[str, str]
else:
    TextColumn = models.CharField


class NameField(TextColumn):
    """A name without what is not seen in it, whoever writes it and whatever it is compared with."""

    def deconstruct(self) -> Any:
        """Describe a plain column: migrations need no other."""
        name, _path, positional, options = super().deconstruct()
        return name, "django.db.models.CharField", positional, options

    def to_python(self, value: Any) -> Any:
        """Return the name as it is stored; Django asks for this before a name is checked, compared or written."""
        value = super().to_python(value)
        return visible(value) if isinstance(value, str) else value

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """Return the name, and let the row have it. Refused: `name_missing` if nothing of it is seen."""
        typed = super().pre_save(model_instance, add)
        name = self.to_python(typed)
        if typed and not name and not self.blank:
            raise Refused("name_missing")
        setattr(model_instance, self.attname, name)
        return name
