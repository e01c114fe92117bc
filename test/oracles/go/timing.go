// "time algorithm=NAME sizes=N,N,... rounds=N milliseconds=N" times each hash at each size, rounds interleaved, and
// gives the rows of bench/results. The time is per hash and round.
package main

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/decred/dcrd/crypto/blake256"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
)

// minBatch is how long a batch of calls lasts at least before the clock is read again.
const minBatch = 50 * time.Microsecond

// sink keeps the compiler from dropping a digest that nobody reads.
var sink [64]byte

type rival struct {
	name, algorithm string
	length          int
	hash            func(input []byte)
}

var rivals = []rival{
	{"Go dcrd blake256", "blake224", 28, func(input []byte) { keep28(blake256.Sum224(input)) }},
	{"Go dcrd blake256", "blake256", 32, func(input []byte) { keep32(blake256.Sum256(input)) }},
	{"Go x/crypto", "blake2b", 64, func(input []byte) { sink = blake2b.Sum512(input) }},
	{"Go x/crypto", "blake2s", 32, func(input []byte) { keep32(blake2s.Sum256(input)) }},
}

func keep28(digest [28]byte) { copy(sink[:], digest[:]) }

func keep32(digest [32]byte) { copy(sink[:], digest[:]) }

type round struct {
	Best    float64 `json:"best"`
	Median  float64 `json:"median"`
	Samples int     `json:"samples"`
}

type row struct {
	Rival     string  `json:"rival"`
	Algorithm string  `json:"algorithm"`
	Size      int     `json:"size"`
	Digest    string  `json:"digest"`
	Batch     int     `json:"batch"`
	Rounds    []round `json:"rounds"`
}

// task is one rival at one size.
type task struct {
	rival rival
	input []byte
	row   row
}

func newTask(r rival, input []byte) *task {
	t := &task{rival: r, input: input}
	r.hash(input)
	t.row = row{r.name, r.algorithm, len(input), hex.EncodeToString(sink[:r.length]), 1, nil}
	for t.runBatch() < minBatch {
		t.row.Batch *= 2
	}
	return t
}

func (t *task) runBatch() time.Duration {
	start := time.Now()
	for range t.row.Batch {
		t.rival.hash(t.input)
	}
	return time.Since(start)
}

func (t *task) runRound(budget time.Duration) {
	start := time.Now()
	samples := []time.Duration{t.runBatch()}
	for time.Since(start) < budget {
		samples = append(samples, t.runBatch())
	}
	slices.Sort(samples)
	perCall := func(sample time.Duration) float64 { return float64(sample.Nanoseconds()) / float64(t.row.Batch) }
	t.row.Rounds = append(t.row.Rounds, round{perCall(samples[0]), perCall(samples[len(samples)/2]), len(samples)})
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	check(err)
	return value
}

func rows(r request) string {
	rows := []row{}
	for _, size := range strings.Split(r["sizes"], ",") {
		input := counting(number(size))
		tasks := []*task{}
		for _, rival := range rivals {
			if rival.algorithm == r["algorithm"] {
				tasks = append(tasks, newTask(rival, input))
			}
		}
		for range r.number("rounds") {
			for _, t := range tasks {
				t.runRound(time.Duration(r.number("milliseconds")) * time.Millisecond)
			}
		}
		for _, t := range tasks {
			rows = append(rows, t.row)
		}
	}
	text, err := json.Marshal(rows)
	check(err)
	return string(text)
}
