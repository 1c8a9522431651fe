//! The files of figures.

use crate::failure::Failure;
use crate::output::OutputFile;
use clap::ValueEnum;
use dfrsim_plots::{Figure, Picture};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Vectors, with text as text
    Svg,
    /// Pixels, 1200 across
    Png,
}

impl Format {
    /// The format that the ending of a file's name means.
    pub(crate) fn of(path: &Path) -> Result<Format, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        Format::from_str(ending, false).map_err(|_| {
            Failure::input(format!("{}: expected a name that ends in .svg or .png", path.display()))
        })
    }
    fn ending(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
        }
    }
    fn bytes(self, picture: &Picture) -> Vec<u8> {
        match self {
            Format::Svg => picture.svg().into_bytes(),
            Format::Png => picture.png(),
        }
    }
}

/// Writes each figure in some formats and its data beside it, at a path to which endings are added. All files are whole
/// before the first one appears. The paths of the files, in their order.
pub(crate) fn write(figures: &[(PathBuf, Figure)], formats: &[Format]) -> Result<Vec<PathBuf>, Failure> {
    let (mut files, mut paths) = (Vec::new(), Vec::new());
    for (base, figure) in figures {
        let pictures = formats.iter().map(|format| (format.ending(), format.bytes(&figure.picture)));
        let all = pictures.chain([("csv", figure.csv.clone().into_bytes())]);
        for (ending, bytes) in all {
            let mut path = base.clone().into_os_string();
            path.push(".");
            path.push(ending);
            let path = PathBuf::from(path);
            let mut file = OutputFile::create(&path)?;
            file.write_all(&bytes).map_err(|error| file.failure(&error))?;
            files.push(file);
            paths.push(path);
        }
    }
    for file in files {
        file.finish()?;
    }
    Ok(paths)
}
