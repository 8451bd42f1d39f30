"""What the pages and the API of this room read: a bounded number of queries, however large the event."""
