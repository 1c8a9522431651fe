//! Platform files in TOML.

use super::{NodeClass, NodeClasses, Resource, Sharing};
use crate::{Share, Yield};
use dfrsim_input::{Faults, Input, Reader};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most nodes of a cluster.
const MOST_NODES: u64 = 10_000_000;
/// The most of a resource, of cores and of memory that a node has.
const MOST_OF_ONE: u32 = 10_000;
/// The most features of a cluster.
const MOST_FEATURES: usize = 64;

/// Why there is no such platform.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// It is not XML.
    #[error("expected a platform of SimGrid: {0}")]
    Xml(String),
    /// Fields are wrong: all of them.
    #[error("{}", .0.iter().map(|WrongField { path, reason }| format!("{path}: {reason}")).collect::<Vec<_>>().join("; "))]
    Fields(Vec<WrongField>),
    /// There are more nodes, or fewer.
    #[error("the classes have {found} nodes, expected {expected}")]
    Nodes {
        /// The nodes of all classes.
        found: u32,
        /// Those of the cluster.
        expected: u32,
    },
}

/// A field that has the right type, and is wrong all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongField {
    /// The field, as in `classes[1].speed`.
    pub path: String,
    /// What was expected.
    pub reason: String,
}

/// A platform as a TOML file describes it.
///
/// ```
/// use dfrsim_model::platform::classes::PlatformFields;
/// let text = r#"
///     shared = ["gpu"]
///     classes = [
///         { name = "cpu", nodes = 24, cores = 4, memory_gb = 8 },
///         { name = "gpu", nodes = 8, cores = 4, memory_gb = 16, speed = 0.8, resources = { gpu = 4 }, features = ["nvlink"] },
///     ]
/// "#;
/// let classes = PlatformFields::parse("platform.toml", text)?.classes()?;
/// assert_eq!((classes.nodes(), classes.of(24).amounts[0]), (32, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
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

/// An amount of memory in millionths, so that what people write is exact.
fn millionths(gigabytes: f64) -> u64 {
    (gigabytes * 1e6).round() as u64
}

/// What a class has of something of which the reference node has `whole`.
fn units(part: u64, whole: u64) -> u64 {
    (u128::from(part) * u128::from(Share::ONE.units()) / u128::from(whole)) as u64
}

impl PlatformFields {
    /// The fields of a text in TOML; `file` is what messages call it.
    ///
    /// # Errors
    /// It is not TOML, has other fields, or a field is out of its range: all that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<PlatformFields, Faults> {
        let input = Input::toml(file, text)?;
        let mut reader = Reader::default();
        let read: Option<PlatformFields> = reader.parsed(&input.root());
        for WrongField { path, reason } in read.iter().flat_map(PlatformFields::wrong_fields) {
            reader.fault_below(&input.root(), &path, reason);
        }
        reader.finish(read)
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

    /// The fields that are out of their ranges.
    fn wrong_fields(&self) -> Vec<WrongField> {
        let mut wrong = Wrong(Vec::new());
        wrong.unless(!self.classes.is_empty(), "classes", || "expected at least one class");
        if let Some(ReferenceNode { cores, memory_gb }) = self.reference {
            wrong.of_count("reference.cores", cores);
            wrong.of_memory("reference.memory_gb", memory_gb);
        }
        let (names, features) = (self.resource_names(), self.features());
        let few = || format!("expected at most {MOST_FEATURES} different features");
        wrong.unless(features.len() <= MOST_FEATURES, "classes", few);
        for name in names.iter().chain(&features).filter(|name| !is_name(name)) {
            let meant = "is no name of a resource or feature: expected letters, digits, `-` and `_`";
            wrong.unless(false, "classes", || format!("`{name}` {meant}"));
        }
        for unknown in self.shared.iter().filter(|name| !names.contains(name)) {
            wrong.unless(false, "shared", || format!("no class has the resource `{unknown}`"));
        }
        let mut nodes = 0_u64;
        for (number, class) in self.classes.iter().enumerate() {
            let field = |name: &str| format!("classes[{number}].{name}");
            let is_new = self.classes[..number].iter().all(|other| other.name != class.name);
            let own = || "expected a name of its own of letters, digits, `-` and `_`";
            wrong.unless(is_new && is_name(&class.name), &field("name"), own);
            nodes += u64::from(class.nodes);
            let most = || format!("expected at least 1, and at most {MOST_NODES} in all classes");
            wrong.unless(class.nodes > 0 && nodes <= MOST_NODES, &field("nodes"), most);
            wrong.of_count(&field("cores"), class.cores);
            wrong.of_memory(&field("memory_gb"), class.memory_gb);
            let is_speed = class.speed <= 1.0 && Yield::nearest(class.speed) > Yield::ZERO;
            let fastest = "expected a number above 0 and at most 1: run times are those of the fastest nodes";
            wrong.unless(is_speed, &field("speed"), || fastest);
            for (name, &amount) in &class.resources {
                wrong.of_count(&field(&format!("resources.{name}")), amount);
            }
        }
        wrong.0
    }

    fn resource_names(&self) -> BTreeSet<&String> {
        self.classes.iter().flat_map(|class| class.resources.keys()).collect()
    }

    fn features(&self) -> BTreeSet<&String> {
        self.classes.iter().flat_map(|class| &class.features).collect()
    }

