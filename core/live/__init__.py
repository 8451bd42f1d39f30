"""Server-sent events: whoever watches a topic learns that it has changed, and asks for what they missed.

An event is the topic and its number, nothing else, so nothing private is ever published. A stream sends the current
numbers first; a client that missed an event sees it by them.
"""
