//! Sealed texts, which end with a digest of themselves so that any altered byte is detected.

use crate::error::none_if_missing;
use crate::key::Digest;
use crate::text::from_toml;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::Path;

/// Reason why a sealed file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The file differs from what a run of this version wrote.
    #[error("damaged or from another version ({0})")]
    Damaged(String),
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Formats a value as sealed TOML.
pub(crate) fn write(value: &impl Serialize) -> String {
    seal(&toml::to_string(value).expect("sealed values can be written as TOML"))
}

/// Reads a value from a sealed file; `None` if the file does not exist.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, SealError> {
    let Some(bytes) = none_if_missing(std::fs::read(path))? else { return Ok(None) };
    let text = unseal(&bytes).map_err(SealError::Damaged)?;
    from_toml(text).map_err(SealError::Damaged).map(Some)
}

/// Text before the digest, at the beginning of the last line.
const SEAL: &str = "# sha256 ";

/// Appends a last line with the digest of the text.
fn seal(text: &str) -> String {
    let digest = Digest::from_bytes(text.as_bytes());
    format!("{text}{SEAL}{digest}\n")
}

/// Checks the seal; returns the text without its last line.
///
/// # Errors
/// Returns a message of one line if the text was altered.
fn unseal(bytes: &[u8]) -> Result<&str, String> {
    let sealed = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let (text, digest) = sealed.rsplit_once(SEAL).ok_or("checksum missing")?;
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
        assert_eq!(unseal(&sealed), Ok("a = 1\n"));
        for at in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert!(unseal(&altered).is_err(), "{at}");
            assert!(unseal(&sealed[..at]).is_err(), "{at}");
        }
        assert!(unseal(b"a = 1\n").is_err());
    }
}
