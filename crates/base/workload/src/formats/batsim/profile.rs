//! One profile: what a job does.

use super::Located;
use super::document::{Entry, Members, Text};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The longest time that is read: 500 years, so that sums of times cannot overflow.
pub(super) const LONGEST_SECONDS: f64 = 1.6e10;

/// What a job does.
pub(super) struct Profile {
    pub(super) work: Work,
    /// Whether it sends anything.
    pub(super) communicates: bool,
    /// Whether it returns something else than 0.
    pub(super) fails: bool,
}

/// How long it takes.
pub(super) enum Work {
    /// This many seconds.
    Delay(f64),
    /// This many flop on each node.
    Each(f64),
    /// This many flop, spread over the nodes.
    Spread(f64),
    /// The flop of each node.
    PerNode(Vec<f64>),
    /// Profiles one after the other, this many times.
    Sequence { parts: Vec<String>, repeat: u64 },
}

/// How flop and bytes are given.
#[derive(Deserialize)]
enum Strategy {
    #[serde(rename = "DefinedAmountsUsedForEachValue")]
    Each,
    #[serde(rename = "DefinedAmountsSpreadUniformly")]
    Spread,
}

const TYPES: &str = "a type with a run time: delay, parallel_homogeneous, parallel_homogeneous_total, parallel, composed \
                     (or what other versions of Batsim call these)";
const AMOUNT: &str = "an amount from 0";

/// A number that can be reckoned with.
fn is_amount(amount: &f64) -> bool {
    *amount >= 0.0 && amount.is_finite()
}

impl Profile {
    /// Reads a profile; all that is wrong with it otherwise.
    pub(super) fn parse(text: &Text<'_>, name: &str, value: &RawValue) -> Result<Profile, Vec<Located>> {
        let (name, members) = (format!("profile `{name}`"), serde_json::from_str::<Members<'_>>(value.get()));
        let is_object = members.is_ok();
        let mut entry =
            Entry::new(text, name, text.line(value), members.unwrap_or(dfrsim_model::Members(Vec::new())));
        if !is_object {
            entry.fault_at("type", Some(value), "an object with a type");
            return Err(entry.problems());
        }
        let profile = read(&mut entry);
        let problems = entry.problems();
        profile.filter(|_| problems.is_empty()).ok_or(problems)
    }
}

fn read(entry: &mut Entry<'_>) -> Option<Profile> {
    let ret = entry.optional("ret", 0, "a whole number", |_: &i64| true);
    let kind: String = entry.required("type", TYPES, |_| true)?;
    let (work, communicates) = match kind.as_str() {
        "delay" | "DelayProfile" => {
            let expected = "a number of seconds from 0 to 16,000,000,000";
            let fits = |delay: &f64| (0.0..=LONGEST_SECONDS).contains(delay);
            (entry.required("delay", expected, fits).map(Work::Delay), false)
        }
        "parallel_homogeneous" | "msg_par_hg" | "ParallelTaskHomogeneousProfile" => {
            let expected = "DefinedAmountsUsedForEachValue or DefinedAmountsSpreadUniformly";
            let strategy = entry.optional("generation_strategy", Strategy::Each, expected, |_| true);
            let spread = matches!(strategy, Some(Strategy::Spread));
            homogeneous(entry, if spread { Work::Spread } else { Work::Each })
        }
        "parallel_homogeneous_total" | "msg_par_hg_tot" => homogeneous(entry, Work::Spread),
        "parallel" | "msg_par" | "ParallelTaskProfile" => {
            let amounts = |amounts: &Vec<f64>| amounts.iter().all(is_amount);
            let expected = "a list of amounts from 0";
            amounts_are_there(entry, expected);
            let cpu = entry.optional("cpu", Vec::new(), expected, amounts);
            let com = entry.optional("com", Vec::new(), expected, amounts);
            let communicates = com.is_some_and(|com| com.iter().any(|&bytes| bytes > 0.0));
            (cpu.map(Work::PerNode), communicates)
        }
        "composed" | "SequentialCompositionProfile" => {
            let name = if entry.get("repeat").is_some() { "repeat" } else { "nb" };
            let repeat = entry.optional(name, 1, "a whole number from 1", |&times: &u64| times >= 1);
            let parts = entry.required("seq", "a list of names of profiles", |_: &Vec<String>| true);
            (parts.zip(repeat).map(|(parts, repeat)| Work::Sequence { parts, repeat }), false)
        }
        _ => {
            entry.fault("type", TYPES);
            return None;
        }
    };
    Some(Profile { work: work?, communicates, fails: ret? != 0 })
}

/// One of the amounts may be missing, but neither both nor one of which the name is almost there.
fn amounts_are_there(entry: &mut Entry<'_>, expected: &str) {
    if entry.get("cpu").is_none() && entry.get("com").is_none() {
        return entry.fault("cpu", expected);
    }
    for field in ["cpu", "com"] {
        let is_near = |name: &&String| strsim::damerau_levenshtein(name, field) == 1;
        let near = entry.members.iter().map(|(name, _)| name).find(is_near).cloned();
        if let (None, Some(name)) = (entry.get(field), near) {
            entry.fault(field, &format!("{expected}; is `{name}` meant as `{field}`?"));
        }
    }
}

fn homogeneous(entry: &mut Entry<'_>, work: fn(f64) -> Work) -> (Option<Work>, bool) {
    amounts_are_there(entry, AMOUNT);
    let cpu = entry.optional("cpu", 0.0, AMOUNT, is_amount);
    let com = entry.optional("com", 0.0, AMOUNT, is_amount);
    (cpu.map(work), com.is_some_and(|bytes| bytes > 0.0))
}
