package lambdatest

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// newHex returns n random bytes in hexadecimal.
func newHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}

// newUUID returns a random UUID, as AWS uses for request ids.
func newUUID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newTraceID returns the root of an X-Ray trace that begins at t.
func newTraceID(t time.Time) string {
	return fmt.Sprintf("Root=1-%08x-%s", t.Unix(), newHex(12))
}
