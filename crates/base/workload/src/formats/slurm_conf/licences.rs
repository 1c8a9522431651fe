//! Licences that `scontrol show licenses` lists, among them remote ones, which are in the database alone
//! (<https://slurm.schedmd.com/licenses.html>).

use super::lines::{Location, parse_lines};
use super::{ConfError, ConfErrors};
use std::path::Path;

/// Answer of `scontrol` if there are none.
const NONE: &str = "No licenses configured in Slurm";

/// Reads the names of the licences that a cluster has, and their numbers.
///
/// # Errors
///
/// A file that cannot be read, or all invalid lines.
pub(super) fn read(path: &Path) -> Result<Vec<(String, u32)>, ConfErrors> {
    let file = path.display().to_string();
    let whole = Location { file: file.as_str().into(), ..Location::default() };
    let text = dfrsim_model::read_text_file(path).map_err(|error| whole.error(error.to_string()))?;
    if text.trim_start().starts_with(NONE) {
        return Ok(Vec::new());
    }
    let (mut all, mut errors) = (Vec::<Licence>::new(), Vec::new());
    for line in &parse_lines(&text, &file) {
        for (key, value) in &line.pairs {
            errors.extend(add(&mut all, key, value, &line.at).err());
        }
    }
    for it in all.iter().filter(|it| it.total.is_none()) {
        errors.push(it.at.error("expected Total=, the number of the licences"));
    }
    if all.is_empty() && errors.is_empty() {
        errors.push(whole.error(EXPECTED));
    }
    ConfErrors::or(errors, all.into_iter().filter_map(|it| Some((it.name, it.total?))).collect())
}

const EXPECTED: &str = "expected the output of `scontrol show licenses`, beginning with LicenseName=";

/// A licence of the listing.
struct Licence {
    name: String,
    total: Option<u32>,
    at: Location,
}

/// Adds a pair of the listing.
fn add(all: &mut Vec<Licence>, key: &str, value: &str, at: &Location) -> Result<(), ConfError> {
    if key == "LicenseName" {
        let at = at.for_parameter(format!("LicenseName={value}"));
        if value.is_empty() || all.iter().any(|it| it.name == value) {
            return Err(at.error("expected a name that no other licence has"));
        }
        all.push(Licence { name: value.to_owned(), total: None, at });
        return Ok(());
    }
    let Some(last) = all.last_mut() else { return Err(at.for_parameter("").error(EXPECTED)) };
    if key == "Total" {
        last.total = Some(last.at.for_parameter(format!("LicenseName={} Total", last.name)).number(value)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<(String, u32)>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.txt");
        std::fs::write(&path, text).unwrap();
        let folder = format!("{}/", folder.path().display());
        read(&path).map_err(|error| error.to_string().replace(&folder, ""))
    }

    /// Versions before 23.02 have no deficit, and `--oneliner` prints each licence on a line.
    #[test]
    fn listings_of_all_versions_are_read() {
        let name = str::to_owned;
        let late = "LicenseName=cae\n    Total=30 Used=1 Free=29 Reserved=0 Remote=no\nLicenseName=cae@db\n    Total=2400 Used=1357 Free=1043 Reserved=4 Remote=yes\n    LastConsumed=3 LastDeficit=0 LastUpdate=2026-06-12T08:01:02\n";
        assert_eq!(of(late).unwrap(), [(name("cae"), 30), (name("cae@db"), 2400)]);
        let one = "LicenseName=cae@a Total=2 Used=0 Free=2 Reserved=0 Remote=yes\nLicenseName=cae@b Total=4 Used=1 Free=3 Remote=yes\n";
        assert_eq!(of(one).unwrap(), [(name("cae@a"), 2), (name("cae@b"), 4)]);
        assert_eq!(of("No licenses configured in Slurm.\n").unwrap(), []);
    }

    #[test]
    fn what_is_no_list_of_licences_is_refused() {
        for (text, message) in [
            ("", "l.txt: expected the output of `scontrol show licenses`, beginning with LicenseName="),
            (
                "Licenses=cae:4\n",
                "l.txt: line 1: expected the output of `scontrol show licenses`, beginning with LicenseName=",
            ),
            (
                "LicenseName=a\n Used=3\n",
                "l.txt: line 1: LicenseName=a: expected Total=, the number of the licences",
            ),
            (
                "LicenseName=a Total=many\n",
                "l.txt: line 1: LicenseName=a Total: expected a whole number, found `many`\nl.txt: line 1: LicenseName=a: expected Total=, the number of the licences",
            ),
            (
                "LicenseName=a Total=1\nLicenseName=a Total=2\n",
                "l.txt: line 2: LicenseName=a: expected a name that no other licence has",
            ),
        ] {
            assert_eq!(of(text).unwrap_err(), message, "{text}");
        }
    }
}
