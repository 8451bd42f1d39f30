"""The API of this room: what its pages do, for programs."""
