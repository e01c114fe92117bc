//! Answers one request per line, "operation name=value ...", with lower-case hex or a decimal number.
use blake3::hazmat::{self, HasherExt, Mode};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::OnceLock;

/// Input bytes are counting bytes: byte i is i % 251.
const PERIOD: usize = 251;

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
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hands out the request's message, or counting bytes piece by piece, so that an input may be larger than memory.
fn feed(request: &Request, mut update: impl FnMut(&[u8])) {
    if let Some(message) = request.bytes("message") {
        return update(&message);
    }
    static PIECE: OnceLock<Vec<u8>> = OnceLock::new();
    let piece = PIECE.get_or_init(|| (0..PERIOD * 4096).map(|i| (i % PERIOD) as u8).collect());
    let mut left = request.number("input", 0);
    while left > 0 {
        let take = left.min(piece.len() as u64);
        update(&piece[..take as usize]);
        left -= take;
    }
}

// The two crates have the same shape, but share no trait.
macro_rules! blake2 {
    ($module:ident, $simd:ident, $parallel:ident) => {
        mod $module {
            use super::{feed, hex, Request};
            use $simd::{$parallel as parallel, Params, OUTBYTES};

            /// The parameters that survive from a BLAKE2X root into its output blocks.
            fn labelled(request: &Request) -> Params {
                let mut params = Params::new();
                params.salt(&request.bytes("salt").unwrap_or_default());
                params.personal(&request.bytes("personal").unwrap_or_default());
                params
            }

            fn params(request: &Request) -> Params {
                let mut params = labelled(request);
                params
                    .hash_length(request.number("length", OUTBYTES as u64) as usize)
                    .key(&request.bytes("key").unwrap_or_default())
                    .fanout(request.number("fanout", 1) as u8)
                    .max_depth(request.number("maxDepth", 1) as u8)
                    .max_leaf_length(request.number("maxLeafLength", 0) as u32)
                    .node_offset(request.number("nodeOffset", 0))
                    .node_depth(request.number("nodeDepth", 0) as u8)
                    .inner_hash_length(request.number("innerHashLength", 0) as usize)
                    .last_node(request.number("lastNode", 0) == 1);
                params
            }

            pub fn sequential(request: &Request) -> String {
                let mut state = params(request).to_state();
                feed(request, |bytes| drop(state.update(bytes)));
                hex(state.finalize().as_bytes())
            }

            pub fn leaves(request: &Request) -> String {
                let mut params = parallel::Params::new();
                params.hash_length(request.number("length", OUTBYTES as u64) as usize);
                params.key(&request.bytes("key").unwrap_or_default());
                let mut state = params.to_state();
                feed(request, |bytes| drop(state.update(bytes)));
                hex(state.finalize().as_bytes())
            }

            fn extended_root(request: &Request, total: u64) -> Vec<u8> {
                let mut root = labelled(request);
                root.key(&request.bytes("key").unwrap_or_default()).node_offset(total << 32);
                let mut state = root.to_state();
                feed(request, |bytes| drop(state.update(bytes)));
                state.finalize().as_bytes().to_vec()
            }

            /// `total` is the declared length, or the all-ones value that means an unknown one.
            pub fn extended(request: &Request, unknown: u64) -> String {
                let total = request.number("total", unknown);
                let (position, length) = (request.number("position", 0), request.number("length", 0));
                let root = extended_root(request, total);
                let width = OUTBYTES as u64;
                let mut output = Vec::new();
                for block in position / width..(position + length).div_ceil(width) {
                    let rest = if total == unknown { width } else { total - block * width };
                    let mut params = labelled(request);
                    params.hash_length(rest.min(width) as usize).fanout(0).max_depth(0);
                    params.max_leaf_length(OUTBYTES as u32).inner_hash_length(OUTBYTES);
                    params.node_offset(total << 32 | block);
                    output.extend_from_slice(params.hash(&root).as_bytes());
                }
                let start = (position % width) as usize;
                hex(&output[start..start + length as usize])
            }
        }
    };
}

blake2!(blake2b, blake2b_simd, blake2bp);
blake2!(blake2s, blake2s_simd, blake2sp);

fn blake3_hasher(request: &Request) -> blake3::Hasher {
    if let Some(context) = request.bytes("context") {
        return blake3::Hasher::new_derive_key(std::str::from_utf8(&context).expect("UTF-8"));
    }
    request.bytes("key").map_or_else(blake3::Hasher::new, |_| blake3::Hasher::new_keyed(&request.word("key")))
}

fn read(mut reader: blake3::OutputReader, request: &Request) -> String {
    let mut output = vec![0; request.number("length", 32) as usize];
    reader.set_position(request.number("position", 0));
    reader.fill(&mut output);
    hex(&output)
}

fn blake3_output(request: &Request) -> String {
    let mut hasher = blake3_hasher(request);
    feed(request, |bytes| drop(hasher.update(bytes)));
    read(hasher.finalize_xof(), request)
}

fn chaining_value(request: &Request) -> String {
    let mut hasher = blake3_hasher(request);
    hasher.set_input_offset(request.number("offset", 0));
    feed(request, |bytes| drop(hasher.update(bytes)));
    hex(&hasher.finalize_non_root())
}

fn merge(request: &Request) -> String {
    let key = request.bytes("key").map(|_| request.word("key"));
    let context = request.bytes("context").map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    let context_key = context.map(|text| hazmat::hash_derive_key_context(&text));
    let mode = match (&key, &context_key) {
        (Some(key), _) => Mode::KeyedHash(key),
        (_, Some(key)) => Mode::DeriveKeyMaterial(key),
        _ => Mode::Hash,
    };
    let (left, right) = (request.word("left"), request.word("right"));
    if request.operation == "parent" {
        return hex(&hazmat::merge_subtrees_non_root(&left, &right, mode));
    }
    read(hazmat::merge_subtrees_root_xof(&left, &right, mode), request)
}

fn answer(request: &Request) -> String {
    match request.operation.as_str() {
        "blake2b" => blake2b::sequential(request),
        "blake2s" => blake2s::sequential(request),
        "blake2bp" => blake2b::leaves(request),
        "blake2sp" => blake2s::leaves(request),
        "blake2xb" => blake2b::extended(request, 0xffff_ffff),
        "blake2xs" => blake2s::extended(request, 0xffff),
        "blake3" => blake3_output(request),
        "chaining-value" => chaining_value(request),
        "parent" | "root" => merge(request),
        "left-length" => hazmat::left_subtree_len(request.number("length", 0)).to_string(),
        "max-length" => hazmat::max_subtree_len(request.number("offset", 0)).unwrap_or(0).to_string(),
        other => panic!("unknown operation {other}"),
    }
}

fn main() {
    let mut output = io::stdout();
    for line in io::stdin().lock().lines() {
        let request = Request::parse(&line.expect("a line"));
        writeln!(output, "{}", answer(&request)).expect("a reader");
    }
}
