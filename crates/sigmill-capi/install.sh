#!/bin/sh
# Builds and installs the C library on Linux: header, shared and static library, sigmill.pc. Needs
# only cargo. `cargo cinstall` does the same, also on other systems.
#
#     PREFIX=/usr/local  where to install      DESTDIR=  put before PREFIX
#     LIBDIR=lib         below PREFIX          BUILT=    folder of libraries that are already built
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${PREFIX:-/usr/local}
libdir=$prefix/${LIBDIR:-lib}
if [ "$(uname -s)" != Linux ]; then
    echo "install.sh is for Linux; elsewhere use cargo cinstall" >&2
    exit 1
fi
if [ -z "${BUILT:-}" ]; then
    (cd "$here" && cargo build --locked --release -p sigmill-capi)
    BUILT=${CARGO_TARGET_DIR:-$here/../../target}/release
fi
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' \
    "$here/../../Cargo.toml")
# The names that build.rs gives.
case $version in
    0.*) soname=libsigmill.so.${version%.*} ;;
    *) soname=libsigmill.so.${version%%.*} ;;
esac

lib=${DESTDIR:-}$libdir
include=${DESTDIR:-}$prefix/include
mkdir -p "$lib/pkgconfig" "$include"
install -m 644 "$here/include/sigmill.h" "$include/sigmill.h"
install -m 644 "$BUILT/libsigmill_capi.a" "$lib/libsigmill.a"
install -m 755 "$BUILT/libsigmill_capi.so" "$lib/libsigmill.so.$version"
ln -sf "libsigmill.so.$version" "$lib/$soname"
ln -sf "$soname" "$lib/libsigmill.so"
cat >"$lib/pkgconfig/sigmill.pc" <<EOF
prefix=$prefix
libdir=$libdir
includedir=\${prefix}/include

Name: sigmill
Description: ECDSA, ECDH and X25519, fast
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lsigmill
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
EOF
