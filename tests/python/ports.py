"""Ports for servers of Spark Connect: Spark has one port for all."""

from __future__ import annotations

import random
import socket

# Outside the range of ephemeral ports: a port in that range may be
# another process's by the time a server has started.
FIRST, LAST = 15_000, 32_000


def free_port() -> int:
    """Give a port that nothing listens at, and that no system gives away."""
    while True:
        port = random.randint(FIRST, LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port
