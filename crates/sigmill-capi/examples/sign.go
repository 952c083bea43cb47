// Signs and verifies: go run sign.go
package main

// #cgo pkg-config: sigmill
// #include <sigmill.h>
import "C"

import (
	"fmt"
	"unsafe"
)

func name(err C.sigmill_error) string { return C.GoString(C.sigmill_error_name(C.int32_t(err))) }

func main() {
	var secret *C.sigmill_signing_key
	if err := C.sigmill_signing_key_generate(C.SIGMILL_CURVE_P256, &secret); err != C.SIGMILL_OK {
		panic(name(err))
	}
	defer C.sigmill_signing_key_free(secret)
	var key *C.sigmill_verifying_key
	if err := C.sigmill_signing_key_verifying_key(secret, &key); err != C.SIGMILL_OK {
		panic(name(err))
	}
	defer C.sigmill_verifying_key_free(key)

	message := []byte("hello")
	bytes := (*C.uint8_t)(unsafe.Pointer(&message[0]))
	var signature [C.SIGMILL_MAX_SIGNATURE_LEN]C.uint8_t
	length := C.size_t(len(signature))
	err := C.sigmill_sign(secret, bytes, 5, C.SIGMILL_FORMAT_DER, &signature[0], &length)
	fmt.Println(name(err))
	for _, prefix := range []C.size_t{5, 4} {
		err = C.sigmill_verify(key, bytes, prefix, &signature[0], length, C.SIGMILL_FORMAT_DER)
		fmt.Println(name(err))
	}
}
