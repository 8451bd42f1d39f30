"""Encrypting web pushes (RFC 8291, aes128gcm of RFC 8188), and signing them for the push service (VAPID, RFC 8292)."""

import base64
import json
import os
from typing import NamedTuple

from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()
RECORD_SIZE = 4096
LONGEST_PAYLOAD = 3993
"""In bytes; what push services have to accept (RFC 8030 §7.2), less the header, the padding and the tag."""
SALT_BYTES, KEY_BYTES, NONCE_BYTES, NUMBER_BYTES = 16, 16, 12, 32
LAST_RECORD = b"\x02"


class Recipient(NamedTuple):
    """The keys of a browser's subscription, as base64url."""

    p256dh: str
    auth: str


def encrypt(
    payload: bytes, to: Recipient, *, salt: bytes | None = None, key: ec.EllipticCurvePrivateKey | None = None
) -> bytes:
    """Return the body of a push. Salt and key are random unless given. Raises ValueError for malformed keys."""
    if len(payload) > LONGEST_PAYLOAD:
        raise ValueError("the payload is too long for a push")
    salt, own = salt or os.urandom(SALT_BYTES), key or ec.generate_private_key(CURVE)
    theirs = from_base64(to.p256dh)
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, theirs))
    ours = _encoded(own.public_key())
    keying = _expand(_mac(from_base64(to.auth), shared), b"WebPush: info\0" + theirs + ours, NUMBER_BYTES)
    pseudo_random = _mac(salt, keying)
    content_key = _expand(pseudo_random, b"Content-Encoding: aes128gcm\0", KEY_BYTES)
    nonce = _expand(pseudo_random, b"Content-Encoding: nonce\0", NONCE_BYTES)
    header = salt + RECORD_SIZE.to_bytes(4, "big") + bytes([len(ours)]) + ours
    return header + AESGCM(content_key).encrypt(nonce, payload + LAST_RECORD, None)


def authorization(private_key: str, *, audience: str, subject: str, expires: int) -> str:
    """Return the Authorization header of a push to a service; `expires` in seconds since the epoch."""
    key = private_key_of(private_key)
    claims = {"aud": audience, "exp": expires, "sub": subject}
    signed = ".".join(
        to_base64(json.dumps(part, separators=(",", ":")).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims)
    )
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    signature = r.to_bytes(NUMBER_BYTES, "big") + s.to_bytes(NUMBER_BYTES, "big")
    return f"vapid t={signed}.{to_base64(signature)}, k={public_key_of(private_key)}"


def private_key_of(text: str) -> ec.EllipticCurvePrivateKey:
    """Return the private key that is written as base64url."""
    return ec.derive_private_key(int.from_bytes(from_base64(text), "big"), CURVE)


def public_key_of(private_key: str) -> str:
    """Return the public key as base64url, as browsers expect it."""
    return to_base64(_encoded(private_key_of(private_key).public_key()))


def from_base64(text: str) -> bytes:
    """Decode base64url with or without padding. Raises ValueError."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_base64(data: bytes) -> str:
    """Encode as base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _encoded(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _mac(key: bytes, data: bytes) -> bytes:
    mac = hmac.HMAC(key, hashes.SHA256())
    mac.update(data)
    return mac.finalize()


def _expand(key: bytes, info: bytes, length: int) -> bytes:
    return HKDFExpand(hashes.SHA256(), length, info).derive(key)
