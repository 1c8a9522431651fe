//! What a row is known by: a digest of all that determines it.

use crate::setting::Setting;
use dfrsim_cluster::{EstimateModel, NeedModel, Options, Overrun};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Job, SimSpan};
use dfrsim_policies::fractional::McbOptions;
use dfrsim_policies::{Policy, PolicyOptions};
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};
use std::io::{self, Read};
use std::str::FromStr;

/// The version of what simulations, bounds and figures mean. Bump it when results change: rows of another version are
/// not taken over when a run is resumed.
pub const SEMANTICS_VERSION: u32 = 1;

/// The first 64 bits of the SHA-256 of a row's determinants; prints as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u64);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Key {
    /// The key of what these lines say.
    pub(crate) fn of(canonical: &str) -> Key {
        let hash = Sha256::digest(canonical);
        Key(hash.iter().take(8).fold(0, |key, &byte| key << 8 | u64::from(byte)))
    }
}

/// A text that is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key has 16 hexadecimal digits")]
pub struct ParseKeyError;

impl FromStr for Key {
    type Err = ParseKeyError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        digits.then(|| u64::from_str_radix(text, 16).ok()).flatten().map(Key).ok_or(ParseKeyError)
    }
}

/// A SHA-256; prints as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest([u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Digest {
    /// The digest of all that simulations see of these jobs, as exact integers.
    pub(crate) fn of_jobs(jobs: &[Job]) -> Digest {
        let mut hash = Sha256::new();
        for job in jobs {
            let Job { id, submit, tasks, need, memory, run_time, requested_time } = job;
            let requested = requested_time.map_or(u64::MAX, SimSpan::micros);
            let fields = [
                id.0,
                submit.micros(),
                u64::from(*tasks),
                need.units().into(),
                memory.units().into(),
                run_time.micros(),
                requested,
            ];
            fields.iter().for_each(|field| hash.update(field.to_le_bytes()));
        }
        Digest(hash.finalize().into())
    }
    /// The digest of all that algorithms see of an instance of the off-line problem, as exact integers.
    pub(crate) fn of_instance(instance: &Instance) -> Digest {
        let Instance { fixed, fluid, nodes, jobs } = instance;
        let mut hash = Sha256::new();
        for count in [*fixed, *fluid, nodes.len(), jobs.len()] {
            hash.update((count as u64).to_le_bytes());
        }
        nodes.iter().flatten().for_each(|amount| hash.update(amount.to_le_bytes()));
        for OfflineJob { tasks, demand, least_yield } in jobs {
            hash.update(tasks.to_le_bytes());
            demand.iter().for_each(|amount| hash.update(amount.to_le_bytes()));
            hash.update(least_yield.units().to_le_bytes());
        }
        Digest(hash.finalize().into())
    }
    /// The digest of a text or file that is in memory.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }
    /// The digest of a file's bytes.
    pub(crate) fn of_file(mut file: impl Read) -> io::Result<Digest> {
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(Digest(hash.finalize().into())),
                length => hash.update(&buffer[..length]),
            }
        }
    }
}

/// All that determines a row.
pub(crate) struct Determinants<'a> {
    pub(crate) jobs: Digest,
    pub(crate) nodes: u32,
    pub(crate) setting: Setting,
    pub(crate) options: &'a Options,
    pub(crate) tau: SimSpan,
    pub(crate) warm_up: SimSpan,
    pub(crate) cool_down: SimSpan,
}

impl Determinants<'_> {
    pub(crate) fn key(&self) -> Key {
        Key::of(&self.canonical())
    }
    /// A line for each determinant. What a simulation does not depend on must not stand here, so that its row
    /// is found again whatever that is; a determinant that comes later gets a line only where it matters, so that
    /// older rows keep their keys.
    fn canonical(&self) -> String {
        let Options { penalty, estimates, overrun, seed, needs, discovery } = self.options;
        let mut text = format!(
            "semantics {SEMANTICS_VERSION}\njobs {}\nnodes {}\npolicy {}\npenalty {penalty}\nestimates {estimates}\n\
             overrun {}\ntau {}\nwarm-up {}\ncool-down {}\n",
            self.jobs,
            self.nodes,
            self.setting.policy,
            overrun_name(*overrun),
            self.tau,
            self.warm_up,
            self.cool_down,
        );
        let mut line = |part: fmt::Arguments<'_>| {
            writeln!(text, "{part}").expect("a string takes any text");
        };
        if let EstimateModel::Random(_) = estimates {
            line(format_args!("seed {}", seed.value()));
        }
        if *needs != NeedModel::Exact {
            line(format_args!("needs {needs} {}", discovery.map_or(String::new(), |span| span.to_string())));
        }
        let Setting { policy, numbers, .. } = self.setting;
        let PolicyOptions { period, mcb, priority, node_memory_gb } = numbers;
        if policy.is_periodic() {
            line(format_args!("period {period}"));
        }
        if policy.uses_mcb() {
            let McbOptions { packing, drop, floor, precision } = mcb;
            line(format_args!("mcb {packing} {drop} {} {}", floor.units(), precision.units()));
        }
        if let Policy::Fractional(_) = policy {
            line(format_args!("priority {priority}"));
        }
        if policy.uses_node_memory() {
            line(format_args!("node memory {node_memory_gb}"));
        }
        text
    }
}

