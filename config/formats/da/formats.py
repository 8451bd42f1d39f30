"""How dates and times are written in Danish: as short as in English (config/formats/en)."""

DATE_FORMAT = "j. b Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "D j. b Y, H:i"
SHORT_DATE_FORMAT = "j. b"
SHORT_DATETIME_FORMAT = "j. b, H:i"
YEAR_MONTH_FORMAT = "b Y"
MONTH_DAY_FORMAT = "j. b"
WEEKDAY_FORMAT = "l j. F"
DAY_FORMAT = "j. F"
FULL_DATE_FORMAT = "j. F Y"
FIRST_DAY_OF_WEEK = 1