    /// The classes that it describes.
    ///
    /// # Errors
    /// Fields are out of their ranges.
    pub fn classes(&self) -> Result<NodeClasses, PlatformError> {
        let wrong = self.wrong_fields();
        let Some(first) = self.classes.first().filter(|_| wrong.is_empty()) else {
            return Err(PlatformError::Fields(wrong));
        };
        let given = ReferenceNode { cores: first.cores, memory_gb: first.memory_gb };
        let reference = self.reference.unwrap_or(given);
        let whole_memory = millionths(reference.memory_gb);
        let (names, features) = (self.resource_names(), self.features());
        let sharing = |name| if self.shared.contains(name) { Sharing::Shared } else { Sharing::Rigid };
        let resources =
            names.iter().map(|&name| Resource { name: name.as_str().into(), sharing: sharing(name) });
        let bit = |name: &String| features.iter().position(|other| *other == name).unwrap_or_default();
        let class = |class: &ClassFields| NodeClass {
            name: class.name.clone(),
            nodes: class.nodes,
            cpu: units(class.cores.into(), reference.cores.into()),
            memory: units(millionths(class.memory_gb), whole_memory),
            speed: Yield::nearest(class.speed),
            amounts: names.iter().map(|&name| class.resources.get(name).copied().unwrap_or(0)).collect(),
            features: class.features.iter().fold(0, |all, name| all | 1 << bit(name)),
        };
        let add = |nodes: &mut u32, class: &ClassFields| {
            *nodes += class.nodes;
            Some(*nodes)
        };
        Ok(NodeClasses {
            resources: resources.collect(),
            classes: self.classes.iter().map(class).collect(),
            ends: self.classes.iter().scan(0, add).collect(),
            cores: reference.cores,
            features: features.into_iter().cloned().collect(),
        })
    }
}

/// The fields that were found wrong.
struct Wrong(Vec<WrongField>);

impl Wrong {
    fn unless<T: Into<String>>(&mut self, is_right: bool, path: &str, reason: impl Fn() -> T) {
        if !is_right {
            self.0.push(WrongField { path: path.to_owned(), reason: reason().into() });
        }
    }

    fn of_count(&mut self, path: &str, count: u32) {
        let is_right = (1..=MOST_OF_ONE).contains(&count);
        self.unless(is_right, path, || format!("expected a number between 1 and {MOST_OF_ONE}"));
    }

    fn of_memory(&mut self, path: &str, gigabytes: f64) {
        let is_right = (1e-3..=1e6).contains(&gigabytes);
        self.unless(is_right, path, || "expected a number of GB between 0.001 and 1000000");
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        PlatformFields::parse("p.toml", text).unwrap_err().to_string()
    }

    /// Twice the cores and half the memory of the first class, which is the reference.
    #[test]
    fn capacities_are_parts_of_the_reference_node() {
        let text = "classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8 },
            { name = 'b', nodes = 3, cores = 8, memory_gb = 4, speed = 0.5, resources = { gpu = 2 }, features = ['x'] }]";
        let fields = PlatformFields::parse("p.toml", text).unwrap();
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
        assert!(class(", speed = 1.5").starts_with(
            "p.toml:1:71: classes[0].speed: expected a number above 0 and at most 1: run times are those of the fastest nodes\n"
        ));
        assert!(
            class(", resources = { gpu = 0 }").starts_with(
                "p.toml:1:83: classes[0].resources.gpu: expected a number between 1 and 10000\n"
            )
        );
        assert!(class(", gpus = 3").contains("unknown field `gpus`"));
        assert!(class(", features = ['a b']").contains("`a b` is no name"));
        assert!(error("classes = []").starts_with("p.toml:1:11: classes: expected at least one class"));
        let twice = "classes = [{ name = 'a', nodes = 1, cores = 1, memory_gb = 1 }, { name = 'a', nodes = 1, cores = 1, memory_gb = 1 }]";
        assert!(error(twice).contains("a name of its own"));
        let shared = "shared = ['gpu']\nclasses = [{ name = 'a', nodes = 1, cores = 1, memory_gb = 1 }]";
        assert!(
            error(shared).starts_with("p.toml:1:10: shared: no class has the resource `gpu`"),
            "{}",
            error(shared)
        );
    }

    #[test]
    fn all_faults_of_a_file_are_reported() {
        let of = |text: &str| -> Vec<(usize, String, String)> {
            let faults = PlatformFields::parse("p.toml", text).unwrap_err().0;
            faults.into_iter().map(|fault| (fault.line.unwrap(), fault.path, fault.message)).collect()
        };
        let types = "[[classes]]\nname = 'a'\nnodes = 2\ncores = 'four'\nmemory_gb = 8\n\
            [[classes]]\nname = 'b'\nnodes = 3\ncores = 4\nmemory = 8\n[reference]\ncores = -4\nmemory_gb = 8\n";
        let text = |(line, path, message): (usize, String, String)| format!("{line} {path}: {message}");
        let found: Vec<String> = of(types).into_iter().map(text).collect();
        assert_eq!(
            found,
            [
                "4 classes[0].cores: invalid type: string \"four\", expected u32",
                "6 classes[1]: missing field `memory_gb`",
                "10 classes[1].memory: unknown field `memory`; did you mean `memory_gb`?",
                "12 reference.cores: invalid value: integer `-4`, expected u32",
            ]
        );
        let ranges = "[[classes]]\nname = 'a'\nnodes = 0\ncores = 4\nmemory_gb = 0\nspeed = 2\n";
        let lines: Vec<usize> = of(ranges).into_iter().map(|(line, ..)| line).collect();
        assert_eq!(lines, [3, 5, 6]);
    }
}
