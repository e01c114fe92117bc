// Replies to each line "operation name=value ..." with one: lower-case hex, or JSON. Byte strings are hex; an input is
// a message, or counting bytes.
package main

import (
	"bufio"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/decred/dcrd/crypto/blake256"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
)

type request map[string]string

func (r request) number(name string) uint64 {
	if r[name] == "" {
		return 0
	}
	value, err := strconv.ParseUint(r[name], 10, 64)
	check(err)
	return value
}

func (r request) bytes(name string) []byte {
	value, err := hex.DecodeString(r[name])
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// counting has i % 251 as byte i.
func counting(length int) []byte {
	bytes := make([]byte, length)
	for i := range bytes {
		bytes[i] = byte(i % 251)
	}
	return bytes
}

// piece is a whole number of periods of counting bytes.
var piece = counting(251 * 4096)

// feed writes the request's message, or counting bytes piece by piece.
func feed(r request, w io.Writer) {
	w.Write(r.bytes("message"))
	for left := r.number("input"); left > 0; {
		take := min(left, uint64(len(piece)))
		w.Write(piece[:take])
		left -= take
	}
}

func newBlake1(r request, bits int) hash.Hash {
	salt := r.bytes("salt")
	switch {
	case bits == 224 && len(salt) == 0:
		return blake256.New224()
	case bits == 224:
		return blake256.New224Salt(salt)
	case len(salt) == 0:
		return blake256.New()
	}
	return blake256.NewSalt(salt)
}

// A saved state has a 4-byte prefix, then the chain value, the salt and the counter.
const chainAt, saltAt, countAt = 4, 36, 52

func blake1(bits int) func(request) string {
	return func(r request) string {
		h := newBlake1(r, bits)
		if r["count"] != "" {
			editState(h, func(state []byte) { binary.BigEndian.PutUint64(state[countAt:], r.number("count")*8) })
		}
		feed(r, h)
		return hex.EncodeToString(h.Sum(nil))
	}
}

func editState(h hash.Hash, edit func(state []byte)) {
	state := savedState(h)
	edit(state)
	check(h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state))
}

func savedState(h hash.Hash) []byte {
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	check(err)
	return state
}

func blake1Chain(bits int) func(request) string {
	return func(r request) string {
		h := newBlake1(r, bits)
		feed(r, h)
		return hex.EncodeToString(savedState(h)[chainAt:saltAt])
	}
}

func newBlake2b(r request) hash.Hash {
	h, err := blake2b.New(blake2b.Size, r.bytes("key"))
	check(err)
	return h
}

func newBlake2s(r request) hash.Hash {
	h, err := blake2s.New256(r.bytes("key"))
	check(err)
	return h
}

// The states of both begin with a 3-byte name, then eight big-endian words and a counter of two.
const wordsAt = 3

func counted(create func(request) hash.Hash, word int) func(request) string {
	return func(r request) string {
		h := create(r)
		if r["count"] != "" {
			editState(h, func(state []byte) { putCount(state[wordsAt+8*word:], r.number("count"), word) })
		}
		feed(r, h)
		return hex.EncodeToString(h.Sum(nil))
	}
}

func putCount(counter []byte, count uint64, word int) {
	if word == 8 {
		binary.BigEndian.PutUint64(counter, count)
		return
	}
	binary.BigEndian.PutUint32(counter, uint32(count))
	binary.BigEndian.PutUint32(counter[4:], uint32(count>>32))
}

// chain gives the eight words in BLAKE2's own little-endian order.
func chain(create func(request) hash.Hash, word int) func(request) string {
	return func(r request) string {
		h := create(r)
		feed(r, h)
		words := savedState(h)[wordsAt : wordsAt+8*word]
		for i := 0; i < len(words); i += word {
			reverse(words[i : i+word])
		}
		return hex.EncodeToString(words)
	}
}

func reverse(b []byte) {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
}

// extended reads length bytes of a declared total, or of an unknown one where total is absent.
func extended(r request, xof io.ReadWriter, err error) string {
	check(err)
	feed(r, xof)
	output := make([]byte, r.number("length"))
	_, err = io.ReadFull(xof, output)
	check(err)
	return hex.EncodeToString(output)
}

func blake2xb(r request) string {
	xof, err := blake2b.NewXOF(uint32(r.number("total")), r.bytes("key"))
	return extended(r, xof, err)
}

func blake2xs(r request) string {
	xof, err := blake2s.NewXOF(uint16(r.number("total")), r.bytes("key"))
	return extended(r, xof, err)
}

var operations = map[string]func(request) string{
	"blake224":       blake1(224),
	"blake256":       blake1(256),
	"blake224-chain": blake1Chain(224),
	"blake256-chain": blake1Chain(256),
	"blake2b":        counted(newBlake2b, 8),
	"blake2s":        counted(newBlake2s, 4),
	"blake2b-chain":  chain(newBlake2b, 8),
	"blake2s-chain":  chain(newBlake2s, 4),
	"blake2xb":       blake2xb,
	"blake2xs":       blake2xs,
	"time":           rows,
}

func parse(line string) (string, request) {
	words := strings.Fields(line)
	fields := request{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		fields[name] = value
	}
	return words[0], fields
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		operation, fields := parse(lines.Text())
		fmt.Println(operations[operation](fields))
	}
}
