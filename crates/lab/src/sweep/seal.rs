//! Texts that end with a digest of themselves, so that any altered byte is noticed.

use crate::error::existing;
use crate::key::Digest;
use crate::text::from_toml;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::Path;

/// Why a sealed file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// It is not what a run of this version wrote.
    #[error("damaged or from another version ({0})")]
    Damaged(String),
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A value as TOML, sealed.
pub(crate) fn write(value: &impl Serialize) -> String {
    seal(&toml::to_string(value).expect("what is sealed can be written as TOML"))
}

/// The value in a sealed file; `None` if there is no such file.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, SealError> {
    let Some(bytes) = existing(std::fs::read(path))? else { return Ok(None) };
    let text = open(&bytes).map_err(SealError::Damaged)?;
    from_toml(text).map_err(SealError::Damaged).map(Some)
}

/// What precedes the digest, at the beginning of the last line.
const SEAL: &str = "# sha256 ";

/// The text with a last line that seals it.
fn seal(text: &str) -> String {
    let digest = Digest::from_bytes(text.as_bytes());
    format!("{text}{SEAL}{digest}\n")
}

/// The sealed text without its last line.
///
/// # Errors
/// In one line, if the text is not what was sealed.
fn open(bytes: &[u8]) -> Result<&str, String> {
    let sealed = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let (text, digest) = sealed.rsplit_once(SEAL).ok_or("its checksum is missing")?;
    if digest.strip_suffix('\n') == Some(&Digest::from_bytes(text.as_bytes()).to_string()) {
        Ok(text)
    } else {
        Err("checksum mismatch".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_altered_byte_is_noticed() {
        let sealed = seal("a = 1\n").into_bytes();
        assert_eq!(open(&sealed), Ok("a = 1\n"));
        for at in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert!(open(&altered).is_err(), "{at}");
            assert!(open(&sealed[..at]).is_err(), "{at}");
        }
        assert!(open(b"a = 1\n").is_err());
    }
}
