//! Listings of `sacctmgr`: associations and QOS.

use super::ConfError;
use super::lines::Location;
use std::path::Path;
use std::sync::Arc;

/// A row of a listing.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) at: Location,
    /// Normalised column names (see [`key`]) and values.
    pub(super) fields: Vec<(Arc<str>, String)>,
}

impl Row {
    /// Returns the value of the column with this [`key`]; empty if the listing lacks it.
    pub(super) fn get(&self, column: &str) -> &str {
        self.fields.iter().find(|(name, _)| **name == *column).map_or("", |(_, value)| value.as_str())
    }
    /// Returns whether the listing has the column with this [`key`].
    pub(super) fn has(&self, column: &str) -> bool {
        self.fields.iter().any(|(name, _)| **name == *column)
    }
    /// Sets the value of a column, which is added if necessary.
    pub(super) fn set(&mut self, column: &str, value: &str) {
        let column = key(column);
        match self.fields.iter_mut().find(|(name, _)| **name == *column) {
            Some((_, old)) => value.clone_into(old),
            None => self.fields.push((column.into(), value.to_owned())),
        }
    }
}

/// Normalises a column name: lower case, without blanks, and with a single spelling for aliases.
/// `Par Name` becomes `parent`.
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
        "maxjobsaccrueperuser" => "maxjobsaccruepu",
        "maxjobsaccrueperaccount" => "maxjobsaccruepa",
        "minpriothreshold" | "minprio" => "minpriothresh",
        "usagethreshold" => "usagethres",
        _ => return name,
    }
    .to_owned()
}

/// Reads the rows of a listing (`sacctmgr show ... --parsable2`), or of a file from `sacctmgr dump`.
pub(super) fn read(path: &Path, needed: &str) -> Result<Vec<Row>, ConfError> {
    let file: Arc<str> = path.display().to_string().into();
    let at =
        |line, parameter: &str| Location { file: Arc::clone(&file), line, parameter: parameter.to_owned() };
    let text = dfrsim_model::read_text_file(path).map_err(|error| at(0, "").error(error.to_string()))?;
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((number, first)) = lines.clone().find(|(_, line)| !line.starts_with('#')) else {
        return Err(
            at(1, needed).error("expected a listing of `sacctmgr show --parsable2`, found an empty file")
        );
    };
    if first.contains(" - '") {
        return parse_dump(lines.filter(|(_, line)| !line.starts_with('#')), at);
    }
    let names: Vec<Arc<str>> = first.split('|').map(|name| key(name).into()).collect();
    if !names.iter().any(|name| **name == *key(needed)) {
        let reason = "expected a header line with this column, as printed by `sacctmgr show --parsable2`";
        return Err(at(number, needed).error(reason));
    }
    let row = |(number, line): (usize, &str)| {
        let values: Vec<&str> = line.split('|').collect();
        if values.len() != names.len() {
            let reason = format!("expected {} fields, found {}", names.len(), values.len());
            return Err(at(number, needed).error(reason));
        }
        let fields = names.iter().cloned().zip(values.into_iter().map(|value| value.trim_end().to_owned()));
        Ok(Row { at: at(number, needed), fields: fields.collect() })
    };
    lines.by_ref().skip_while(|(line, _)| *line <= number).map(row).collect()
}

/// Parses a dump. Lines such as `Account - 'physics':Fairshare=10` belong to the account of the last
/// line `Parent - 'root'`.
fn parse_dump<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    at: impl Fn(usize, &str) -> Location,
) -> Result<Vec<Row>, ConfError> {
    let (mut rows, mut parent) = (Vec::new(), String::from("root"));
    for (number, line) in lines {
        let at = at(number, "Account");
        let parts = split_at_colons(line);
        let named = parts.first().and_then(|first| first.split_once(" - "));
        let Some((kind, name)) = named.map(|(kind, name)| (kind.trim(), unquoted(name))) else {
            return Err(at.unexpected(line, "a line such as Account - 'physics':Fairshare=10"));
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
            _ => return Err(row.at.unexpected(kind, "Cluster, Parent, Account or User")),
        }
        for (name, value) in parts[1..].iter().filter_map(|part| part.split_once('=')) {
            row.set(name, &unquoted(value));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Splits a line at the colons that are not in quotes.
fn split_at_colons(line: &str) -> Vec<&str> {
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
