//! Answers requests until standard input ends. A request is a line of words, and after it as many bytes as its last word says;
//! an answer is a byte, 0 for a failure, then its length in four bytes, little-endian, then its bytes.
//!
//!     encode SEED LENGTH 0                        bao's combined encoding
//!     outboard SEED LENGTH 0                      bao's outboard
//!     slice SEED LENGTH START COUNT 0             bao's slice
//!     decode HASH N                               the content of a combined encoding, by bao
//!     decode-slice HASH START COUNT N             the content of a slice, by bao; after a failure what came before it
//!     pre SEED LENGTH LEVEL 0                     bao-tree's outboard in pre-order, groups of 2^LEVEL chunks
//!     post SEED LENGTH LEVEL 0                    the same in post-order
//!     response SEED LENGTH LEVEL A-B,C-D,... 0    bao-tree's response to ranges of chunks; an end may be missing
//!     decode-response HASH LENGTH LEVEL RANGES N  the content of a response, by bao-tree
//!
//! Content is 32-bit counters from SEED on, little-endian, cut to LENGTH; where SEED is `counting`, byte i is i % 251.
use bao_tree::io::outboard::{EmptyOutboard, PostOrderMemOutboard, PreOrderMemOutboard};
use bao_tree::io::sync::{decode_ranges, encode_ranges_validated};
use bao_tree::{BaoTree, BlockSize, ChunkNum, ChunkRanges};
use std::io::{self, BufRead, Cursor, Read, Write};

type Answer = Result<Vec<u8>, Vec<u8>>;

fn content(seed: &str, length: usize) -> Vec<u8> {
    if seed == "counting" {
        return (0..length).map(|i| (i % 251) as u8).collect();
    }
    let seed: u32 = seed.parse().unwrap();
    let words = (0..length.div_ceil(4) as u32).flat_map(|i| seed.wrapping_add(i).to_le_bytes());
    words.take(length).collect()
}

fn ranges(text: &str) -> ChunkRanges {
    text.split(',').fold(ChunkRanges::empty(), |all, range| {
        let (start, end) = range.split_once('-').unwrap();
        let start = ChunkNum(start.parse().unwrap());
        all | match end {
            "" => ChunkRanges::from(start..),
            end => ChunkRanges::from(start..ChunkNum(end.parse().unwrap())),
        }
    })
}

/// All that a reader gives, and whether it came to its end without an error.
fn drain(mut reader: impl Read) -> Answer {
    let mut bytes = Vec::new();
    match reader.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(bytes),
    }
}

fn hash(text: &str) -> blake3::Hash {
    blake3::Hash::from_hex(text).unwrap()
}

fn number(text: &str) -> u64 {
    text.parse().unwrap()
}

fn level(text: &str) -> BlockSize {
    BlockSize::from_chunk_log(text.parse().unwrap())
}

fn answer(words: &[&str], payload: &[u8]) -> Answer {
    let message = || content(words[1], words[2].parse().unwrap());
    match words[0] {
        "encode" => Ok(bao::encode::encode(message()).0),
        "outboard" => Ok(bao::encode::outboard(message()).0),
        "slice" => {
            let encoded = Cursor::new(bao::encode::encode(message()).0);
            drain(bao::encode::SliceExtractor::new(encoded, number(words[3]), number(words[4])))
        }
        "decode" => drain(bao::decode::Decoder::new(payload, &hash(words[1]))),
        "decode-slice" => {
            let root = hash(words[1]);
            drain(bao::decode::SliceDecoder::new(payload, &root, number(words[2]), number(words[3])))
        }
        "pre" => Ok(PreOrderMemOutboard::create(message(), level(words[3])).data),
        "post" => Ok(PostOrderMemOutboard::create(message(), level(words[3])).data),
        "response" => {
            let data = message();
            let outboard = PostOrderMemOutboard::create(&data, level(words[3]));
            let mut encoded = Vec::new();
            encode_ranges_validated(&data[..], &outboard, &ranges(words[4]), &mut encoded).unwrap();
            Ok(encoded)
        }
        "decode-response" => {
            let tree = BaoTree::new(number(words[2]), level(words[3]));
            let outboard = EmptyOutboard { tree, root: hash(words[1]) };
            let mut decoded = Vec::new();
            match decode_ranges(payload, &ranges(words[4]), &mut decoded, outboard) {
                Ok(()) => Ok(decoded),
                Err(_) => Err(decoded),
            }
        }
        other => panic!("no such request: {other}"),
    }
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut payload = vec![0; words.last().unwrap().parse().unwrap()];
        input.read_exact(&mut payload)?;
        let (done, bytes) = match answer(&words, &payload) {
            Ok(bytes) => (1, bytes),
            Err(bytes) => (0, bytes),
        };
        output.write_all(&[done])?;
        output.write_all(&(bytes.len() as u32).to_le_bytes())?;
        output.write_all(&bytes)?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}
