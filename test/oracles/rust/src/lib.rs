//! The crates behind plain functions of bytes, for JavaScript: src/main.rs is the program.
#![cfg(target_arch = "wasm32")]
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
    finish(blake3::Hasher::new_keyed(key.try_into().expect("32 bytes")), input, length)
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

macro_rules! blake2 {
    ($hash:path, $params:path, $plain:ident, $keyed:ident) => {
        #[wasm_bindgen]
        pub fn $plain(input: &[u8]) -> Vec<u8> {
            $hash(input).as_bytes().to_vec()
        }

        #[wasm_bindgen]
        pub fn $keyed(input: &[u8], key: &[u8], length: usize) -> Vec<u8> {
            $params().hash_length(length).key(key).hash(input).as_bytes().to_vec()
        }
    };
}

blake2!(blake2b_simd::blake2b, blake2b_simd::Params::new, blake2b, blake2b_keyed);
blake2!(blake2s_simd::blake2s, blake2s_simd::Params::new, blake2s, blake2s_keyed);
blake2!(blake2b_simd::blake2bp::blake2bp, blake2b_simd::blake2bp::Params::new, blake2bp, blake2bp_keyed);
blake2!(blake2s_simd::blake2sp::blake2sp, blake2s_simd::blake2sp::Params::new, blake2sp, blake2sp_keyed);
