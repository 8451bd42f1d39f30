"""The page on which a match is played and watched."""
