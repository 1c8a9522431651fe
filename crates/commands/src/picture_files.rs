//! Files of figures and their data.

use crate::failure::Failure;
use crate::output::OutputFiles;
use clap::ValueEnum;
use dfrsim_plots::{Figure, Picture};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// File format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Vector graphics, with selectable text
    Svg,
    /// Pixels, 1,200 wide
    Png,
    /// Vector graphics for LaTeX, 8.5 cm wide, with the font embedded
    Pdf,
}

impl Format {
    /// Determines the format from the extension of the file name.
    pub(crate) fn of(path: &Path) -> Result<Format, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        Format::from_str(ending, false)
            .map_err(|_| Failure::in_file(path, "expected a file name that ends in .svg, .png or .pdf"))
    }
    fn ending(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
            Format::Pdf => "pdf",
        }
    }
    fn bytes(self, picture: &Picture) -> Vec<u8> {
        match self {
            Format::Svg => picture.svg().into_bytes(),
            Format::Png => picture.png(),
            Format::Pdf => picture.pdf(),
        }
    }
}

/// Picture file whose name the user chose, and the file of its data next to it.
pub(crate) struct PictureFile {
    path: PathBuf,
    format: Format,
}

impl PictureFile {
    pub(crate) fn new(path: &Path) -> Result<PictureFile, Failure> {
        Ok(PictureFile { path: path.to_owned(), format: Format::of(path)? })
    }
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
    /// Returns the path of the data: that of the picture with the extension `csv`.
    pub(crate) fn data(&self) -> PathBuf {
        self.path.with_extension("csv")
    }
    /// Writes the picture and its data. An existing data file is replaced only if it has the same
    /// columns, because the user has named the picture, not this file.
    pub(crate) fn write(&self, files: &mut OutputFiles, figure: &Figure) -> Result<(), Failure> {
        let data = self.data();
        let (first, new) = (first_line(&data), figure.csv.lines().next().unwrap_or_default());
        if first.is_some_and(|first| !first.is_empty() && first != new.as_bytes()) {
            return Err(Failure::in_file(
                &data,
                "the data of the picture would overwrite this file, whose first line is different; choose another name for the picture",
            ));
        }
        write(files, [(self.path.with_extension(""), figure)], &[self.format]).map(drop)
    }
}

/// Reads the first line of a regular file, limited to 4 KiB, which is ample for a header.
fn first_line(path: &Path) -> Option<Vec<u8>> {
    const MOST: u64 = 1 << 12;
    let file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file()).then(|| File::open(path))?.ok()?;
    let mut line = Vec::new();
    BufReader::new(file.take(MOST)).read_until(b'\n', &mut line).ok()?;
    line.pop_if(|byte| *byte == b'\n');
    Some(line)
}

/// Writes each figure in the given formats, and its data, at a base path to which the extensions are
/// added. Returns the paths of the files in the order of writing.
pub(crate) fn write<'a>(
    files: &mut OutputFiles,
    figures: impl IntoIterator<Item = (PathBuf, &'a Figure)>,
    formats: &[Format],
) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for (base, figure) in figures {
        let pictures = formats.iter().map(|format| (format.ending(), format.bytes(&figure.picture)));
        let all = pictures.chain([("csv", figure.csv.clone().into_bytes())]);
        for (ending, bytes) in all {
            let path = base.with_added_extension(ending);
            files.add_bytes(&path, bytes)?;
            paths.push(path);
        }
    }
    Ok(paths)
}
