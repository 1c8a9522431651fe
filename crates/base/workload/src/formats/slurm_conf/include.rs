//! Reader of a parameter file with the files that it includes.

use super::ConfError;
use super::lines::{ConfLine, Location, parse_lines};
use std::path::{Path, PathBuf};

/// Maximum nesting depth of includes.
const MAX_DEPTH: usize = 10;

/// Lines of a file and of the files that it includes.
#[derive(Clone, Debug, Default)]
pub(super) struct ConfFile {
    pub(super) lines: Vec<ConfLine>,
    /// Files that were found at another place than the one that is written.
    pub(super) notes: Vec<String>,
}

/// Reads a file and the files that it includes. Included names are relative to the folder of the
/// including file. If an included file is not where the path says, as in a copy of a site's folder,
/// the end of the path is looked for in that folder.
pub(super) fn read(path: &Path) -> Result<ConfFile, ConfError> {
    let mut file = ConfFile::default();
    let at = Location { file: path.display().to_string().into(), line: 0, parameter: String::new() };
    file.add(path, &at, 0)?;
    Ok(file)
}

impl ConfFile {
    fn add(&mut self, path: &Path, from: &Location, depth: usize) -> Result<(), ConfError> {
        if depth > MAX_DEPTH {
            return Err(from.error("files include each other, or are nested too deeply"));
        }
        let text = dfrsim_model::read_text_file(path).map_err(|error| match depth {
            0 => from.error(error.to_string()),
            _ => from.error(format!("{}: {}", path.display(), dfrsim_model::describe_io(&error))),
        })?;
        for line in parse_lines(&text, &path.display().to_string()) {
            match &line.pairs[..] {
                [(include, _), (file, _)] if include.eq_ignore_ascii_case("include") => {
                    let at = line.at.for_parameter("Include");
                    let found = self.find(path.parent().unwrap_or(Path::new(".")), file, &at);
                    self.add(&found, &at, depth + 1)?;
                }
                _ => self.lines.push(line),
            }
        }
        Ok(())
    }

    /// Returns the path of an included file.
    fn find(&mut self, folder: &Path, written: &str, at: &Location) -> PathBuf {
        let path = folder.join(written);
        if path.exists() {
            return path;
        }
        let parts: Vec<_> = Path::new(written).components().collect();
        let ends = (1..parts.len()).map(|first| folder.join(parts[first..].iter().collect::<PathBuf>()));
        let Some(copy) = { ends }.find(|path| path.is_file()) else { return path };
        let Location { file, line, .. } = at;
        self.notes.push(format!(
            "{file}: line {line}: Include: {written} is not there; {} is read instead",
            copy.display()
        ));
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_included_and_lines_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("slurm.conf"), "A=1 \\\nB=\"x y\"  # no more\nInclude nodes.conf\nC=\n").unwrap();
        fs::write(path("nodes.conf"), "\nNodeName=n1\n").unwrap();
        let lines = read(&path("slurm.conf")).unwrap().lines;
        let found: Vec<_> = lines.iter().map(|line| (line.at.line, format!("{:?}", line.pairs))).collect();
        let expected =
            [(2, r#"[("A", "1"), ("B", "x y")]"#), (2, r#"[("NodeName", "n1")]"#), (4, r#"[("C", "")]"#)];
        assert_eq!(found, expected.map(|(line, pairs)| (line, pairs.to_owned())));
        assert!(lines[1].at.file.ends_with("nodes.conf"));
        fs::write(path("nodes.conf"), "Include slurm.conf\n").unwrap();
        let error = read(&path("slurm.conf")).unwrap_err().to_string();
        assert!(
            error.ends_with("line 3: Include: files include each other, or are nested too deeply"),
            "{error}"
        );
        fs::write(path("nodes.conf"), "Include none.conf\n").unwrap();
        let error = read(&path("slurm.conf")).unwrap_err().to_string();
        assert!(error.contains("nodes.conf: line 1: Include: ") && error.contains("none.conf"), "{error}");
    }

    #[test]
    fn absolute_paths_of_a_copied_folder_are_found_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("parts")).unwrap();
        fs::write(folder.path().join("slurm.conf"), "Include /etc/slurm/parts/nodes.conf\n").unwrap();
        fs::write(folder.path().join("parts/nodes.conf"), "NodeName=n1\n").unwrap();
        let read = read(&folder.path().join("slurm.conf")).unwrap();
        assert_eq!(read.lines.len(), 1);
        let [note] = &read.notes[..] else { panic!("{:?}", read.notes) };
        assert!(note.contains("line 1: Include: /etc/slurm/parts/nodes.conf is not there; "), "{note}");
        assert!(note.ends_with("parts/nodes.conf is read instead"), "{note}");
    }
}
