package baseline

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"math/rand/v2"

	"hyperstudy-endpoint/internal/openai"
)

// seedMembers are the parts of a request that its answer depends on. The model
// is not among them, since its name changes on the way, nor is max_tokens, so
// that a larger limit uncovers the rest of the same answer.
var seedMembers = []string{"seed", "messages", "tools", "tool_choice", "response_format"}

// A source is a stream of random numbers.
type source struct{ chacha *rand.ChaCha8 }

// newSource returns the stream that belongs to a request: always the same one
// if the request has a seed, otherwise one that nobody has seen before.
func newSource(req *openai.ChatCompletionRequest) *source {
	var key [sha256.Size]byte
	if req.Seed == "" {
		_, _ = cryptorand.Read(key[:]) // never fails: see its documentation
		return &source{rand.NewChaCha8(key)}
	}
	h := sha256.New()
	for _, name := range seedMembers {
		value := req.Body.Get(name)
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(value)))) // keeps neighbours apart
		h.Write(value)
	}
	h.Sum(key[:0])
	return &source{rand.NewChaCha8(key)}
}

// below returns a number from 0 to n-1, each equally likely. n is at least 1.
func (s *source) below(n int) int {
	return int(s.bigBelow(big.NewInt(int64(n))).Int64())
}

// bigBelow is below for numbers of any size. It throws numbers of n's length
// away until one is less than n, which takes two on average at most.
func (s *source) bigBelow(n *big.Int) *big.Int {
	highest := new(big.Int).Sub(n, big.NewInt(1))
	length := highest.BitLen()
	buf := make([]byte, (length+7)/8)
	for v := new(big.Int); ; {
		_, _ = s.chacha.Read(buf) // never fails: see its documentation
		if excess := len(buf)*8 - length; excess > 0 {
			buf[0] &= 0xff >> excess
		}
		if v.SetBytes(buf).Cmp(highest) <= 0 {
			return v
		}
	}
}

// between returns a number from low to high, both included.
func (s *source) between(low, high int) int { return low + s.below(high-low+1) }

// byte returns any byte.
func (s *source) byte() byte {
	var b [1]byte
	_, _ = s.chacha.Read(b[:])
	return b[0]
}

// coin is true half the time.
func (s *source) coin() bool { return s.below(2) == 0 }

// fraction returns a number in [0, 1).
func (s *source) fraction() float64 { return float64(s.chacha.Uint64()>>11) / (1 << 53) }

// permutation returns the numbers from 0 to n-1 in an order of which each is
// equally likely.
func (s *source) permutation(n int) []int {
	order := make([]int, n)
	for i := range order {
		j := s.below(i + 1)
		order[i] = order[j]
		order[j] = i
	}
	return order
}

// hex returns random hexadecimal digits, two for each byte.
func (s *source) hex(bytes int) string {
	buf := make([]byte, bytes)
	_, _ = s.chacha.Read(buf)
	return hex.EncodeToString(buf)
}

// pick returns one of the options, each equally likely.
func pick[T any](s *source, options ...T) T { return options[s.below(len(options))] }
