//! Profiles: the work of a job.

use super::LocatedProblem;
use super::document::{Entry, Members, Text};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Longest time that is accepted, in seconds: 500 years, so that sums of times cannot overflow.
pub(super) const LONGEST_SECONDS: f64 = 1.6e10;

/// A parsed profile.
pub(super) struct Profile {
    pub(super) work: Work,
    /// True if the profile has communication.
    pub(super) communicates: bool,
    /// True if the return value is not 0.
    pub(super) fails: bool,
}

/// Work of a profile, as time or as floating-point operations (flop).
pub(super) enum Work {
    /// A fixed time in seconds.
    Delay(f64),
    /// Flop on each node.
    Each(f64),
    /// Total flop, divided equally among the nodes.
    Spread(f64),
    /// Flop of each node.
    PerNode(Vec<f64>),
    /// Profiles run one after the other, the whole sequence `repeat` times.
    Sequence { parts: Vec<String>, repeat: u64 },
}

/// Interpretation of the amounts of a homogeneous profile.
#[derive(Deserialize)]
enum Strategy {
    #[serde(rename = "DefinedAmountsUsedForEachValue")]
    Each,
    #[serde(rename = "DefinedAmountsSpreadUniformly")]
    Spread,
}

const TYPES: &str = "a supported type: delay, parallel_homogeneous, parallel_homogeneous_total, parallel, composed \
                     (or the name of one of these in other versions of Batsim)";
const AMOUNT: &str = "a number of at least 0";

/// Returns whether an amount is finite and not negative.
fn is_amount(amount: &f64) -> bool {
    *amount >= 0.0 && amount.is_finite()
}

impl Profile {
    /// Parses a profile.
    ///
    /// # Errors
    ///
    /// All problems of the profile.
    pub(super) fn parse(
        text: &Text<'_>,
        name: &str,
        value: &RawValue,
    ) -> Result<Profile, Vec<LocatedProblem>> {
        let (name, members) =
            (format!("profile `{}`", name.escape_debug()), serde_json::from_str::<Members<'_>>(value.get()));
        let is_object = members.is_ok();
        let mut entry =
            Entry::new(text, name, text.line(value), members.unwrap_or(dfrsim_model::Members(Vec::new())));
        if !is_object {
            entry.report_at("type", Some(value), "an object with a member `type`");
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
            let expected = "a list of numbers of at least 0";
            check_amounts(entry, expected);
            let cpu = entry.optional("cpu", Vec::new(), expected, amounts);
            let com = entry.optional("com", Vec::new(), expected, amounts);
            let communicates = com.is_some_and(|com| com.iter().any(|&bytes| bytes > 0.0));
            (cpu.map(Work::PerNode), communicates)
        }
        "composed" | "SequentialCompositionProfile" => {
            let name = if entry.get("repeat").is_some() { "repeat" } else { "nb" };
            let repeat = entry.optional(name, 1, "a whole number of at least 1", |&times: &u64| times >= 1);
            let parts = entry.required("seq", "a list of profile names", |_: &Vec<String>| true);
            (parts.zip(repeat).map(|(parts, repeat)| Work::Sequence { parts, repeat }), false)
        }
        _ => {
            entry.report("type", TYPES);
            return None;
        }
    };
    Some(Profile { work: work?, communicates, fails: ret? != 0 })
}

/// Reports a problem if both amounts are absent, or if one is absent and there is a field with a
/// similar name.
fn check_amounts(entry: &mut Entry<'_>, expected: &str) {
    if entry.get("cpu").is_none() && entry.get("com").is_none() {
        return entry.report("cpu", expected);
    }
    for field in ["cpu", "com"] {
        let is_near = |name: &&String| strsim::damerau_levenshtein(name, field) == 1;
        let near = entry.members.iter().map(|(name, _)| name).find(is_near).cloned();
        if let (None, Some(name)) = (entry.get(field), near) {
            entry.report(field, &format!("{expected}; did you mean `{field}` instead of `{name}`?"));
        }
    }
}

fn homogeneous(entry: &mut Entry<'_>, work: fn(f64) -> Work) -> (Option<Work>, bool) {
    check_amounts(entry, AMOUNT);
    let cpu = entry.optional("cpu", 0.0, AMOUNT, is_amount);
    let com = entry.optional("com", 0.0, AMOUNT, is_amount);
    (cpu.map(work), com.is_some_and(|bytes| bytes > 0.0))
}
