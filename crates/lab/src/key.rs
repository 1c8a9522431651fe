//! Keys of rows: hashes of everything that determines a row.

use sha2::{Digest as _, Sha256};
use std::fmt::{self, Display, Write as _};
use std::io::{self, Read};

/// The first 64 bits of the SHA-256 of a row's determinants; prints as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u64);

impl Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

dfrsim_model::parses!(Key, "expected a key of 16 hexadecimal digits, found `{text}`", |text| {
    let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    digits.then(|| u64::from_str_radix(text, 16).ok()).flatten().map(Key)
});

/// Collects the named determinants of a row.
///
/// Add only what a row depends on, so that a change elsewhere does not change its key. A determinant
/// introduced in a later version should be added only if it differs from the previously fixed value,
/// so that older rows keep their keys.
#[derive(Clone, Debug)]
pub struct KeyBuilder {
    text: String,
}

impl KeyBuilder {
    /// Begins a key with a study and the version of the meaning of its rows.
    pub fn new(study: &str, semantics: u32) -> KeyBuilder {
        KeyBuilder { text: format!("study {study}\nsemantics {semantics}\n") }
    }
    /// Adds a determinant. Names must be unique within a key.
    pub fn field(&mut self, name: &str, value: impl Display) -> &mut KeyBuilder {
        self.add(name, &value);
        self
    }
    fn add(&mut self, name: &str, value: &dyn Display) {
        let begin = self.text.len();
        write!(self.text, "{name} {value}").expect("writing to a string cannot fail");
        // A line break within a value must not look like the start of the next field.
        if self.text[begin..].contains(['\n', '\\']) {
            let escaped = self.text[begin..].replace('\\', "\\\\").replace('\n', "\\n");
            self.text.truncate(begin);
            self.text.push_str(&escaped);
        }
        self.text.push('\n');
    }
    /// Adds a determinant if it is present.
    pub fn optional(&mut self, name: &str, value: Option<impl Display>) -> &mut KeyBuilder {
        match value {
            Some(value) => self.field(name, value),
            None => self,
        }
    }
    /// Computes the key of everything that was added.
    pub fn key(&self) -> Key {
        let hash = Sha256::digest(&self.text);
        Key(hash.iter().take(8).fold(0, |key, &byte| key << 8 | u64::from(byte)))
    }
}

/// A SHA-256 hash; prints as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Digest {
    /// Computes the hash of bytes in memory.
    pub fn from_bytes(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }
    /// Computes the hash of all bytes of a reader.
    ///
    /// # Errors
    /// Returns an error if reading fails.
    pub fn from_reader(mut reader: impl Read) -> io::Result<Digest> {
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(Digest(hash.finalize().into())),
                length => hash.update(&buffer[..length]),
            }
        }
    }
}

/// Hashes values one by one, for instances that do not lie in one piece of memory.
#[derive(Clone, Default)]
pub struct Digester(Sha256);

impl Digester {
    /// Creates an empty digester.
    pub fn new() -> Digester {
        Digester::default()
    }
    /// Adds an integer.
    pub fn integer(&mut self, value: impl Into<u64>) -> &mut Digester {
        self.0.update(value.into().to_le_bytes());
        self
    }
    /// Adds a list of integers, preceded by its length.
    pub fn amounts(&mut self, amounts: &[u32]) -> &mut Digester {
        self.integer(amounts.len() as u64);
        let bytes: Vec<u8> = amounts.iter().flat_map(|amount| amount.to_le_bytes()).collect();
        self.0.update(bytes);
        self
    }
    /// Adds the exact bits of a floating-point number.
    pub fn number(&mut self, value: f64) -> &mut Digester {
        self.integer(value.to_bits())
    }
    /// Adds a text, preceded by its length.
    pub fn text(&mut self, text: &str) -> &mut Digester {
        self.integer(text.len() as u64);
        self.0.update(text);
        self
    }
    /// Returns the hash of everything that was added.
    #[must_use]
    pub fn digest(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(fields: &[(&str, &str)]) -> Key {
        let mut builder = KeyBuilder::new("s", 1);
        fields.iter().for_each(|(name, value)| _ = builder.field(name, value));
        builder.key()
    }

    #[test]
    fn keys_differ_where_a_field_differs() {
        let base = key(&[("a", "1"), ("b", "2")]);
        assert_eq!(base, key(&[("a", "1"), ("b", "2")]));
        for other in [&[("a", "1")][..], &[("a", "1\nb 2")], &[("a", "1"), ("b", "3")], &[("a", "1\\nb 2")]] {
            assert_ne!(base, key(other));
        }
        assert_ne!(key(&[("a", "1\nb")]), key(&[("a", "1\\nb")]));
        assert_ne!(KeyBuilder::new("s", 1).key(), KeyBuilder::new("s", 2).key());
    }

    #[test]
    fn a_key_reads_back() {
        let key = key(&[("a", "1")]);
        assert_eq!(key.to_string().parse(), Ok(key));
        for text in ["", "xyz", "0123", "+123456789abcdef"] {
            assert!(text.parse::<Key>().is_err(), "{text}");
        }
    }
}
