"""How other devices in the network of a club reach this machine."""

import fcntl
import socket
import struct

SIOCGIFADDR = 0x8915
"""Linux' request for the IPv4 address of an interface."""
ADDRESS_AT = slice(20, 24)
"""Where its answer has the address."""
ELSEWHERE = ("192.0.2.1", 9)
"""An address of no machine (RFC 5737). Choosing a way to it sends nothing."""


def addresses() -> list[str]:
    """Return the IPv4 addresses of this machine except loopback, the one of the default route first."""
    names = [name for _, name in socket.if_nameindex()]
    known = [address for name in names if (address := _address_of(name)) and not address.startswith("127.")]
    return sorted(known, key=lambda address: address != _address_of_default_route())


def local_name() -> str:
    """Return the name that multicast DNS finds this machine by."""
    return f"{socket.gethostname().partition('.')[0].lower()}.local"


def _address_of(interface: str) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            answer = fcntl.ioctl(probe, SIOCGIFADDR, struct.pack("256s", interface.encode()))
        except OSError:
            return ""  # It has no address.
    return socket.inet_ntoa(answer[ADDRESS_AT])


def _address_of_default_route() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ELSEWHERE)
        except OSError:
            return ""  # There is no route.
        address: str = probe.getsockname()[0]
        return address
