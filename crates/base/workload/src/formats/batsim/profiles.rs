//! The profiles of a workload, and how long jobs with them run.

use super::Located;
use super::document::{Members, Text};
use super::profile::{Profile, Work};
use crate::log::Problem;
use rustc_hash::FxHashMap;
use std::num::NonZeroU64;

/// How many sequences may be in one another; one that contains itself has more.
const DEEPEST: u32 = 32;

/// All profiles, by name.
#[derive(Default)]
pub(super) struct Profiles {
    entries: Vec<Entry>,
    by_name: FxHashMap<String, usize>,
    /// The speed of a node in flop/s.
    flops: Option<NonZeroU64>,
    /// What was found out, by profile and number of nodes.
    known: FxHashMap<(usize, u32), Run>,
    /// The faults of profiles that are used, each reported once.
    pub(super) problems: Vec<Located>,
    /// Whether a job needs what there is not, the speed of a node or another type of profile: no fault of a line, which no reading
    /// forgives.
    pub(super) lacks_means: bool,
}

struct Entry {
    name: String,
    line: u64,
    profile: Result<Profile, Vec<Located>>,
    reported: bool,
}

/// What a job does with a profile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) seconds: f64,
    pub(super) communicates: bool,
    pub(super) fails: bool,
}

/// Why a job cannot run with a profile.
pub(super) enum NoRun {
    /// There is no such profile.
    Unknown,
    /// The profile is meant for another number of nodes.
    Nodes { profile: String, nodes: usize },
    /// The profile, or a part of it, is wrong; that is among the problems.
    Faulty,
}

impl Profiles {
    /// Reads all profiles. The faults of one are reported only when a job uses it.
    pub(super) fn parse(
        text: &Text<'_>,
        members: Members<'_>,
        flops: Option<NonZeroU64>,
    ) -> (Profiles, Vec<Located>) {
        let (mut entries, mut by_name) = (Vec::new(), FxHashMap::default());
        let mut problems = Vec::new();
        for (name, value) in members.0 {
            let line = text.line(value);
            if by_name.insert(name.clone(), entries.len()).is_some() {
                problems.push((line, field(&name, "profiles", "a second one of this name", "one")));
            }
            let profile = Profile::parse(text, &name, value);
            entries.push(Entry { name, line, profile, reported: false });
        }
        (Profiles { entries, by_name, flops, ..Profiles::default() }, problems)
    }

    /// How long a job on this many nodes runs.
    pub(super) fn run(&mut self, name: &str, nodes: u32) -> Result<Run, NoRun> {
        let &index = self.by_name.get(name).ok_or(NoRun::Unknown)?;
        self.run_of(index, nodes, 0)
    }

    fn run_of(&mut self, index: usize, nodes: u32, depth: u32) -> Result<Run, NoRun> {
        if let Some(&run) = self.known.get(&(index, nodes)) {
            return Ok(run);
        }
        let entry = &mut self.entries[index];
        let profile = match &mut entry.profile {
            Ok(profile) => profile,
            Err(problems) => {
                let is_type = |problem: &Problem| matches!(problem, Problem::Member { member: "type", .. });
                self.lacks_means |= problems.iter().any(|(_, problem)| is_type(problem));
                self.problems.append(problems);
                return Err(NoRun::Faulty);
            }
        };
        let mut run = Run { communicates: profile.communicates, fails: profile.fails, seconds: 0.0 };
        let flop = match &profile.work {
            Work::Delay(seconds) => {
                run.seconds = *seconds;
                0.0
            }
            Work::Each(flop) => *flop,
            Work::Spread(flop) => flop / f64::from(nodes.max(1)),
            Work::PerNode(flop) => {
                if !flop.is_empty() && flop.len() != nodes as usize {
                    return Err(NoRun::Nodes { profile: entry.name.clone(), nodes: flop.len() });
                }
                flop.iter().copied().fold(0.0, f64::max)
            }
            Work::Sequence { parts, repeat } => {
                let (parts, repeat) = (parts.clone(), *repeat as f64);
                for part in &parts {
                    let part = self.part(index, part, nodes, depth)?;
                    run.seconds += part.seconds * repeat;
                    run.communicates |= part.communicates;
                    run.fails |= part.fails;
                }
                0.0
            }
        };
        if flop > 0.0 {
            let Some(flops) = self.flops else {
                self.lacks_means = true;
                let expected = "a run time; flop need the speed of a node, in flop/s, to become one";
                return Err(self.faulty(index, "cpu", &format!("{flop} flop a node"), expected));
            };
            run.seconds = flop / flops.get() as f64;
        }
        self.known.insert((index, nodes), run);
        Ok(run)
    }

    /// A part of a sequence.
    fn part(&mut self, sequence: usize, part: &str, nodes: u32, depth: u32) -> Result<Run, NoRun> {
        if depth == DEEPEST {
            let expected = "sequences at most 32 deep, none of which contains itself";
            return Err(self.faulty(sequence, "seq", &format!("`{part}`"), expected));
        }
        match self.by_name.get(part) {
            Some(&index) => self.run_of(index, nodes, depth + 1),
            None => Err(self.faulty(sequence, "seq", &format!("`{part}`"), "the name of a profile")),
        }
    }

    /// Reports a fault of a profile, once.
    fn faulty(&mut self, index: usize, name: &'static str, found: &str, expected: &str) -> NoRun {
        let entry = &mut self.entries[index];
        if !entry.reported {
            entry.reported = true;
            self.problems.push((entry.line, field(&entry.name, name, found, expected)));
        }
        NoRun::Faulty
    }
}

fn field(profile: &str, field: &'static str, found: &str, expected: &str) -> Problem {
    Problem::member(format!("profile `{profile}`"), field, found, expected)
}
