//! What `sacctmgr` lists: associations and qualities of service.

use super::ConfError;
use super::lines::At;
use std::path::Path;
use std::sync::Arc;

/// A line of a listing by its columns.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) at: At,
    /// Names of columns in small letters without blanks, and values.
    pub(super) fields: Vec<(Arc<str>, String)>,
}

impl Row {
    /// What the column of this [`key`] has; empty if it is not there.
    pub(super) fn get(&self, column: &str) -> &str {
        self.fields.iter().find(|(name, _)| **name == *column).map_or("", |(_, value)| value.as_str())
    }
    /// Sets a column.
    pub(super) fn set(&mut self, column: &str, value: &str) {
        let column = key(column);
        match self.fields.iter_mut().find(|(name, _)| **name == *column) {
            Some((_, old)) => value.clone_into(old),
            None => self.fields.push((column.into(), value.to_owned())),
        }
    }
}

/// A name of a column without its blanks and in small letters, one for each that has several: `Par Name` is `parent`.
pub(super) fn key(column: &str) -> String {
    let name: String =
        column.chars().filter(|letter| !letter.is_whitespace()).flat_map(char::to_lowercase).collect();
    match name.as_str() {
        "parname" | "parentname" => "parent",
        "fairshare" | "rawshares" => "share",
        "maxjobsperuser" => "maxjobspu",
        "maxtresperuser" => "maxtrespu",
        "maxsubmitjobsperuser" | "maxsubmitperuser" | "maxsubmitjobspu" => "maxsubmitpu",
        "maxjobsperaccount" => "maxjobspa",
        "maxtresperaccount" => "maxtrespa",
        "maxsubmitjobsperaccount" | "maxsubmitjobspa" => "maxsubmitpa",
        "maxwalldurationperjob" => "maxwall",
        "maxsubmitjobs" => "maxsubmit",
        "grpsubmitjobs" => "grpsubmit",
        "maxtresperjob" | "maxtrespj" => "maxtres",
        "maxtrespernode" | "maxtrespn" => "maxtrespernode",
        "defaultqos" => "defqos",
        _ => return name,
    }
    .to_owned()
}

/// The lines of a listing (`sacctmgr show ... --parsable2`), or of a file of `sacctmgr dump`.
pub(super) fn read(path: &Path, needed: &str) -> Result<Vec<Row>, ConfError> {
    let file: Arc<str> = path.display().to_string().into();
    let at = |line, parameter: &str| At { file: Arc::clone(&file), line, parameter: parameter.to_owned() };
    let text = dfrsim_model::read_text_file(path).map_err(|error| at(0, "").fault(error.to_string()))?;
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((number, first)) = lines.clone().find(|(_, line)| !line.starts_with('#')) else {
        return Err(
            at(1, needed).fault("expected a listing of `sacctmgr show --parsable2`, found an empty file")
        );
    };
    if first.contains(" - '") {
        return dumped(lines.filter(|(_, line)| !line.starts_with('#')), at);
    }
    let names: Vec<Arc<str>> = first.split('|').map(|name| key(name).into()).collect();
    if !names.iter().any(|name| **name == *key(needed)) {
        let reason = "expected a first line with this column, as `sacctmgr show --parsable2` prints it";
        return Err(at(number, needed).fault(reason));
    }
    let row = |(number, line): (usize, &str)| {
        let values: Vec<&str> = line.split('|').collect();
        if values.len() != names.len() {
            let reason = format!("expected {} fields, found {}", names.len(), values.len());
            return Err(at(number, needed).fault(reason));
        }
        let fields = names.iter().cloned().zip(values.into_iter().map(|value| value.trim_end().to_owned()));
        Ok(Row { at: at(number, needed), fields: fields.collect() })
    };
    lines.by_ref().skip_while(|(line, _)| *line <= number).map(row).collect()
}

/// Lines such as `Account - 'physics':Fairshare=10`, below the account of the last line `Parent - 'root'`.
fn dumped<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    at: impl Fn(usize, &str) -> At,
) -> Result<Vec<Row>, ConfError> {
    let (mut rows, mut parent) = (Vec::new(), String::from("root"));
    for (number, line) in lines {
        let at = at(number, "Account");
        let parts = colons(line);
        let named = parts.first().and_then(|first| first.split_once(" - "));
        let Some((kind, name)) = named.map(|(kind, name)| (kind.trim(), unquoted(name))) else {
            return Err(at.found(line, "a line such as Account - 'physics':Fairshare=10"));
        };
        let mut row = Row { at, fields: Vec::new() };
        match kind {
            "Parent" => {
                parent = name;
                continue;
            }
            "Cluster" => continue,
            "Account" => {
                row.set("account", &name);
                row.set("parent", &parent);
            }
            "User" => {
                row.set("account", &parent);
                row.set("user", &name);
            }
            _ => return Err(row.at.found(kind, "Cluster, Parent, Account or User")),
        }
        for (name, value) in parts[1..].iter().filter_map(|part| part.split_once('=')) {
            row.set(name, &unquoted(value));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The parts between colons that are in no quotes.
fn colons(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    line.split(|letter| {
        is_quoted ^= letter == '\'';
        letter == ':' && !is_quoted
    })
    .collect()
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches('\'').to_owned()
}
