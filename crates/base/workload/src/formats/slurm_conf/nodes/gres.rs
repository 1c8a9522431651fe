//! Generic resources of nodes, of `slurm.conf` and `gres.conf`.

use super::super::lines::Location;
use super::super::names::identifier;
use super::super::{ConfError, Note};
use dfrsim_model::platform::devices::{MOST_DEVICES, SMALLEST_PART, WHOLE_DEVICE};
use std::collections::BTreeMap;

/// Generic resource of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gres {
    pub(super) name: String,
    pub(super) of_type: Option<String>,
    /// Number of units per node.
    pub(super) count: u64,
    /// True if jobs do not use up the units (`no_consume`).
    pub(super) is_free: bool,
}

/// Largest number of units of a resource of a node in a platform.
const MAX_UNITS: u64 = 10_000;

/// Resources of a node, with statements about what cannot be simulated as it is.
#[derive(Debug, Default)]
pub(super) struct NodeResources {
    /// The total by name (`gpu`), and the units of each type (`gpu_a100`).
    pub(super) counts: BTreeMap<String, u32>,
    pub(super) notes: Vec<Note>,
}

/// Parses a generic resource: `gpu:a100:4(S:0-1)`, `gpu:4`, `gpu:a100`, `gpu` or
/// `gpu:no_consume:4`.
fn parse_one(text: &str, at: &Location) -> Result<Gres, ConfError> {
    let part = text.split('(').next().unwrap_or_default();
    let is_free = part.split(':').any(|word| word == "no_consume");
    let words: Vec<&str> = part.split(':').filter(|word| *word != "no_consume").collect();
    let of = |name: &str, of_type: Option<&str>, count| Gres {
        name: name.to_owned(),
        of_type: of_type.map(str::to_owned),
        count,
        is_free,
    };
    match words[..] {
        [name] if !name.is_empty() => Ok(of(name, None, 1)),
        [name, last] => Ok(count(last).map_or_else(|| of(name, Some(last), 1), |it| of(name, None, it))),
        [name, of_type, last] if count(last).is_some() => {
            Ok(of(name, Some(of_type), count(last).unwrap_or(1)))
        }
        _ => Err(at.unexpected(text, "a generic resource such as gpu:4 or gpu:a100:4")),
    }
}

/// Parses the list of a node's resources; `(null)` means none.
pub(super) fn parse_list(value: &str, at: &Location) -> Result<Vec<Gres>, ConfError> {
    let parts = value.split(',').map(str::trim).filter(|part| !matches!(*part, "" | "(null)"));
    parts.map(|part| parse_one(part, at)).collect()
}

/// Parses a number of units, which may have a suffix for a power of 1,024.
pub(super) fn count(word: &str) -> Option<u64> {
    let power = "KMGTP".find(word.chars().last()?.to_ascii_uppercase());
    let digits = if power.is_some() { &word[..word.len() - 1] } else { word };
    digits.parse::<u64>().ok()?.checked_mul(1024_u64.checked_pow(power.map_or(0, |at| at as u32 + 1))?)
}

/// Returns the resources of a node with this number of processors.
pub(super) fn resources(gres: &[Gres], cpus: u32) -> NodeResources {
    let mut all = NodeResources::default();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for Gres { name, of_type, count, is_free } in gres {
        // Resources that are not used up suffice for a task on each processor.
        let units = if *is_free { count.saturating_mul(cpus.into()) } else { *count };
        if *is_free {
            let text = format!("{name} is not consumed (no_consume): any number of jobs may use it");
            all.notes.push(Note::noted(text));
        }
        let typed = of_type.as_ref().map(|of_type| identifier(&format!("{name}_{of_type}")));
        for resource in [Some(identifier(name)), typed].into_iter().flatten() {
            let sum = counts.entry(resource).or_insert(0_u64);
            *sum = sum.saturating_add(units);
        }
    }
    for of_type in gres.iter().filter(|it| it.name == GPU).filter_map(|it| it.of_type.as_ref()) {
        if is_profile(of_type) {
            let text =
                format!("gpu:{of_type} are parts of GPUs (MIG), each of which counts as a GPU of its type");
            all.notes.push(Note::noted(text));
        }
    }
    for (name, units) in counts.into_iter().filter(|(_, units)| *units > 0) {
        if units > MAX_UNITS {
            let text = format!(
                "{name} with {units} units is not simulated: a node may have at most {MAX_UNITS} units of a resource"
            );
            all.notes.push(Note::changed(text));
            continue;
        }
        all.counts.insert(name, units as u32);
    }
    all
}

/// Name of the resource whose units are GPUs.
const GPU: &str = "gpu";

/// Returns whether the type of a GPU is a profile of a MIG GPU, such as `1g.5gb`.
fn is_profile(of_type: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    of_type.split_once("g.").is_some_and(|(slices, memory)| {
        is_number(slices)
            && memory.split(['+', '.']).next().and_then(|it| it.strip_suffix("gb")).is_some_and(is_number)
    })
}

/// Part of a GPU that jobs request by name: a shard, or a hundredth of the Multi-Process Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuPart {
    /// Name of the resource.
    pub name: &'static str,
    /// Smallest number of them for each GPU, over all nodes.
    pub per_gpu: u32,
}

