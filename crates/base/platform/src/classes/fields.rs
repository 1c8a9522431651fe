//! Platform files in TOML.

use super::{NodeClass, NodeClasses, Resource, Sharing};
use dfrsim_model::{Share, Yield};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The most nodes of a cluster.
const MOST_NODES: u64 = 10_000_000;
/// The most of a resource, of cores and of memory that a node has.
const MOST_OF_ONE: u32 = 10_000;
/// The most features of a cluster.
const MOST_FEATURES: usize = 64;

/// Why there is no such platform.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not TOML, or has other fields.
    #[error(transparent)]
    Toml(#[from] Box<toml::de::Error>),
    /// It is not XML.
    #[error("expected a platform of SimGrid: {0}")]
    Xml(String),
    /// A field is wrong.
    #[error("{field}: {reason}")]
    Field {
        /// The field.
        field: String,
        /// What is wrong.
        reason: String,
    },
    /// There are more nodes, or fewer.
    #[error("the classes have {found} nodes, expected {expected}")]
    Nodes {
        /// The nodes of all classes.
        found: u32,
        /// Those of the cluster.
        expected: u32,
    },
}

/// A platform as a TOML file describes it.
///
/// ```
/// use dfrsim_platform::classes::PlatformFields;
/// let text = r#"
///     shared = ["gpu"]
///     classes = [
///         { name = "cpu", nodes = 24, cores = 4, memory_gb = 8 },
///         { name = "gpu", nodes = 8, cores = 4, memory_gb = 16, speed = 0.8, resources = { gpu = 4 }, features = ["nvlink"] },
///     ]
/// "#;
/// let classes = PlatformFields::parse(text)?.classes()?;
/// assert_eq!((classes.nodes(), classes.of(24).amounts[0]), (32, 4));
/// # Ok::<(), dfrsim_platform::classes::PlatformError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformFields {
    /// The node of which CPU needs and memory of jobs are parts; the first class's unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceNode>,
    /// The resources that tasks share as they share CPU. Others are held as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// The classes of nodes.
    pub classes: Vec<ClassFields>,
}

/// The node of which CPU needs and memory of jobs are parts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceNode {
    /// Its cores.
    pub cores: u32,
    /// Its memory in GB.
    pub memory_gb: f64,
}

/// A class of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassFields {
    /// Its name.
    pub name: String,
    /// How many nodes it has.
    pub nodes: u32,
    /// The cores of a node.
    pub cores: u32,
    /// The memory of a node in GB.
    pub memory_gb: f64,
    /// The speed of a node: a part of that of the nodes on which run times were measured.
    #[serde(default = "full_speed", skip_serializing_if = "is_full_speed")]
    pub speed: f64,
    /// What a node has beside CPU and memory, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, u32>,
    /// What else jobs may ask for.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub features: BTreeSet<String>,
}

