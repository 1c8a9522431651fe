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

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    ret: Option<&'a RawValue>,
    #[serde(borrow)]
    delay: Option<&'a RawValue>,
    #[serde(borrow, alias = "computation_amount_per_host", alias = "computation_vector")]
    cpu: Option<&'a RawValue>,
    #[serde(borrow, alias = "communication_amount_per_host", alias = "communication_matrix")]
    com: Option<&'a RawValue>,
    #[serde(borrow)]
    generation_strategy: Option<&'a RawValue>,
    #[serde(borrow)]
    seq: Option<&'a RawValue>,
    #[serde(borrow)]
    repeat: Option<&'a RawValue>,
    #[serde(borrow)]
    nb: Option<&'a RawValue>,
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
        let mut entry = Entry::new(text, format!("profile `{name}`"), text.line(value));
        let Ok(fields) = serde_json::from_str::<Fields<'_>>(value.get()) else {
            entry.fault("type", Some(value), "an object with a type");
            return Err(entry.problems());
        };
        let Members(members) = serde_json::from_str(value.get()).expect("it is an object");
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        let profile = fields.profile(&mut entry, &names);
        let problems = entry.problems();
        profile.filter(|_| problems.is_empty()).ok_or(problems)
    }
}

impl Fields<'_> {
    fn profile(&self, entry: &mut Entry<'_>, names: &[&str]) -> Option<Profile> {
        let ret = entry.optional("ret", self.ret, 0, "a whole number", |_: &i64| true);
        let kind: String = entry.required("type", self.kind, TYPES, |_| true)?;
        let (work, communicates) = match kind.as_str() {
            "delay" | "DelayProfile" => {
                let expected = "a number of seconds from 0 to 16,000,000,000";
                let fits = |delay: &f64| (0.0..=LONGEST_SECONDS).contains(delay);
                (entry.required("delay", self.delay, expected, fits).map(Work::Delay), false)
            }
            "parallel_homogeneous" | "msg_par_hg" | "ParallelTaskHomogeneousProfile" => {
                let expected = "DefinedAmountsUsedForEachValue or DefinedAmountsSpreadUniformly";
                let field = self.generation_strategy;
                let strategy =
                    entry.optional("generation_strategy", field, Strategy::Each, expected, |_| true);
                let spread = matches!(strategy, Some(Strategy::Spread));
                self.homogeneous(entry, names, if spread { Work::Spread } else { Work::Each })
            }
            "parallel_homogeneous_total" | "msg_par_hg_tot" => self.homogeneous(entry, names, Work::Spread),
            "parallel" | "msg_par" | "ParallelTaskProfile" => {
                let amounts = |amounts: &Vec<f64>| amounts.iter().all(is_amount);
                let expected = "a list of amounts from 0";
                self.amounts_are_there(entry, names, expected);
                let cpu = entry.optional("cpu", self.cpu, Vec::new(), expected, amounts);
                let com = entry.optional("com", self.com, Vec::new(), expected, amounts);
                let communicates = com.is_some_and(|com| com.iter().any(|&bytes| bytes > 0.0));
                (cpu.map(Work::PerNode), communicates)
            }
            "composed" | "SequentialCompositionProfile" => {
                let (name, field) =
                    if self.repeat.is_some() { ("repeat", self.repeat) } else { ("nb", self.nb) };
                let repeat =
                    entry.optional(name, field, 1, "a whole number from 1", |&times: &u64| times >= 1);
                let parts =
                    entry.required("seq", self.seq, "a list of names of profiles", |_: &Vec<String>| true);
                (parts.zip(repeat).map(|(parts, repeat)| Work::Sequence { parts, repeat }), false)
            }
            _ => {
                entry.fault("type", self.kind, TYPES);
                return None;
            }
        };
        Some(Profile { work: work?, communicates, fails: ret? != 0 })
    }

    /// One of the amounts may be missing, but neither both nor one of which the name is almost there.
    fn amounts_are_there(&self, entry: &mut Entry<'_>, names: &[&str], expected: &str) {
        if self.cpu.is_none() && self.com.is_none() {
            return entry.fault("cpu", None, expected);
        }
        for (field, amount) in [("cpu", self.cpu), ("com", self.com)] {
            let is_near = |name: &&&str| strsim::damerau_levenshtein(name, field) == 1;
            if let (None, Some(name)) = (amount, names.iter().find(is_near)) {
                entry.fault(field, None, &format!("{expected}; is `{name}` meant as `{field}`?"));
            }
        }
    }

    fn homogeneous(
        &self,
        entry: &mut Entry<'_>,
        names: &[&str],
        work: fn(f64) -> Work,
    ) -> (Option<Work>, bool) {
        self.amounts_are_there(entry, names, AMOUNT);
        let cpu = entry.optional("cpu", self.cpu, 0.0, AMOUNT, is_amount);
        let com = entry.optional("com", self.com, 0.0, AMOUNT, is_amount);
        (cpu.map(work), com.is_some_and(|bytes| bytes > 0.0))
    }
}
