"""A TLS server, or a client, that both show a certificate: four connections, of TLS 1.2 and 1.3 in
turn. The server writes its port into a file."""

import os
import socket
import ssl
import sys
import time


def context(protocol, version):
    context = ssl.SSLContext(protocol)
    context.load_cert_chain("tls.pem", "tls.key")
    context.load_verify_locations("tls.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    context.minimum_version = context.maximum_version = version
    return context


VERSIONS = 2 * [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]

if sys.argv[1] == "server":
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        with open("port.new", "w") as file:
            file.write(str(server.getsockname()[1]))
        os.rename("port.new", "port")
        for version in VERSIONS:
            connection, _ = server.accept()
            connection.settimeout(60)
            with context(ssl.PROTOCOL_TLS_SERVER, version).wrap_socket(
                connection, server_side=True
            ) as tls:
                assert tls.getpeercert()["subject"]
                tls.sendall(tls.recv(5))
                tls.recv(1)
else:
    for _ in range(600):
        if os.path.exists("port"):
            break
        time.sleep(0.1)
    with open("port") as file:
        port = int(file.read())
    os.remove("port")
    for version in VERSIONS:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            with context(ssl.PROTOCOL_TLS_CLIENT, version).wrap_socket(
                connection, server_hostname="localhost"
            ) as tls:
                tls.sendall(b"hello")
                assert tls.recv(5) == b"hello"
                assert tls.getpeercert()["subject"]
                print("mutual", tls.version())
