"""The installation's owner: a link that works once, to look around the demo or to start a club of their own."""
