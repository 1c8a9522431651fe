//! Parsing of the name of an external policy: `PREFIX:COMMAND`, optionally followed by `#VERSION`.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Number of hexadecimal digits of a digest in a version.
const DIGEST_DIGITS: usize = 16;

/// Parsed name of an external policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// Program and arguments.
    pub(crate) words: Vec<String>,
    /// Version of the policy: the digests of the files in the command, on which its results depend
    /// too.
    pub(crate) version: String,
    /// Words of the command that are existing files.
    pub(crate) files: Vec<String>,
    /// Maximum time for an answer.
    pub(crate) limit: Duration,
}

impl Command {
    pub(crate) fn parse(name: &str) -> Result<Command, String> {
        let (_, text) = name.split_once(':').ok_or("expected PREFIX:COMMAND")?;
        let text = text.rsplit_once('#').map_or(text, |(command, _)| command);
        let words = shlex::split(text).ok_or("unclosed quotation mark")?;
        if words.is_empty() {
            return Err("expected a command after the colon".into());
        }
        let files: Vec<String> = words.iter().filter(|word| Path::new(word).is_file()).cloned().collect();
        let versions: Vec<String> = files.iter().map(|file| version(file)).collect::<Result<_, _>>()?;
        Ok(Command { version: versions.join(", "), limit: answer_limit()?, files, words })
    }
}

/// Returns the name of a file with the beginning of its digest.
fn version(file: &str) -> Result<String, String> {
    let content = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let digits: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{file} {}", &digits[..DIGEST_DIGITS]))
}

fn answer_limit() -> Result<Duration, String> {
    const NAME: &str = "DFRSIM_POLICY_TIMEOUT";
    let Some(text) = std::env::var_os(NAME) else {
        return Ok(Duration::from_secs(60));
    };
    let seconds = text.to_str().and_then(|text| text.parse().ok());
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.filter(|limit| !limit.is_zero()).ok_or_else(|| {
        format!("${NAME} is `{}`; expected a positive number of seconds", text.to_string_lossy())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_command_and_perhaps_a_version() {
        let command = Command::parse("pipe:./mine --level '3 4'#2").unwrap();
        assert_eq!(command.words, ["./mine", "--level", "3 4"]);
        assert_eq!((command.version.as_str(), command.limit), ("", Duration::from_secs(60)));
        for (wrong, fault) in [("pipe:", "expected a command"), ("pipe:a 'b", "unclosed quotation mark")] {
            assert!(Command::parse(wrong).unwrap_err().contains(fault), "{wrong}");
        }
    }

    #[test]
    fn rows_depend_on_the_files_that_a_command_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scheduler");
        let name = format!("pipe:sh {}", file.display());
        let mut versions = Vec::new();
        for content in ["a", "b", "a"] {
            fs::write(&file, content).unwrap();
            versions.push(Command::parse(&name).unwrap().version);
        }
        assert_eq!(versions[0], format!("{} ca978112ca1bbdca", file.display()));
        assert!(versions[0] == versions[2] && versions[0] != versions[1]);
    }
}
