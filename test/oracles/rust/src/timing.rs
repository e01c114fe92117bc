//! `time algorithm=NAME sizes=N,N,... rounds=N milliseconds=N` times each hash at each size, rounds interleaved, and
//! gives the rows of bench/results as JSON. The time is per hash and round.

use crate::{counting, hex, Request};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One call has to fill this much time together with others before the clock is read again.
const BATCH: Duration = Duration::from_micros(50);

/// A digest of any length, without an allocation.
struct Digest {
    bytes: [u8; 64],
    length: usize,
}

impl Digest {
    fn of(digest: &[u8]) -> Self {
        let mut bytes = [0; 64];
        bytes[..digest.len()].copy_from_slice(digest);
        Digest { bytes, length: digest.len() }
    }
}

struct Rival {
    name: &'static str,
    algorithm: &'static str,
    hash: fn(&[u8]) -> Digest,
}

const fn rival(name: &'static str, algorithm: &'static str, hash: fn(&[u8]) -> Digest) -> Rival {
    Rival { name, algorithm, hash }
}

#[cfg(feature = "sse41")]
const RIVALS: &[Rival] = &[rival("Rust blake3 (SSE4.1)", "blake3", |input| Digest::of(blake3::hash(input).as_bytes()))];

#[cfg(not(feature = "sse41"))]
const RIVALS: &[Rival] = &[
    rival("Rust blake3", "blake3", |input| Digest::of(blake3::hash(input).as_bytes())),
    rival("Rust blake2b_simd", "blake2b", |input| Digest::of(blake2b_simd::blake2b(input).as_bytes())),
    rival("Rust blake2b_simd", "blake2bp", |input| Digest::of(blake2b_simd::blake2bp::blake2bp(input).as_bytes())),
    rival("Rust blake2s_simd", "blake2s", |input| Digest::of(blake2s_simd::blake2s(input).as_bytes())),
    rival("Rust blake2s_simd", "blake2sp", |input| Digest::of(blake2s_simd::blake2sp::blake2sp(input).as_bytes())),
];

/// One rival at one size, and the rounds measured so far.
struct Task<'a> {
    rival: &'a Rival,
    input: &'a [u8],
    batch: u32,
    rounds: Vec<String>,
}

impl<'a> Task<'a> {
    fn new(rival: &'a Rival, input: &'a [u8]) -> Self {
        let mut task = Task { rival, input, batch: 1, rounds: Vec::new() };
        while task.run_batch() < BATCH {
            task.batch *= 2;
        }
        task
    }

    fn run_batch(&self) -> Duration {
        let start = Instant::now();
        for _ in 0..self.batch {
            black_box((self.rival.hash)(black_box(self.input)));
        }
        start.elapsed()
    }

    fn run_round(&mut self, time: Duration) {
        let start = Instant::now();
        let mut samples = vec![self.run_batch()];
        while start.elapsed() < time {
            samples.push(self.run_batch());
        }
        samples.sort();
        let per_call = |sample: Duration| sample.as_nanos() as f64 / f64::from(self.batch);
        self.rounds.push(format!(
            r#"{{"best":{:.3},"median":{:.3},"samples":{}}}"#,
            per_call(samples[0]),
            per_call(samples[samples.len() / 2]),
            samples.len()
        ));
    }

    fn row(&self) -> String {
        let digest = (self.rival.hash)(self.input);
        format!(
            r#"{{"rival":"{}","algorithm":"{}","size":{},"digest":"{}","batch":{},"rounds":[{}]}}"#,
            self.rival.name,
            self.rival.algorithm,
            self.input.len(),
            hex(&digest.bytes[..digest.length]),
            self.batch,
            self.rounds.join(",")
        )
    }
}

pub fn rows(request: &Request) -> String {
    let time = Duration::from_millis(request.number("milliseconds", 0));
    let is_asked = |rival: &&Rival| rival.algorithm == request.text("algorithm");
    let mut rows = Vec::new();
    for size in request.text("sizes").split(',') {
        let input = counting(size.parse().expect("a size"));
        let mut tasks: Vec<Task> = RIVALS.iter().filter(is_asked).map(|rival| Task::new(rival, &input)).collect();
        for _ in 0..request.number("rounds", 0) {
            tasks.iter_mut().for_each(|task| task.run_round(time));
        }
        rows.extend(tasks.iter().map(Task::row));
    }
    format!("[{}]", rows.join(","))
}
