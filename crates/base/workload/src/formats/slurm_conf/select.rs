//! Selection of nodes: whole nodes or shares of them, with memory or without
//! (`SelectType`, `SelectTypeParameters`, `OverSubscribe` of partitions).

use super::lines::Location;
use super::{ConfError, Note};

/// Parts of nodes that jobs get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SelectType {
    /// Cores of nodes (`select/cons_tres`, `select/cons_res`).
    #[default]
    Shares,
    /// Whole nodes (`select/linear`).
    Nodes,
}

/// Parameters by which Slurm selects nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeSelection {
    of_type: Option<SelectType>,
    /// Parameters, in upper case; `None` if the file does not give them.
    parameters: Option<Vec<String>>,
}

/// Parameters of `SelectTypeParameters` that are simulated as they are, or have no effect on
/// allocations that a listing records. Each can end in `_MEMORY`.
const USED: [&str; 5] = ["CR_CPU", "CR_CORE", "CR_MEMORY", "CR_ONE_TASK_PER_CORE", "NONE"];

/// Parameters of `SelectTypeParameters` that are not simulated.
const OTHERS: [&str; 10] = [
    "CR_SOCKET",
    "CR_BOARD",
    "CR_LLN",
    "CR_PACK_NODES",
    "CR_CORE_DEFAULT_DIST_BLOCK",
    "LL_SHARED_GRES",
    "MULTIPLE_SHARING_GRES_PJ",
    "ENFORCE_BINDING_GRES",
    "OTHER_CONS_RES",
    "OTHER_CONS_TRES",
];

fn without_memory(parameter: &str) -> &str {
    parameter.strip_suffix("_MEMORY").filter(|kind| *kind != "CR").unwrap_or(parameter)
}

impl NodeSelection {
    /// Parses `SelectType`; returns whether all of it is simulated.
    pub(super) fn set_type(&mut self, value: &str, at: &Location) -> Result<bool, ConfError> {
        self.of_type = Some(match value.to_ascii_lowercase().as_str() {
            "select/cons_tres" | "select/cons_res" => SelectType::Shares,
            "select/linear" | "select/cray_aries" | "select/cray" => SelectType::Nodes,
            _ => return Err(at.unexpected(value, "select/cons_tres, select/cons_res or select/linear")),
        });
        Ok(true)
    }

    /// Parses `SelectTypeParameters`; returns the names of those that are not simulated.
    pub(super) fn set_parameters(&mut self, value: &str, at: &Location) -> Result<Vec<String>, ConfError> {
        let names = value.split(',').map(|name| name.trim().to_ascii_uppercase());
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        let mut ignored = Vec::new();
        for name in &names {
            let kind = without_memory(name);
            if OTHERS.contains(&kind) {
                ignored.push(format!("SelectTypeParameters={name}"));
            } else if !USED.contains(&kind) {
                let reason = super::unknown("parameter", name, &mut USED.into_iter().chain(OTHERS));
                return Err(at.error(reason));
            }
        }
        self.parameters = Some(names);
        Ok(ignored)
    }

    fn has(&self, name: &str) -> bool {
        self.parameters.iter().flatten().any(|own| own == name)
    }

    /// Returns whether all jobs get whole nodes.
    pub(super) fn is_of_whole_nodes(&self) -> bool {
        let is_layered = self.has("OTHER_CONS_RES") || self.has("OTHER_CONS_TRES");
        self.of_type == Some(SelectType::Nodes) && !is_layered
    }

    /// Returns whether jobs use up the memory of nodes.
    pub(super) fn has_memory(&self) -> bool {
        match &self.parameters {
            Some(names) => names.iter().any(|name| name.ends_with("_MEMORY")),
            None => !self.is_of_whole_nodes(),
        }
    }

    /// Returns notes on the consequences of these parameters.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.of_type.is_none() {
            notes.push(Note::guessed(
                "SelectType is not set: select/cons_tres is assumed, the default of current versions of Slurm (older ones: select/linear, whole nodes)",
            ));
        }
        if self.is_of_whole_nodes() {
            notes.push(Note::noted("SelectType: each job has whole nodes"));
        }
        match (&self.parameters, self.has_memory()) {
            (None, true) if self.of_type.is_some() => notes.push(Note::guessed(
                "SelectTypeParameters is not set: CR_Core_Memory is assumed, Slurm's default",
            )),
            (Some(names), false) => notes.push(Note::noted(format!(
                "SelectTypeParameters={}: memory is not consumable, and jobs do not wait for it",
                names.join(",")
            ))),
            (None, false) => {
                notes.push(Note::noted("memory is not consumable, and jobs do not wait for it"));
            }
            _ => {}
        }
        notes
    }
}

/// Sharing of the nodes of a partition (`OverSubscribe`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OverSubscription {
    /// Jobs share nodes, but not cores.
    Nodes,
    /// Each job has whole nodes.
    None,
    /// Up to this many jobs share a core.
    Cores(u32),
}

impl OverSubscription {
    /// Parses the value of `OverSubscribe`, formerly `Shared`.
    pub(super) fn of(value: &str, at: &Location) -> Result<OverSubscription, ConfError> {
        let (kind, count) = value.split_once(':').map_or((value, None), |(kind, count)| (kind, Some(count)));
        let count = count.map(|count| at.number(count)).transpose()?;
        match kind.to_ascii_uppercase().as_str() {
            "NO" | "YES" => Ok(OverSubscription::Nodes),
            "EXCLUSIVE" => Ok(OverSubscription::None),
            "FORCE" => Ok(match count.unwrap_or(4) {
                0 | 1 => OverSubscription::Nodes,
                jobs => OverSubscription::Cores(jobs),
            }),
            _ => Err(at.unexpected(value, "NO, YES, FORCE or EXCLUSIVE, with a number behind a colon")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_counts_only_if_a_parameter_says_so() {
        for (of_type, parameters, has_memory, is_whole) in [
            (None, None, true, false),
            (Some("select/cons_tres"), None, true, false),
            (Some("select/cons_tres"), Some("CR_Core"), false, false),
            (Some("select/cons_res"), Some("CR_CPU_Memory,CR_LLN"), true, false),
            (Some("select/linear"), None, false, true),
            (Some("select/linear"), Some("CR_Memory"), true, true),
            (Some("select/cray_aries"), Some("OTHER_CONS_RES,CR_CPU"), false, false),
        ] {
            let (mut selection, at) = (NodeSelection::default(), Location::default());
            of_type.map(|of_type| selection.set_type(of_type, &at).unwrap());
            parameters.map(|parameters| selection.set_parameters(parameters, &at).unwrap());
            let found = (selection.has_memory(), selection.is_of_whole_nodes());
            assert_eq!(found, (has_memory, is_whole), "{of_type:?} {parameters:?}");
        }
        let error = NodeSelection::default().set_parameters("CR_Cores", &Location::default()).unwrap_err();
        assert!(error.reason.contains("did you mean `CR_CORE`"), "{error}");
    }
}
