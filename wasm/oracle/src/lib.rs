//! The seed crates behind plain functions of bytes: one-shots for the benchmark, the `_with` and `_tree`
//! forms for differential tests. A value out of range is the caller's mistake and traps.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
pub fn blake3(input: &[u8]) -> Vec<u8> {
    blake3::hash(input).as_bytes().to_vec()
}

#[wasm_bindgen]
pub fn blake3_xof(input: &[u8], length: usize) -> Vec<u8> {
    finish(blake3::Hasher::new(), input, length)
}

#[wasm_bindgen]
pub fn blake3_keyed(input: &[u8], key: &[u8], length: usize) -> Vec<u8> {
    let key = key.try_into().expect("a BLAKE3 key has 32 bytes");
    finish(blake3::Hasher::new_keyed(key), input, length)
}

#[wasm_bindgen]
pub fn blake3_derive(input: &[u8], context: &str, length: usize) -> Vec<u8> {
    finish(blake3::Hasher::new_derive_key(context), input, length)
}

fn finish(mut hasher: blake3::Hasher, input: &[u8], length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    hasher.update(input).finalize_xof().fill(&mut output);
    output
}

/// The sequential hash of one BLAKE2 crate, and its parallel form.
macro_rules! blake2 {
    ($crate_name:ident, $one:ident, $with:ident, $tree:ident,
     $parallel_module:ident, $parallel:ident, $parallel_with:ident) => {
        #[wasm_bindgen]
        pub fn $one(input: &[u8]) -> Vec<u8> {
            $crate_name::$one(input).as_bytes().to_vec()
        }

        #[wasm_bindgen]
        pub fn $with(
            input: &[u8],
            length: usize,
            key: &[u8],
            salt: &[u8],
            personal: &[u8],
        ) -> Vec<u8> {
            $crate_name::Params::new()
                .hash_length(length)
                .key(key)
                .salt(salt)
                .personal(personal)
                .hash(input)
                .as_bytes()
                .to_vec()
        }

        #[wasm_bindgen]
        #[allow(clippy::too_many_arguments)]
        pub fn $tree(
            input: &[u8],
            length: usize,
            key: &[u8],
            salt: &[u8],
            personal: &[u8],
            fanout: u8,
            max_depth: u8,
            max_leaf_length: u32,
            node_offset: u64,
            node_depth: u8,
            inner_hash_length: usize,
            last_node: bool,
        ) -> Vec<u8> {
            $crate_name::Params::new()
                .hash_length(length)
                .key(key)
                .salt(salt)
                .personal(personal)
                .fanout(fanout)
                .max_depth(max_depth)
                .max_leaf_length(max_leaf_length)
                .node_offset(node_offset)
                .node_depth(node_depth)
                .inner_hash_length(inner_hash_length)
                .last_node(last_node)
                .hash(input)
                .as_bytes()
                .to_vec()
        }

        #[wasm_bindgen]
        pub fn $parallel(input: &[u8]) -> Vec<u8> {
            $crate_name::$parallel_module::$parallel(input)
                .as_bytes()
                .to_vec()
        }

        #[wasm_bindgen]
        pub fn $parallel_with(input: &[u8], length: usize, key: &[u8]) -> Vec<u8> {
            $crate_name::$parallel_module::Params::new()
                .hash_length(length)
                .key(key)
                .hash(input)
                .as_bytes()
                .to_vec()
        }
    };
}

blake2!(
    blake2b_simd,
    blake2b,
    blake2b_with,
    blake2b_tree,
    blake2bp,
    blake2bp,
    blake2bp_with
);
blake2!(
    blake2s_simd,
    blake2s,
    blake2s_with,
    blake2s_tree,
    blake2sp,
    blake2sp,
    blake2sp_with
);
