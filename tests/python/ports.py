"""Ports for servers of Spark Connect: Spark has one port for all."""

from __future__ import annotations

import socket


def free_port() -> int:
    """Give a port that nothing listens at."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port: int = free.getsockname()[1]
        return port
