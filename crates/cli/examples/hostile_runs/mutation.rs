//! Mutates texts according to their structure: numbers, quoted texts, words, lines, and occasionally
//! bytes.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Numbers at and beyond the limits of valid ranges, and special values.
pub(crate) const NUMBERS: [&str; 42] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "0.5",
    "1.5",
    "-0.5",
    "0.1",
    "1e-3",
    "1e-9",
    "1e-310",
    "5e-324",
    "1e-20",
    "1e3",
    "1e9",
    "1e18",
    "1e19",
    "1e300",
    "1e308",
    "1e309",
    "-1e308",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "255",
    "256",
    "65535",
    "65536",
    "1000000",
    "16000000000",
    "16000000001",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
];

/// Texts that are invalid names, and names with a meaning.
pub(crate) const TEXTS: [&str; 26] = [
    "",
    " ",
    "a",
    "a b",
    "a,b",
    "a/b",
    "..",
    ".",
    "-",
    "--",
    "\u{e9}",
    "\u{202e}x",
    "\\u0000",
    "\\n",
    "\\\"",
    "=1+1",
    "<b>",
    "%s",
    "$(x)",
    "none",
    "exact",
    "EASY",
    "factor:0",
    "factor:1e300",
    "random:0",
    "^.*$",
];

/// Replacements for values of another type.
const VALUES: [&str; 12] =
    ["true", "\"a\"", "[]", "{}", "[1]", "[[]]", "null", "1", "1.5", "[0, 0]", "{\"a\": 1}", "{a = 1}"];

/// Draws one element.
pub(crate) fn pick<'a, T>(random: &mut ChaCha8Rng, of: &'a [T]) -> &'a T {
    &of[random.random_range(0..of.len())]
}

/// Returns true with probability 1 / `times`.
pub(crate) fn once_in(random: &mut ChaCha8Rng, times: u32) -> bool {
    random.random_range(0..times) == 0
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number,
    Quoted,
    Word,
}

/// Returns the numbers, quoted texts and words, in their order.
fn tokens(text: &[u8]) -> Vec<(Kind, Range<usize>)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
        let (kind, end) = if byte == b'"' {
            let inner = text[at + 1..].iter().position(|byte| matches!(byte, b'"' | b'\n'));
            (Kind::Quoted, inner.map_or(text.len(), |inner| at + inner + 2))
        } else if digit(at) || (byte == b'-' && digit(at + 1)) {
            let more = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
            let length = text[at + 1..].iter().position(|byte| !more(byte));
            (Kind::Number, length.map_or(text.len(), |length| at + 1 + length))
        } else if byte.is_ascii_alphabetic() {
            let more = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            let length = text[at..].iter().position(|byte| !more(byte));
            (Kind::Word, length.map_or(text.len(), |length| at + length))
        } else {
            at += 1;
            continue;
        };
        tokens.push((kind, at..end.min(text.len())));
        at = end;
    }
    tokens
}

/// Returns the ranges of the lines, including line breaks.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut begin = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        lines.push(begin..begin + line.len());
        begin += line.len();
    }
    lines
}

/// Mutates a text at least once, in most cases only once.
pub(crate) fn mutate(random: &mut ChaCha8Rng, text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    loop {
        mutate_once(random, &mut text);
        if !once_in(random, 3) {
            return text;
        }
    }
}

fn mutate_once(random: &mut ChaCha8Rng, text: &mut Vec<u8>) {
    if text.is_empty() {
        text.extend_from_slice(pick(random, &TEXTS).as_bytes());
        return;
    }
    match random.random_range(0..20) {
        0..=10 => mutate_token(random, text),
        11..=15 => mutate_line(random, text),
        16 => {
            let at = random.random_range(0..text.len());
            text[at] ^= 1 << random.random_range(0..8);
        }
        17 => {
            let at = random.random_range(0..text.len());
            text[at] = *pick(random, b"\0\n\r\t \"',;:=[]{}#-.0\x7f\x80\xff");
        }
        18 => text.truncate(random.random_range(0..text.len())),
        _ => {
            let at = random.random_range(0..=text.len());
            let inserted = pick(random, &VALUES).as_bytes();
            text.splice(at..at, inserted.iter().copied());
        }
    }
}

fn mutate_token(random: &mut ChaCha8Rng, text: &mut Vec<u8>) {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return;
    }
    // Changed words are mostly unknown fields, which are rejected immediately.
    let numbers: Vec<&(Kind, Range<usize>)> = tokens.iter().filter(|token| token.0 == Kind::Number).collect();
    let (kind, range) = if numbers.is_empty() || once_in(random, 3) {
        pick(random, &tokens).clone()
    } else {
        (*pick(random, &numbers)).clone()
    };
    let replaced: Vec<u8> = match (random.random_range(0..10), kind) {
        (0, _) => pick(random, &VALUES).as_bytes().to_vec(),
        (1, Kind::Number) if once_in(random, 2) => b"4".to_vec(),
        (1, _) => Vec::new(),
        (2 | 3, _) => {
            let alike: Vec<&Range<usize>> =
                tokens.iter().filter(|other| other.0 == kind).map(|other| &other.1).collect();
            text[(*pick(random, &alike)).clone()].to_vec()
        }
        (_, Kind::Number) => pick(random, &NUMBERS).as_bytes().to_vec(),
        (_, Kind::Quoted) => format!("\"{}\"", pick(random, &TEXTS)).into_bytes(),
        (_, Kind::Word) => pick(random, &TEXTS).as_bytes().to_vec(),
    };
    text.splice(range, replaced);
}

fn mutate_line(random: &mut ChaCha8Rng, text: &mut Vec<u8>) {
    let lines = lines(text);
    let line = pick(random, &lines).clone();
    let other = pick(random, &lines).clone();
    match random.random_range(0..4) {
        0 => drop(text.drain(line)),
        1 => {
            let copied = text[line.clone()].to_vec();
            text.splice(other.start..other.start, copied);
        }
        2 => {
            // The later line is replaced first, so that the position of the earlier one stays valid.
            let (early, late) = if line.start < other.start { (line, other) } else { (other, line) };
            if early != late {
                let moved: Vec<u8> = text[early.clone()].to_vec();
                let replaced: Vec<u8> = text.splice(late, moved).collect();
                text.splice(early, replaced);
            }
        }
        _ => {
            let at = random.random_range(line);
            text.truncate(at);
        }
    }
}
