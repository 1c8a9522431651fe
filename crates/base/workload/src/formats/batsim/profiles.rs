//! The profiles of a workload, and the run times of jobs that use them.

use super::LocatedProblem;
use super::document::{Members, Text};
use super::profile::{Profile, Work};
use crate::log::Problem;
use rustc_hash::FxHashMap;
use std::num::NonZeroU64;

/// Maximum nesting depth of sequences. It also detects a sequence that contains itself.
const MAX_DEPTH: u32 = 32;

/// Profiles of a workload, by name.
#[derive(Default)]
pub(super) struct Profiles {
    entries: Vec<ProfileEntry>,
    by_name: FxHashMap<String, usize>,
    /// Node speed in flop/s.
    flops: Option<NonZeroU64>,
    /// Memo of computed runs, by index of the profile and number of nodes.
    memo: FxHashMap<(usize, u32), ProfileRun>,
    /// Problems of profiles that are used, each reported once.
    pub(super) problems: Vec<LocatedProblem>,
    /// True if a job needs the node speed, which is unknown, or an unsupported type of profile. This
    /// is not an error of a single line, and lenient reading does not ignore it.
    pub(super) has_unsupported: bool,
}

struct ProfileEntry {
    name: String,
    line: u64,
    profile: Result<Profile, Vec<LocatedProblem>>,
    reported: bool,
}

/// Execution of a job with a profile: its run time, communication and result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProfileRun {
    pub(super) seconds: f64,
    pub(super) communicates: bool,
    pub(super) fails: bool,
}

/// Reasons why a job cannot run with a profile.
pub(super) enum RunError {
    /// There is no profile of this name.
    Unknown,
    /// The profile is for another number of nodes.
    Nodes { profile: String, nodes: usize },
    /// The profile or a part of it is invalid; the problems have been reported.
    Invalid,
}

impl Profiles {
    /// Parses all profiles. Problems of a profile are reported only when a job uses it.
    pub(super) fn parse(
        text: &Text<'_>,
        members: Members<'_>,
        flops: Option<NonZeroU64>,
    ) -> (Profiles, Vec<LocatedProblem>) {
        let (mut entries, mut by_name) = (Vec::new(), FxHashMap::default());
        let mut problems = Vec::new();
        for (name, value) in members.0 {
            let line = text.line(value);
            if by_name.insert(name.clone(), entries.len()).is_some() {
                problems.push((line, field(&name, "profiles", "a second profile of this name", "one")));
            }
            let profile = Profile::parse(text, &name, value);
            entries.push(ProfileEntry { name, line, profile, reported: false });
        }
        (Profiles { entries, by_name, flops, ..Profiles::default() }, problems)
    }

    /// Computes the run of a job on `nodes` nodes.
    pub(super) fn run(&mut self, name: &str, nodes: u32) -> Result<ProfileRun, RunError> {
        let &index = self.by_name.get(name).ok_or(RunError::Unknown)?;
        self.run_entry(index, nodes, 0)
    }

    fn run_entry(&mut self, index: usize, nodes: u32, depth: u32) -> Result<ProfileRun, RunError> {
        if let Some(&run) = self.memo.get(&(index, nodes)) {
            return Ok(run);
        }
        let entry = &mut self.entries[index];
        let profile = match &mut entry.profile {
            Ok(profile) => profile,
            Err(problems) => {
                let is_type = |problem: &Problem| matches!(problem, Problem::Member { member: "type", .. });
                self.has_unsupported |= problems.iter().any(|(_, problem)| is_type(problem));
                self.problems.append(problems);
                return Err(RunError::Invalid);
            }
        };
        let mut run = ProfileRun { communicates: profile.communicates, fails: profile.fails, seconds: 0.0 };
        let flop = match &profile.work {
            Work::Delay(seconds) => {
                run.seconds = *seconds;
                0.0
            }
            Work::Each(flop) => *flop,
            Work::Spread(flop) => flop / f64::from(nodes.max(1)),
            Work::PerNode(flop) => {
                if !flop.is_empty() && flop.len() != nodes as usize {
                    return Err(RunError::Nodes { profile: entry.name.clone(), nodes: flop.len() });
                }
                flop.iter().copied().fold(0.0, f64::max)
            }
            Work::Sequence { parts, repeat } => {
                let (parts, repeat) = (parts.clone(), *repeat as f64);
                for part in &parts {
                    let part = self.run_part(index, part, nodes, depth)?;
                    run.seconds += part.seconds * repeat;
                    run.communicates |= part.communicates;
                    run.fails |= part.fails;
                }
                0.0
            }
        };
        if flop > 0.0 {
            let Some(flops) = self.flops else {
                self.has_unsupported = true;
                let expected = "a run time; converting flop to a run time needs the speed of a node: `--flops 1e9`, or a platform of SimGrid";
                return Err(self.report_once(index, "cpu", &format!("{flop} flop per node"), expected));
            };
            run.seconds = flop / flops.get() as f64;
        }
        self.memo.insert((index, nodes), run);
        Ok(run)
    }

    /// Computes the run of one part of a sequence.
    fn run_part(
        &mut self,
        sequence: usize,
        part: &str,
        nodes: u32,
        depth: u32,
    ) -> Result<ProfileRun, RunError> {
        if depth == MAX_DEPTH {
            let expected = "sequences nested at most 32 deep, none of which contains itself";
            return Err(self.report_once(sequence, "seq", &format!("`{part}`"), expected));
        }
        match self.by_name.get(part) {
            Some(&index) => self.run_entry(index, nodes, depth + 1),
            None => Err(self.report_once(
                sequence,
                "seq",
                &format!("`{part}`"),
                "the name of a profile of this workload",
            )),
        }
    }

    /// Reports a problem of a profile, unless one has been reported for it.
    fn report_once(&mut self, index: usize, name: &'static str, found: &str, expected: &str) -> RunError {
        let entry = &mut self.entries[index];
        if !entry.reported {
            entry.reported = true;
            self.problems.push((entry.line, field(&entry.name, name, found, expected)));
        }
        RunError::Invalid
    }
}

fn field(profile: &str, field: &'static str, found: &str, expected: &str) -> Problem {
    Problem::member(format!("profile `{}`", profile.escape_debug()), field, found, expected)
}
