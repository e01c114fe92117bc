//! Of the crates blake2b_simd and blake2s_simd.

// The two crates have the same shape, but share no trait.
macro_rules! blake2 {
    ($module:ident, $simd:ident, $parallel:ident) => {
        pub mod $module {
            use crate::{hex, Request};
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
                request.feed(&mut state);
                hex(state.finalize())
            }

            pub fn leaves(request: &Request) -> String {
                let mut params = parallel::Params::new();
                params.hash_length(request.number("length", OUTBYTES as u64) as usize);
                params.key(&request.bytes("key").unwrap_or_default());
                let mut state = params.to_state();
                request.feed(&mut state);
                hex(state.finalize())
            }

            fn extended_root(request: &Request, total: u64) -> Vec<u8> {
                let mut root = labelled(request);
                root.key(&request.bytes("key").unwrap_or_default()).node_offset(total << 32);
                let mut state = root.to_state();
                request.feed(&mut state);
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

blake2!(b, blake2b_simd, blake2bp);
blake2!(s, blake2s_simd, blake2sp);
