"""Ports for servers of Spark Connect, because Spark's default is one port for all servers."""

from __future__ import annotations

import random
import socket

# Outside of the range of ephemeral ports: another process may use a port
# in that range before a server has started.
FIRST, LAST = 15_000, 32_000


def free_port() -> int:
    """Return a free port outside of the range of ephemeral ports."""
    while True:
        port = random.randint(FIRST, LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port