const fn full_speed() -> f64 {
    1.0
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_full_speed(speed: &f64) -> bool {
    *speed == full_speed()
}

fn fault(field: impl Into<String>, reason: impl Into<String>) -> PlatformError {
    PlatformError::Field { field: field.into(), reason: reason.into() }
}

/// An amount of memory in millionths, so that what people write is exact.
fn millionths(gigabytes: f64, field: String) -> Result<u64, PlatformError> {
    if (1e-3..=1e6).contains(&gigabytes) {
        Ok((gigabytes * 1e6).round() as u64)
    } else {
        Err(fault(field, "expected a number of GB between 0.001 and 1000000"))
    }
}

/// What a class has of something of which the reference node has `whole`.
fn units(part: u64, whole: u64) -> u64 {
    (u128::from(part) * u128::from(Share::ONE.units()) / u128::from(whole)) as u64
}

impl PlatformFields {
    /// The fields of a text in TOML.
    ///
    /// # Errors
    /// If it is not TOML, or has other fields.
    pub fn parse(text: &str) -> Result<PlatformFields, PlatformError> {
        toml::from_str(text).map_err(|error| PlatformError::Toml(Box::new(error)))
    }

    /// The classes that it describes, for a cluster of this many nodes.
    ///
    /// # Errors
    /// If a field is out of its range, or there are other numbers of nodes.
    pub fn classes_of(&self, nodes: u32) -> Result<NodeClasses, PlatformError> {
        let classes = self.classes()?;
        match classes.nodes() {
            found if found == nodes => Ok(classes),
            found => Err(PlatformError::Nodes { found, expected: nodes }),
        }
    }

    /// The classes that it describes.
    ///
    /// # Errors
    /// If a field is out of its range.
    pub fn classes(&self) -> Result<NodeClasses, PlatformError> {
        let first = self.classes.first().ok_or_else(|| fault("classes", "expected at least one class"))?;
        let given = ReferenceNode { cores: first.cores, memory_gb: first.memory_gb };
        let reference = self.reference.unwrap_or(given);
        check_count("reference.cores", reference.cores)?;
        let whole_memory = millionths(reference.memory_gb, "reference.memory_gb".into())?;
        let names: BTreeSet<&String> = self.classes.iter().flat_map(|class| class.resources.keys()).collect();
        let features: BTreeSet<&String> = self.classes.iter().flat_map(|class| &class.features).collect();
        if features.len() > MOST_FEATURES {
            return Err(fault("features", format!("expected at most {MOST_FEATURES} different ones")));
        }
        if let Some(name) = names.iter().chain(&features).find(|name| !is_name(name)) {
            return Err(fault(
                "classes",
                format!(
                    "`{name}` is no name of a resource or feature: expected letters, digits, `-` and `_`"
                ),
            ));
        }
        if let Some(unknown) = self.shared.iter().find(|name| !names.contains(name)) {
            return Err(fault("shared", format!("no class has the resource `{unknown}`")));
        }
        let sharing = |name| if self.shared.contains(name) { Sharing::Shared } else { Sharing::Rigid };
        let resources =
            names.iter().map(|&name| Resource { name: name.as_str().into(), sharing: sharing(name) });
        let resources: Vec<Resource> = resources.collect();
        let (mut classes, mut ends, mut nodes) = (Vec::<NodeClass>::new(), Vec::new(), 0_u64);
        for class in &self.classes {
            let field = |name: &str| format!("class `{}`: {name}", class.name);
            if !is_name(&class.name) || classes.iter().any(|other| other.name == class.name) {
                return Err(fault(
                    field("name"),
                    "expected a name of its own of letters, digits, `-` and `_`",
                ));
            }
            nodes += u64::from(class.nodes);
            if class.nodes == 0 || nodes > MOST_NODES {
                return Err(fault(
                    field("nodes"),
                    format!("expected at least 1, and at most {MOST_NODES} in all classes"),
                ));
            }
            check_count(&field("cores"), class.cores)?;
            if !(class.speed <= 1.0 && Yield::nearest(class.speed) > Yield::ZERO) {
                let expected =
                    "expected a number above 0 and at most 1: run times are those of the fastest nodes";
                return Err(fault(field("speed"), expected));
            }
            for (name, &amount) in &class.resources {
                check_count(&field(name), amount)?;
            }
            let bit = |name: &String| features.iter().position(|other| *other == name).unwrap_or_default();
            classes.push(NodeClass {
                name: class.name.clone(),
                nodes: class.nodes,
                cpu: units(class.cores.into(), reference.cores.into()),
                memory: units(millionths(class.memory_gb, field("memory_gb"))?, whole_memory),
                speed: Yield::nearest(class.speed),
                amounts: names.iter().map(|&name| class.resources.get(name).copied().unwrap_or(0)).collect(),
                features: class.features.iter().fold(0, |all, name| all | 1 << bit(name)),
            });
            ends.push(nodes as u32);
        }
        let features = features.into_iter().cloned().collect();
        Ok(NodeClasses { resources, features, classes, ends, cores: reference.cores })
    }
}

fn check_count(field: &str, count: u32) -> Result<(), PlatformError> {
    let expected = || fault(field, format!("expected a number between 1 and {MOST_OF_ONE}"));
    (1..=MOST_OF_ONE).contains(&count).then_some(()).ok_or_else(expected)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        PlatformFields::parse(text).and_then(|fields| fields.classes()).unwrap_err().to_string()
    }

    /// Twice the cores and half the memory of the first class, which is the reference.
    #[test]
    fn capacities_are_parts_of_the_reference_node() {
        let text = "classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8 },
            { name = 'b', nodes = 3, cores = 8, memory_gb = 4, speed = 0.5, resources = { gpu = 2 }, features = ['x'] }]";
        let fields = PlatformFields::parse(text).unwrap();
        let classes = fields.classes().unwrap();
        let one = u64::from(Share::ONE.units());
        let of = |node| (classes.of(node).cpu, classes.of(node).memory, classes.of(node).speed);
        assert_eq!(of(1), (one, one, Yield::ONE));
        assert_eq!(of(4), (2 * one, one / 2, Yield::from_ratio(1, 2)));
        assert_eq!((classes.nodes(), classes.class_of(2), classes.capacity()), (5, 1, 5.0));
        assert_eq!((classes.cores_of(0), classes.cores_of(1)), (4, 8));
        let needs = [0, 1, 2, 5, 8].map(|eighths| Share::from_ratio(eighths, 8));
        assert_eq!(
            needs.map(|need| classes.cores_for(need)),
            [1, 1, 1, 3, 4],
            "eighths of four cores, rounded up"
        );
        let reference = ReferenceNode { cores: 8, memory_gb: 16.0 };
        let classes = PlatformFields { reference: Some(reference), ..fields }.classes().unwrap();
        assert_eq!((classes.of(0).cpu, classes.of(0).memory), (one / 2, one / 2));
        assert_eq!((classes.capacity(), classes.bounding_nodes(), classes.bounding_units(0)), (2.5, 3, 3));
    }

    #[test]
    fn wrong_fields_are_named() {
        let class = |rest: &str| {
            error(&format!("classes = [{{ name = 'a', nodes = 2, cores = 4, memory_gb = 8{rest} }}]"))
        };
        assert_eq!(
            class(", speed = 1.5"),
            "class `a`: speed: expected a number above 0 and at most 1: run times are those of the fastest nodes"
        );
        assert_eq!(
            class(", resources = { gpu = 0 }"),
            "class `a`: gpu: expected a number between 1 and 10000"
        );
        assert!(class(", gpus = 3").contains("unknown field `gpus`"));
        assert!(class(", features = ['a b']").contains("`a b` is no name"));
        assert_eq!(error("classes = []"), "classes: expected at least one class");
        let twice = "classes = [{ name = 'a', nodes = 1, cores = 1, memory_gb = 1 }, { name = 'a', nodes = 1, cores = 1, memory_gb = 1 }]";
        assert!(error(twice).contains("a name of its own"));
        let shared = "shared = ['gpu']\nclasses = [{ name = 'a', nodes = 1, cores = 1, memory_gb = 1 }]";
        assert_eq!(error(shared), "shared: no class has the resource `gpu`");
    }
}