/// Parts of GPUs of nodes, and a statement about each of them.
pub(super) type GpuParts = (Vec<GpuPart>, Vec<Note>);

/// Determines the parts of GPUs, given the resources of all nodes. By default Slurm gives a job the
/// shards of one GPU of each of its nodes.
///
/// Source: Slurm's manual, pages `gres.conf` and `slurm.conf` (`MULTIPLE_SHARING_GRES_PJ`).
pub(super) fn gpu_parts(nodes: &[BTreeMap<String, u32>]) -> GpuParts {
    let (mut parts, mut notes) = (Vec::new(), Vec::new());
    let count = |node: &BTreeMap<String, u32>, name: &str| node.get(name).copied().unwrap_or(0);
    let is_countable = nodes.iter().all(|node| count(node, GPU) as usize <= MOST_DEVICES);
    for name in ["shard", "mps"] {
        let of_node = |node: &BTreeMap<String, u32>| match (count(node, name), count(node, GPU)) {
            (0, _) | (_, 0) => None,
            (units, gpus) => Some((units / gpus, units.div_ceil(gpus))),
        };
        let per_gpu = nodes.iter().filter_map(of_node);
        let (Some(least), Some(most)) = (per_gpu.clone().map(|it| it.0).min(), per_gpu.map(|it| it.1).max())
        else {
            continue;
        };
        if !is_countable || !(1..=MOST_PARTS).contains(&least) {
            let text = format!(
                "{name} is counted apart from gpu, though both are the same devices: a node may have at most {MOST_DEVICES} GPUs, \
                 and a GPU between 1 and {MOST_PARTS} of {name}"
            );
            notes.push(Note::changed(text));
            continue;
        }
        notes.push(match least == most {
            true => Note::noted(format!(
                "{name}: {least} for each GPU; a job has those of one GPU on each of its nodes, and other jobs may have the rest of it"
            )),
            false => Note::changed(format!(
                "{name}: between {least} and {most} for each GPU; one of them counts as 1/{least} of a GPU on all nodes"
            )),
        });
        parts.push(GpuPart { name, per_gpu: least });
    }
    (parts, notes)
}

/// Largest number of parts of a GPU.
const MOST_PARTS: u32 = (WHOLE_DEVICE / SMALLEST_PART) as u32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_parts_of_gpus() {
        let of = |lists: &[&str]| {
            let counts = |list: &&str| resources(&parse_list(list, &Location::default()).unwrap(), 8).counts;
            let nodes: Vec<_> = lists.iter().map(counts).collect();
            let (parts, notes) = gpu_parts(&nodes);
            let parts: Vec<_> = parts.iter().map(|part| (part.name, part.per_gpu)).collect();
            (parts, notes.iter().map(Note::to_string).collect::<Vec<_>>())
        };
        assert_eq!(of(&["gpu:4", "nic:1"]), (vec![], vec![]));
        let (parts, notes) = of(&["gpu:4,shard:32", "gpu:2,shard:16,mps:200"]);
        assert_eq!(parts, [("shard", 8), ("mps", 100)]);
        assert!(notes[0].starts_with("shard: 8 for each GPU; a job has those of one GPU"), "{notes:?}");
        let (parts, notes) = of(&["gpu:4,shard:32", "gpu:2,shard:9"]);
        assert_eq!(parts, [("shard", 4)]);
        assert!(notes[0].contains("between 4 and 8 for each GPU; one of them counts as 1/4"), "{notes:?}");
        for lists in [&["gpu:1g.5gb:28,shard:28"][..], &["gpu:4,shard:2"], &["gpu:1,shard:900"]] {
            let (parts, notes) = of(lists);
            assert_eq!(parts, []);
            assert!(notes[0].starts_with("shard is counted apart from gpu"), "{notes:?}");
        }
    }

    #[test]
    fn lists_have_the_forms_of_slurm() {
        let of = |text: &str, cpus| {
            let gres = parse_list(text, &Location::default()).unwrap();
            let NodeResources { counts, notes } = resources(&gres, cpus);
            let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name}={count}")).collect();
            format!(
                "{} {}",
                counts.join(" "),
                notes.iter().map(Note::to_string).collect::<Vec<_>>().join("; ")
            )
            .trim()
            .to_owned()
        };
        assert_eq!(of("(null)", 8), "");
        assert_eq!(of("gpu:a100:2(S:0-1),gpu:2,nic", 8), "gpu=4 gpu_a100=2 nic=1");
        assert_eq!(
            of("gpu:no_consume:2", 8),
            "gpu=16 gpu is not consumed (no_consume): any number of jobs may use it"
        );
        assert_eq!(of("bw:1K", 8), "bw=1024");
        assert_eq!(
            of("tmp:1T", 8),
            "tmp with 1099511627776 units is not simulated: a node may have at most 10000 units of a resource"
        );
        assert_eq!(
            of("gpu:1g.5gb:7,gpu:a100:1", 8),
            "gpu=8 gpu_1g_5gb=7 gpu_a100=1 gpu:1g.5gb are parts of GPUs (MIG), each of which counts as a GPU of its type"
        );
        assert_eq!(of("gpu:1,shard:8", 8), "gpu=1 shard=8");
        assert_eq!(
            [count("1T"), count("2k"), count("x"), count("")],
            [Some(1 << 40), Some(2_048), None, None]
        );
    }
}
