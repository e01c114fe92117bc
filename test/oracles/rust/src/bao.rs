//! Of the crates bao and bao-tree: of a content the `encode`d one, the `outboard`, the `slice` from `start` on of
//! `count` bytes; its outboard in `pre`- or `post`-order and the `response` to `ranges` of chunks, in groups of
//! 2^`level` chunks. A range is FIRST-END, the end may be missing. What `decode-slice` gives of a `message` for a
//! `root`.

use crate::{hex, Answer, Request};
use bao::decode::SliceDecoder;
use bao::encode::{encode, outboard, SliceExtractor};
use bao_tree::io::outboard::{PostOrderMemOutboard, PreOrderMemOutboard};
use bao_tree::io::sync::encode_ranges_validated;
use bao_tree::{BlockSize, ChunkNum, ChunkRanges};
use std::io::{Cursor, Read};

impl Request {
    fn level(&self) -> BlockSize {
        BlockSize::from_chunk_log(self.number("level", 0) as u8)
    }

    fn ranges(&self) -> ChunkRanges {
        let number = |text: &str| ChunkNum(text.parse().expect("a number"));
        self.text("ranges").split(',').fold(ChunkRanges::empty(), |all, range| match range.split_once('-') {
            Some((start, "")) => all | ChunkRanges::from(number(start)..),
            Some((start, end)) => all | ChunkRanges::from(number(start)..number(end)),
            None => panic!("not a range: {range}"),
        })
    }

    fn response(&self) -> Vec<u8> {
        let content = self.content();
        let outboard = PostOrderMemOutboard::create(&content, self.level());
        let mut encoded = Vec::new();
        encode_ranges_validated(&content[..], &outboard, &self.ranges(), &mut encoded).expect("its own outboard");
        encoded
    }
}

/// All that a reader gives, and whether it came to its end without an error.
fn drain(mut reader: impl Read) -> Answer {
    let mut bytes = Vec::new();
    let end = reader.read_to_end(&mut bytes);
    end.map(|_| hex(&bytes)).map_err(|_| hex(&bytes))
}

pub fn answer(request: &Request) -> Answer {
    let (start, count) = (request.number("start", 0), request.number("count", 0));
    Ok(match request.operation.as_str() {
        "encode" => hex(encode(request.content()).0),
        "outboard" => hex(outboard(request.content()).0),
        "slice" => return drain(SliceExtractor::new(Cursor::new(encode(request.content()).0), start, count)),
        "decode-slice" => {
            let (encoded, root) = (request.bytes("message").unwrap_or_default(), request.word("root").into());
            return drain(SliceDecoder::new(&encoded[..], &root, start, count));
        }
        "pre" => hex(PreOrderMemOutboard::create(request.content(), request.level()).data),
        "post" => hex(PostOrderMemOutboard::create(request.content(), request.level()).data),
        "response" => hex(request.response()),
        other => panic!("no such operation: {other}"),
    })
}
