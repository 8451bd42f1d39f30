"""How dates and times are written in German: as short as in English (config/formats/en)."""

DATE_FORMAT = "j. M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "D j. M Y, H:i"
SHORT_DATE_FORMAT = "j. M"
SHORT_DATETIME_FORMAT = "j. M, H:i"
YEAR_MONTH_FORMAT = "M Y"
MONTH_DAY_FORMAT = "j. M"
WEEKDAY_FORMAT = "l, j. F"
DAY_FORMAT = "j. F"
FULL_DATE_FORMAT = "j. F Y"
FIRST_DAY_OF_WEEK = 1
