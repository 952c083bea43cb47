"""Verifies the signature of RFC 6979, A.2.5, also with a changed message.

    python3 verify.py [LIBRARY]
"""

import ctypes
import sys

P256, P1363 = 1, 2
lib = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libsigmill.so")
lib.sigmill_error_name.restype = ctypes.c_char_p
size, number, data, handle = ctypes.c_size_t, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_void_p
lib.sigmill_verifying_key_from_sec1.argtypes = [number, data, size, ctypes.POINTER(handle)]
lib.sigmill_verify.argtypes = [handle, data, size, data, size, number]
lib.sigmill_verifying_key_free.argtypes = [handle]
lib.sigmill_verifying_key_free.restype = None

point = bytes.fromhex(
    "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
)
signature = bytes.fromhex(
    "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
)
key = handle()
error = lib.sigmill_verifying_key_from_sec1(P256, point, len(point), ctypes.byref(key))
assert error == 0, lib.sigmill_error_name(error)
for message in (b"sample", b"Sample"):
    error = lib.sigmill_verify(key, message, len(message), signature, len(signature), P1363)
    print(lib.sigmill_error_name(error).decode())
lib.sigmill_verifying_key_free(key)
