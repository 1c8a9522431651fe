//! Selectors of VMs and nodes by their labels, in constraints.

use dfrsim_input::{Located, Reader};
use std::collections::{BTreeMap, BTreeSet};

/// Labels by name.
type Labels = BTreeMap<String, String>;

/// Names of all VMs, or of all nodes, with their labels.
pub(crate) struct Labelled<'a> {
    /// Noun for messages.
    pub(crate) kind: &'static str,
    pub(crate) all: Vec<(&'a str, &'a Labels)>,
}

/// VMs and nodes from which selectors select.
pub(crate) struct Population<'a> {
    pub(crate) vms: Labelled<'a>,
    pub(crate) nodes: Labelled<'a>,
}

impl Labelled<'_> {
    /// Reads the name of a label that some member has.
    fn known(&self, reader: &mut Reader, at: &Located<'_>, name: &str) -> Option<()> {
        let names: BTreeSet<&String> = self.all.iter().flat_map(|(_, labels)| labels.keys()).collect();
        if names.contains(&name.to_owned()) {
            return Some(());
        }
        let kind = self.kind;
        let message = match names.len() {
            0 => format!("no {kind} has a label"),
            _ => {
                let known = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                format!("no {kind} has the label `{name}`; expected one of {known}")
            }
        };
        reader.fault(at, message);
        None
    }
}

/// Reports a selector where no labels are known.
fn population<'p, 'a>(
    reader: &mut Reader,
    at: &Located<'_>,
    of: Option<&'p Labelled<'a>>,
) -> Option<&'p Labelled<'a>> {
    if of.is_none() {
        reader.fault(at, "selectors of labels are for states; expected a list of names");
    }
    of
}

/// Reads a selector `{"label": {"app": "web", "tier": ["a", "b"]}}` and returns the names of those that
/// have all of these labels, with the value or one of the values.
pub(crate) fn selected(
    reader: &mut Reader,
    at: &Located<'_>,
    of: Option<&Labelled<'_>>,
) -> Option<Vec<String>> {
    let object = reader.object(at, &["label"])?;
    let label = reader.field(&object, "label")?;
    let wanted = reader.any_object(&label)?;
    let of = population(reader, at, of)?;
    let mut all: Vec<&(&str, &Labels)> = of.all.iter().collect();
    let mut is_empty = true;
    for (name, at) in wanted.iter() {
        is_empty = false;
        of.known(reader, &at, name)?;
        let values: Vec<&str> = match at.items() {
            Some(items) => reader.each(&items, |reader, at| reader.text(at))?,
            None => vec![reader.text(&at)?],
        };
        all.retain(|(_, labels)| labels.get(name).is_some_and(|found| values.contains(&found.as_str())));
    }
    if is_empty {
        reader.fault(&label, "expected at least one label");
        return None;
    }
    if all.is_empty() {
        reader.fault(&label, format!("no {} has these labels", of.kind));
        return None;
    }
    Some(all.into_iter().map(|(name, _)| (*name).to_owned()).collect())
}

/// Reads `{"by_label": "zone"}` and returns a set for each value of the label, in the order of the
/// values. Those without the label are in no set.
pub(crate) fn sets_by_label(
    reader: &mut Reader,
    at: &Located<'_>,
    of: Option<&Labelled<'_>>,
) -> Option<Vec<Vec<String>>> {
    let object = reader.object(at, &["by_label"])?;
    let by = reader.field(&object, "by_label")?;
    let name = reader.text(&by)?;
    let of = population(reader, at, of)?;
    of.known(reader, &by, name)?;
    let mut sets: BTreeMap<&String, Vec<String>> = BTreeMap::new();
    for (own, labels) in &of.all {
        if let Some(value) = labels.get(name) {
            sets.entry(value).or_default().push((*own).to_owned());
        }
    }
    Some(sets.into_values().collect())
}
