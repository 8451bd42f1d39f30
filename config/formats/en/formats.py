"""How dates and times are written in English: one way everywhere, with the day before the month."""

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "D j M Y, H:i"
SHORT_DATE_FORMAT = "j M"
SHORT_DATETIME_FORMAT = "j M, H:i"
YEAR_MONTH_FORMAT = "M Y"
MONTH_DAY_FORMAT = "j M"
FIRST_DAY_OF_WEEK = 1