/// The name of the treatment of overruns in scenarios, rows and keys.
pub(crate) fn overrun_name(overrun: Overrun) -> &'static str {
    match overrun {
        Overrun::Extend => "extend",
        Overrun::Kill => "kill",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::{JobId, Seed, Share, SimTime};
    use dfrsim_policies::fractional::{DropRule, PriorityRule};

    fn jobs() -> Vec<Job> {
        let job = |id| Job {
            id: JobId(id),
            submit: SimTime::from_secs(id),
            tasks: 2,
            need: Share::ONE,
            memory: Share::from_ratio(1, 10),
            run_time: SimSpan::from_secs(60),
            requested_time: None,
        };
        vec![job(1), job(2)]
    }
    fn determinants<'a>(options: &'a Options, jobs: &[Job]) -> Determinants<'a> {
        Determinants {
            jobs: Digest::of_jobs(jobs),
            nodes: 4,
            setting: Setting {
                policy: "EASY".parse().unwrap(),
                penalty: options.penalty,
                numbers: PolicyOptions::default(),
            },
            options,
            tau: SimSpan::from_secs(10),
            warm_up: SimSpan::ZERO,
            cool_down: SimSpan::ZERO,
        }
    }

    /// Stored rows are found by these: a change must be seen. The key is what `sha256sum` says of the text, with the
    /// digest of seven little-endian 64-bit numbers a job in its second line.
    #[test]
    fn golden_key() {
        let options = Options { penalty: SimSpan::from_secs(300), ..Options::default() };
        let text = determinants(&options, &jobs()).canonical();
        let expected = "semantics 1\n\
            jobs 0\n\
            nodes 4\npolicy EASY\npenalty 300\nestimates exact\noverrun extend\ntau 10\nwarm-up 0\ncool-down 0\n";
        let digest = Digest::of_jobs(&jobs()).to_string();
        assert_eq!(text.replace(&digest, "0"), expected);
        assert_eq!(determinants(&options, &jobs()).key().to_string(), "70d1e2dfe7f54b5d");
    }

    #[test]
    fn every_determinant_changes_the_key() {
        let plain = Options::default();
        let base = determinants(&plain, &jobs()).key();
        let random = |seed| Options {
            estimates: EstimateModel::Random(2.0),
            seed: Seed::new(seed),
            ..Options::default()
        };
        let reseeded = Options { seed: Seed::new(9), ..Options::default() };
        assert_eq!(determinants(&reseeded, &jobs()).key(), base, "the seed only matters to random estimates");
        assert_ne!(determinants(&random(1), &jobs()).key(), determinants(&random(2), &jobs()).key());
        let mut other = jobs();
        other[1].requested_time = Some(SimSpan::from_secs(1));
        let of_policy = |name: &str, numbers| Determinants {
            setting: Setting { policy: name.parse().unwrap(), penalty: SimSpan::ZERO, numbers },
            ..determinants(&plain, &jobs())
        };
        let period = PolicyOptions { period: SimSpan::from_secs(1), ..PolicyOptions::default() };
        let search = McbOptions { drop: DropRule::Skip, ..McbOptions::default() };
        let search = PolicyOptions { mcb: search, ..PolicyOptions::default() };
        let priority = PolicyOptions { priority: PriorityRule::InverseVirtual, ..PolicyOptions::default() };
        let memory = PolicyOptions { node_memory_gb: 2.0, ..PolicyOptions::default() };
        for numbers in [period, search, priority, memory] {
            assert_eq!(
                of_policy("EASY", numbers).key(),
                base,
                "what does not matter to a policy is not in its key"
            );
        }
        let keys = [memory, PolicyOptions::default()].map(|numbers| of_policy("/per/OPT=MIN", numbers).key());
        assert_eq!(keys[0], keys[1], "without a budget the memory of nodes does not matter");
        let variants = [
            of_policy("/per/OPT=MIN", PolicyOptions::default()),
            of_policy("/per/OPT=MIN", period),
            of_policy("/per/OPT=MIN", search),
            of_policy("/per/OPT=MIN", priority),
            of_policy("/per/BUDGET=5/OPT=MIN", PolicyOptions::default()),
            of_policy("/per/BUDGET=5/OPT=MIN", memory),
            determinants(&plain, &other),
            Determinants { nodes: 5, ..determinants(&plain, &jobs()) },
            of_policy("FCFS", PolicyOptions::default()),
            Determinants { tau: SimSpan::ZERO, ..determinants(&plain, &jobs()) },
            Determinants { warm_up: SimSpan::from_secs(1), ..determinants(&plain, &jobs()) },
            Determinants { cool_down: SimSpan::from_secs(1), ..determinants(&plain, &jobs()) },
        ];
        let mut keys: Vec<Key> = variants.iter().map(Determinants::key).collect();
        for options in [
            Options { penalty: SimSpan::from_secs(1), ..plain.clone() },
            Options { estimates: EstimateModel::None, ..plain.clone() },
            Options { overrun: Overrun::Kill, ..plain.clone() },
        ] {
            keys.push(determinants(&options, &jobs()).key());
        }
        keys.push(base);
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn keys_print_as_they_parse() {
        let key = Key(0xab);
        assert_eq!(key.to_string(), "00000000000000ab");
        assert_eq!(key.to_string().parse(), Ok(key));
        for text in ["", "ab", "+0000000000000ab", "00000000000000xy"] {
            assert_eq!(text.parse::<Key>(), Err(ParseKeyError));
        }
    }
}
