//! blake-bench-native ALGORITHMS SIZES ROUNDS MILLISECONDS: times each hash at each size, rounds interleaved,
//! and prints the rows of bench/results as JSON. The lists are comma-separated, the time is per hash and round.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One call has to fill this much time together with others before the clock is read again.
const BATCH: Duration = Duration::from_micros(50);

struct Digest {
    bytes: [u8; 64],
    length: usize,
}

impl Digest {
    fn of(digest: &[u8]) -> Self {
        let mut bytes = [0; 64];
        bytes[..digest.len()].copy_from_slice(digest);
        Digest {
            bytes,
            length: digest.len(),
        }
    }

    fn hex(&self) -> String {
        self.bytes[..self.length]
            .iter()
            .fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").expect("a String takes any text");
                text
            })
    }
}

struct Rival {
    name: &'static str,
    algorithm: &'static str,
    hash: fn(&[u8]) -> Digest,
}

#[cfg(feature = "sse41")]
const RIVALS: &[Rival] = &[Rival {
    name: "Rust blake3 (SSE4.1)",
    algorithm: "blake3",
    hash: |input| Digest::of(blake3::hash(input).as_bytes()),
}];

#[cfg(not(feature = "sse41"))]
const RIVALS: &[Rival] = &[
    Rival {
        name: "Rust blake3",
        algorithm: "blake3",
        hash: |input| Digest::of(blake3::hash(input).as_bytes()),
    },
    Rival {
        name: "Rust blake2b_simd",
        algorithm: "blake2b",
        hash: |input| Digest::of(blake2b_simd::blake2b(input).as_bytes()),
    },
    Rival {
        name: "Rust blake2b_simd",
        algorithm: "blake2bp",
        hash: |input| Digest::of(blake2b_simd::blake2bp::blake2bp(input).as_bytes()),
    },
    Rival {
        name: "Rust blake2s_simd",
        algorithm: "blake2s",
        hash: |input| Digest::of(blake2s_simd::blake2s(input).as_bytes()),
    },
    Rival {
        name: "Rust blake2s_simd",
        algorithm: "blake2sp",
        hash: |input| Digest::of(blake2s_simd::blake2sp::blake2sp(input).as_bytes()),
    },
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
        let mut task = Task {
            rival,
            input,
            batch: 1,
            rounds: Vec::new(),
        };
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
        format!(
            r#"{{"rival":"{}","algorithm":"{}","size":{},"digest":"{}","batch":{},"rounds":[{}]}}"#,
            self.rival.name,
            self.rival.algorithm,
            self.input.len(),
            (self.rival.hash)(self.input).hex(),
            self.batch,
            self.rounds.join(",")
        )
    }
}

/// The same bytes as bench/cases.mjs makes.
fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|index| (index % 251) as u8).collect()
}

fn list(argument: Option<String>) -> Vec<String> {
    argument
        .unwrap_or_default()
        .split(',')
        .map(str::to_owned)
        .collect()
}

fn number(text: &str) -> u64 {
    text.parse()
        .unwrap_or_else(|_| panic!("not a number: {text:?}"))
}

fn main() {
    let mut arguments = std::env::args();
    arguments.next(); // the name of the program
    let algorithms = list(arguments.next());
    let sizes = list(arguments.next());
    let rounds = number(&arguments.next().unwrap_or_default());
    let time = Duration::from_millis(number(&arguments.next().unwrap_or_default()));

    let is_wanted = |rival: &&Rival| algorithms.iter().any(|name| name == rival.algorithm);
    let wanted: Vec<&Rival> = RIVALS.iter().filter(is_wanted).collect();
    let mut rows = Vec::new();
    for size in &sizes {
        let input = pattern(number(size) as usize);
        let mut tasks: Vec<Task> = wanted
            .iter()
            .map(|rival| Task::new(rival, &input))
            .collect();
        for _ in 0..rounds {
            tasks.iter_mut().for_each(|task| task.run_round(time));
        }
        rows.extend(tasks.iter().map(Task::row));
    }
    println!("[{}]", rows.join(",\n"));
}
