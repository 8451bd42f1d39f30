"""What a person may ask of the site: a copy of their data, and to be forgotten; and how long data is kept."""
