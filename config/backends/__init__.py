"""Django's database backends, which in addition announce each commit that may change a public page."""
