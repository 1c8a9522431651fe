//! Input files of a run: digests, and copies for the results.

use super::manifest::InputSection;
use crate::RunError;
use crate::fields::{UsedFile, Uses};
use crate::key::Digest;
use crate::study::Input;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

/// Folder of the copies within the results.
pub(super) const COPIES: &str = "inputs";
/// Largest size of a copied file, in bytes.
const LONGEST_COPY: u64 = 16 << 20;
/// Number of hexadecimal digits of the digest in the name of a copy.
const DIGITS: usize = 8;

/// Copy of an input file: its name in the scenario, its name in the results, and its text.
pub(super) struct InputCopy {
    given: String,
    pub(super) name: String,
    pub(super) text: String,
}

/// Completes the inputs reported by the study with the digests of all other files that the scenario
/// uses.
pub(super) fn inputs(uses: &Uses, known: Vec<Input>) -> Result<Vec<Input>, RunError> {
    let mut inputs = known;
    // A pipe is skipped: it can be read only once, and the study has read it.
    for UsedFile { given, path, .. } in uses.files.iter().filter(|file| file.path.is_file()) {
        if inputs.iter().all(|input| input.file != *given) {
            let digest = File::open(path).and_then(Digest::from_reader);
            let digest = digest.map_err(|error| RunError::io(path, error))?;
            inputs.push(Input::new(given, digest));
        }
    }
    for input in &mut inputs {
        input.path = uses.files.iter().find(|used| used.given == input.file).map(|used| used.path.clone());
    }
    Ok(inputs)
}

/// Copies the files that are text of at most 16 MiB and unchanged since they were read.
pub(super) fn copies(uses: &Uses, inputs: &[Input]) -> Vec<InputCopy> {
    let copied = |file: &UsedFile| {
        let digest = inputs.iter().find(|input| input.file == file.given)?.digest.to_string();
        let text =
            text(&file.path).filter(|text| Digest::from_bytes(text.as_bytes()).to_string() == digest)?;
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' }
        };
        let base: String = Path::new(&file.given).file_name()?.to_string_lossy().chars().map(plain).collect();
        let name = format!("{COPIES}/{}-{base}", &digest[..DIGITS]);
        Some(InputCopy { given: file.given.clone(), name, text })
    };
    uses.files.iter().filter(|file| file.is_copied).filter_map(copied).collect()
}

/// Builds the manifest entries of the input files.
pub(super) fn sections(inputs: &[Input], copies: &[InputCopy]) -> Vec<InputSection> {
    let section = |input: &Input| {
        let copy = copies.iter().find(|copy| copy.given == input.file).map(|copy| copy.name.clone());
        InputSection { copy, ..InputSection::new(input) }
    };
    inputs.iter().map(section).collect()
}

fn text(path: &Path) -> Option<String> {
    fs::metadata(path).ok().filter(|metadata| metadata.is_file() && metadata.len() <= LONGEST_COPY)?;
    let mut text = String::new();
    File::open(path).ok()?.take(LONGEST_COPY).read_to_string(&mut text).ok()?;
    Some(text)
}
