"""The formats of the pseudo-translation: a decimal separator that no program reads as one."""

DECIMAL_SEPARATOR = "٫"
