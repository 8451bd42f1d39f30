"""A field derived from other fields."""

from typing import Any

from django.db import models

from core.names import LONGEST_NAME_KEY, fold


class FoldedField(models.CharField):
    """Other fields folded for comparison; stored, so that a search can use an index."""

    def __init__(self, *sources: str, **options: Any) -> None:
        self.sources = sources
        options |= {"max_length": LONGEST_NAME_KEY, "editable": False, "blank": True, "default": ""}
        options.setdefault("db_index", True)
        super().__init__(**options)

    def deconstruct(self) -> Any:
        """Return the sources as positional arguments and leave out the fixed options."""
        name, path, _, options = super().deconstruct()
        for fixed in ("max_length", "editable", "blank", "default"):
            options.pop(fixed, None)
        return name, path, list(self.sources), options

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        """Compute the value; Django calls this for each row, in bulk too."""
        value = fold(" ".join(getattr(model_instance, source) for source in self.sources))
        setattr(model_instance, self.attname, value)
        return value
