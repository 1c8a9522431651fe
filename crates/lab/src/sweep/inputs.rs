//! The files that a run reads: their digests, and the copies that its results keep.

use super::manifest::InputSection;
use crate::RunError;
use crate::fields::{UsedFile, Uses};
use crate::key::Digest;
use crate::study::Input;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

/// The folder of copies in results.
pub(super) const COPIES: &str = "inputs";
/// The longest file that is copied, in bytes.
const LONGEST_COPY: u64 = 16 << 20;
/// The digits of its digest that the name of a copy has.
const DIGITS: usize = 8;

/// A copy: the file in the scenario, the name in the results, the text.
pub(super) struct Copied {
    given: String,
    pub(super) name: String,
    pub(super) text: String,
}

/// What the study knows about its files, and the digest of each other one that the scenario uses.
pub(super) fn inputs(uses: &Uses, known: Vec<Input>) -> Result<Vec<Input>, RunError> {
    let mut inputs = known;
    // A pipe was read by the study, and can be read only once.
    for UsedFile { given, path, .. } in uses.files.iter().filter(|file| file.path.is_file()) {
        if inputs.iter().all(|input| input.file != *given) {
            let digest = File::open(path).and_then(Digest::from_reader);
            let digest = digest.map_err(|error| RunError::io(path, error))?;
            inputs.push(Input { file: given.clone(), digest, report: Vec::new(), counts: Vec::new() });
        }
    }
    Ok(inputs)
}

/// Copies of the files that are text of at most 16 MB and still what was read.
pub(super) fn copies(uses: &Uses, inputs: &[Input]) -> Vec<Copied> {
    let copied = |file: &UsedFile| {
        let digest = inputs.iter().find(|input| input.file == file.given)?.digest.to_string();
        let text =
            text(&file.path).filter(|text| Digest::from_bytes(text.as_bytes()).to_string() == digest)?;
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' }
        };
        let base: String = Path::new(&file.given).file_name()?.to_string_lossy().chars().map(plain).collect();
        let name = format!("{COPIES}/{}-{base}", &digest[..DIGITS]);
        Some(Copied { given: file.given.clone(), name, text })
    };
    uses.files.iter().filter(|file| file.is_copied).filter_map(copied).collect()
}

/// What the manifest says about the files.
pub(super) fn sections(inputs: &[Input], copies: &[Copied]) -> Vec<InputSection> {
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
