//! Of the crate blake3.

use crate::{hex, Request};
use blake3::hazmat::{self, HasherExt, Mode};

fn hasher(request: &Request) -> blake3::Hasher {
    if let Some(context) = request.bytes("context") {
        return blake3::Hasher::new_derive_key(std::str::from_utf8(&context).expect("UTF-8"));
    }
    request.bytes("key").map_or_else(blake3::Hasher::new, |_| blake3::Hasher::new_keyed(&request.word("key")))
}

fn read(mut reader: blake3::OutputReader, request: &Request) -> String {
    let mut output = vec![0; request.number("length", 32) as usize];
    reader.set_position(request.number("position", 0));
    reader.fill(&mut output);
    hex(output)
}

pub fn output(request: &Request) -> String {
    let mut hasher = hasher(request);
    request.feed(&mut hasher);
    read(hasher.finalize_xof(), request)
}

pub fn chaining_value(request: &Request) -> String {
    let mut hasher = hasher(request);
    hasher.set_input_offset(request.number("offset", 0));
    request.feed(&mut hasher);
    hex(hasher.finalize_non_root())
}

pub fn merge(request: &Request) -> String {
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
        return hex(hazmat::merge_subtrees_non_root(&left, &right, mode));
    }
    read(hazmat::merge_subtrees_root_xof(&left, &right, mode), request)
}

/// Of a message, its left subtree's part.
pub fn left_length(request: &Request) -> String {
    hazmat::left_subtree_len(request.number("length", 0)).to_string()
}

/// Of the subtree at an offset; 0 where any length may be.
pub fn max_length(request: &Request) -> String {
    hazmat::max_subtree_len(request.number("offset", 0)).unwrap_or(0).to_string()
}
