"""The pictures that messengers and social networks show with a link to a page (Open Graph)."""
