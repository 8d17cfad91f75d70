"""The libraries httpx and httpx2, and the connections that the SDKs make with them."""

from __future__ import annotations

import inspect
import socket
import sys
from typing import Any, List, Tuple

LIBRARIES = ("httpx", "httpx2")


def library_of(value: object) -> Any:
    """The library of a request or response: httpx or httpx2."""
    for kind in type(value).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in LIBRARIES:
            return sys.modules[name]
    raise TypeError("not a request of httpx or httpx2")


def is_response(value: object) -> bool:
    """Whether a value is a response of httpx or httpx2."""
    kinds = [kind for kind in type(value).__mro__ if kind.__name__ == "Response"]
    return any(kind.__module__.partition(".")[0] in LIBRARIES for kind in kinds)


# Members of `socket`, which not every system has, and their values: a connection that is silent for a minute is probed.
_KEEP_ALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 60), ("TCP_KEEPCNT", 5))


def _socket_options() -> List[Tuple[int, int, int]]:
    names = [(getattr(socket, name), value) for name, value in _KEEP_ALIVE if hasattr(socket, name)]
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *((socket.IPPROTO_TCP, name, value) for name, value in names)]


def transport_like_that_of_sdks(library: Any, name: str) -> Any:
    """A transport of this class of httpx or httpx2, with the limits and probes of the SDKs.

    A client's own limits do not reach a transport, which would allow a tenth of the calls.
    """
    made = getattr(library, name)
    options = {"limits": library.Limits(max_connections=1000, max_keepalive_connections=100)}
    if "socket_options" in inspect.signature(made).parameters:
        return made(**options, socket_options=_socket_options())
    return made(**options)
