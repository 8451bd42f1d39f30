"""Series of events: what each event earns its players by a scoring plan, and the table of a season.

`facts` is what an event hands over, `plan` the scoring plan as data, `points` what one event earns, `table` the table
of the season. Numbers are fractions throughout, so that ties are exact. The plans are described in docs/series.md.
"""
