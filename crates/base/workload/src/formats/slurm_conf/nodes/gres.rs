//! Generic resources of nodes, of `slurm.conf` and `gres.conf`.

use super::super::lines::Location;
use super::super::names::identifier;
use super::super::{ConfError, Note};
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
    for name in ["shard", "mps"] {
        if counts.contains_key(name) && counts.contains_key("gpu") {
            let text = format!("{name} is counted apart from gpu, though both are the same devices");
            all.notes.push(Note::changed(text));
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

#[cfg(test)]
mod tests {
    use super::*;

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
            of("gpu:1,shard:8", 8),
            "gpu=1 shard=8 shard is counted apart from gpu, though both are the same devices"
        );
        assert_eq!(
            [count("1T"), count("2k"), count("x"), count("")],
            [Some(1 << 40), Some(2_048), None, None]
        );
    }
}
