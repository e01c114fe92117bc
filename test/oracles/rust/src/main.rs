//! Replies to each line "operation name=value ..." with one: lower-case hex, a number or JSON, after "failed " what
//! came before a failure. Byte strings are hex. An input is a `message`, or `input` bytes: byte i is i % 251, or with a
//! `seed` they are 32-bit counters from it on, little-endian.
mod bao;
mod blake2;
mod blake3;
mod timing;

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::OnceLock;

const PERIOD: usize = 251;

type Answer = Result<String, String>;

struct Request {
    operation: String,
    fields: HashMap<String, String>,
}

impl Request {
    fn parse(line: &str) -> Request {
        let mut words = line.split_whitespace();
        let operation = words.next().expect("an operation").to_string();
        let pair = |word: &str| {
            let (name, value) = word.split_once('=').expect("name=value");
            (name.to_string(), value.to_string())
        };
        Request { operation, fields: words.map(pair).collect() }
    }

    fn text(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    fn number(&self, name: &str, default: u64) -> u64 {
        self.fields.get(name).map_or(default, |value| value.parse().expect("a number"))
    }

    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let digits = self.fields.get(name)?;
        let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex");
        Some((0..digits.len()).step_by(2).map(byte).collect())
    }

    fn word(&self, name: &str) -> [u8; 32] {
        self.bytes(name).expect(name).try_into().expect("32 bytes")
    }

    fn content(&self) -> Vec<u8> {
        let length = self.number("input", 0) as usize;
        if !self.fields.contains_key("seed") {
            return counting(length);
        }
        let seed = self.number("seed", 0) as u32;
        let words = (0..length.div_ceil(4) as u32).flat_map(|i| seed.wrapping_add(i).to_le_bytes());
        words.take(length).collect()
    }

    /// Writes the message, or counting bytes piece by piece, so that an input may be larger than memory.
    fn feed(&self, hash: &mut impl Write) {
        let mut update = |bytes: &[u8]| hash.write_all(bytes).expect("a hash takes all bytes");
        if let Some(message) = self.bytes("message") {
            return update(&message);
        }
        static PIECE: OnceLock<Vec<u8>> = OnceLock::new();
        let piece = PIECE.get_or_init(|| counting(PERIOD * 4096));
        let mut left = self.number("input", 0);
        while left > 0 {
            let take = left.min(piece.len() as u64);
            update(&piece[..take as usize]);
            left -= take;
        }
    }
}

fn counting(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % PERIOD) as u8).collect()
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).expect("four bits");
    bytes.as_ref().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn answer(request: &Request) -> Answer {
    Ok(match request.operation.as_str() {
        "blake2b" => blake2::b::sequential(request),
        "blake2s" => blake2::s::sequential(request),
        "blake2bp" => blake2::b::leaves(request),
        "blake2sp" => blake2::s::leaves(request),
        "blake2xb" => blake2::b::extended(request, 0xffff_ffff),
        "blake2xs" => blake2::s::extended(request, 0xffff),
        "blake3" => blake3::output(request),
        "chaining-value" => blake3::chaining_value(request),
        "parent" | "root" => blake3::merge(request),
        "left-length" => blake3::left_length(request),
        "max-length" => blake3::max_length(request),
        "time" => timing::rows(request),
        _ => return bao::answer(request),
    })
}

fn main() {
    let mut output = io::stdout();
    for line in io::stdin().lock().lines() {
        let reply = answer(&Request::parse(&line.expect("a line")));
        writeln!(output, "{}", reply.unwrap_or_else(|text| format!("failed {text}"))).expect("a reader");
    }
}
