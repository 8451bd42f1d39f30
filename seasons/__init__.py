"""Series of a club's events: plans, the events that count, tables, closing and archive.

On pages a series is called a season. The computation is in `formats.series`.
"""
