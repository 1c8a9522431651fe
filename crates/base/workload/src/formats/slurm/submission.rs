//! Options in the line with which a job was submitted.

use dfrsim_model::named;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

named! {
    /// The treatment of an option.
    pub(super) enum Treatment as "treatment" {
        /// Columns of the listing have its effect, or it is simulated itself.
        Simulated = "simulated",
        /// It has no effect on when and where jobs start.
        NoEffect = "no effect",
        /// It is not simulated, and may change when or where jobs start.
        NotSimulated = "not simulated",
    }
}

/// An option of `sbatch`, `srun` or `salloc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SubmitOption {
    /// Name without the dashes.
    pub(super) name: &'static str,
    /// Letter of the short form.
    short: Option<char>,
    takes: Value,
    pub(super) treatment: Treatment,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    None,
    /// Only in the same word: `--exclusive=user`.
    Optional,
    Required,
}

impl SubmitOption {
    pub(super) const ARRAY: &'static str = "array";
    pub(super) const DEPENDENCY: &'static str = "dependency";
    pub(super) const BEGIN: &'static str = "begin";
    pub(super) const HOLD: &'static str = "hold";
    pub(super) const LICENSES: &'static str = "licenses";
    pub(super) const NODELIST: &'static str = "nodelist";
    pub(super) const EXCLUDE: &'static str = "exclude";
    pub(super) const BURST_BUFFER: &'static str = "bb";
}

const fn option(short: Option<char>, name: &'static str, takes: Value, treatment: Treatment) -> SubmitOption {
    SubmitOption { name, short, takes, treatment }
}

use Treatment::{NoEffect, NotSimulated, Simulated};
use Value::{None as No, Optional, Required};

/// Options of `sbatch`, `srun` and `salloc` (manual pages of Slurm 20.11 to 25.05).
pub(super) const OPTIONS: &[SubmitOption] = &[
    option(Some('A'), "account", Required, Simulated),
    option(None, "accel-bind", Required, NoEffect),
    option(None, "acctg-freq", Required, NoEffect),
    option(Some('a'), SubmitOption::ARRAY, Required, Simulated),
    option(None, "batch", Required, NotSimulated),
    option(None, SubmitOption::BURST_BUFFER, Required, Simulated),
    option(None, "bbf", Required, NotSimulated),
    option(None, "bcast", Optional, NoEffect),
    option(None, "bcast-exclude", Optional, NoEffect),
    option(Some('b'), SubmitOption::BEGIN, Required, Simulated),
    option(None, "bell", No, NoEffect),
    option(Some('D'), "chdir", Required, NoEffect),
    option(None, "cluster-constraint", Required, NotSimulated),
    option(Some('M'), "clusters", Required, NoEffect),
    option(None, "comment", Required, NoEffect),
    option(None, "compress", Optional, NoEffect),
    option(None, "consolidate-segments", No, NotSimulated),
    option(Some('C'), "constraint", Required, Simulated),
    option(None, "container", Required, NoEffect),
    option(None, "container-id", Required, NoEffect),
    option(None, "contiguous", No, NotSimulated),
    option(Some('S'), "core-spec", Required, NotSimulated),
    option(None, "cores-per-socket", Required, NotSimulated),
    option(None, "cpu-bind", Required, NoEffect),
    option(None, "cpu-freq", Required, NoEffect),
    option(None, "cpus-per-gpu", Required, Simulated),
    option(Some('c'), "cpus-per-task", Required, Simulated),
    option(None, "deadline", Required, NotSimulated),
    option(None, "delay-boot", Required, NoEffect),
    option(Some('d'), SubmitOption::DEPENDENCY, Required, Simulated),
    option(Some('X'), "disable-status", No, NoEffect),
    option(Some('m'), "distribution", Required, NoEffect),
    option(None, "epilog", Required, NoEffect),
    option(Some('e'), "error", Required, NoEffect),
    option(None, "exact", No, NoEffect),
    option(Some('x'), SubmitOption::EXCLUDE, Required, Simulated),
    option(None, "exclusive", Optional, NotSimulated),
    option(None, "export", Required, NoEffect),
    option(None, "export-file", Required, NoEffect),
    option(None, "external", No, NoEffect),
    option(Some('B'), "extra-node-info", Required, NotSimulated),
    option(None, "extra", Required, NoEffect),
    option(None, "get-user-env", Optional, NoEffect),
    option(None, "gid", Required, NoEffect),
    option(None, "gpu-bind", Required, NoEffect),
    option(None, "gpu-freq", Required, NoEffect),
    option(Some('G'), "gpus", Required, Simulated),
    option(None, "gpus-per-node", Required, Simulated),
    option(None, "gpus-per-socket", Required, NotSimulated),
    option(None, "gpus-per-task", Required, Simulated),
    option(None, "gres", Required, Simulated),
    option(None, "gres-flags", Required, NotSimulated),
    option(None, "het-group", Required, NoEffect),
    option(Some('h'), "help", No, NoEffect),
    option(None, "hint", Required, NoEffect),
    option(Some('H'), SubmitOption::HOLD, No, Simulated),
    option(None, "ignore-pbs", No, NoEffect),
    option(Some('I'), "immediate", Optional, NotSimulated),
    option(Some('i'), "input", Required, NoEffect),
    option(None, "interactive", No, NoEffect),
    option(None, "jobid", Required, NoEffect),
    option(Some('J'), "job-name", Required, NoEffect),
    option(Some('K'), "kill-command", Optional, NoEffect),
    option(None, "kill-on-bad-exit", Optional, NoEffect),
    option(None, "kill-on-invalid-dep", Required, NoEffect),
    option(Some('l'), "label", No, NoEffect),
    option(Some('L'), SubmitOption::LICENSES, Required, Simulated),
    option(None, "mail-type", Required, NoEffect),
    option(None, "mail-user", Required, NoEffect),
    option(None, "mcs-label", Required, NotSimulated),
    option(None, "mem", Required, Simulated),
    option(None, "mem-bind", Required, NoEffect),
    option(None, "mem-per-cpu", Required, Simulated),
    option(None, "mem-per-gpu", Required, Simulated),
    option(None, "mincpus", Required, NotSimulated),
    option(None, "mpi", Required, NoEffect),
    option(None, "multi-prog", No, NoEffect),
    option(None, "network", Required, NoEffect),
    option(None, "nice", Optional, NotSimulated),
    option(None, "no-bell", No, NoEffect),
    option(Some('k'), "no-kill", Optional, NoEffect),
    option(None, "no-requeue", No, NotSimulated),
    option(None, "no-shell", No, NoEffect),
    option(Some('F'), "nodefile", Required, NotSimulated),
    option(Some('w'), SubmitOption::NODELIST, Required, Simulated),
    option(Some('N'), "nodes", Required, Simulated),
    option(Some('n'), "ntasks", Required, Simulated),
    option(None, "ntasks-per-core", Required, NoEffect),
    option(None, "ntasks-per-gpu", Required, Simulated),
    option(None, "ntasks-per-node", Required, Simulated),
    option(None, "ntasks-per-socket", Required, NotSimulated),
    option(None, "oom-kill-step", Optional, NoEffect),
    option(None, "open-mode", Required, NoEffect),
    option(Some('o'), "output", Required, NoEffect),
    option(Some('O'), "overcommit", No, Simulated),
    option(None, "overlap", No, NoEffect),
    option(Some('s'), "oversubscribe", No, NotSimulated),
    option(None, "parsable", No, NoEffect),
    option(Some('p'), "partition", Required, Simulated),
    option(None, "power", Required, NoEffect),
    option(Some('E'), "preserve-env", No, NoEffect),
    option(None, "prefer", Required, NotSimulated),
    option(None, "priority", Required, NotSimulated),
    option(None, "profile", Required, NoEffect),
    option(None, "prolog", Required, NoEffect),
    option(None, "propagate", Optional, NoEffect),
    option(None, "pty", Optional, NoEffect),
    option(Some('q'), "qos", Required, Simulated),
    option(Some('Q'), "quiet", No, NoEffect),
    option(Some('u'), "unbuffered", No, NoEffect),
    option(None, "reboot", No, NotSimulated),
    option(Some('r'), "relative", Required, NoEffect),
    option(None, "requeue", No, NoEffect),
    option(None, "reservation", Required, Simulated),
    option(None, "resv-ports", Optional, NoEffect),
    option(None, "segment", Required, NotSimulated),
    option(None, "send-libs", Optional, NoEffect),
    option(None, "share", No, NotSimulated),
    option(None, "signal", Required, NoEffect),
    option(None, "slurmd-debug", Required, NoEffect),
    option(None, "sockets-per-node", Required, NotSimulated),
    option(None, "spread-job", No, NotSimulated),
    option(None, "spread-segments", No, NotSimulated),
    option(None, "stepmgr", No, NoEffect),
    option(None, "switches", Required, NotSimulated),
    option(None, "task-epilog", Required, NoEffect),
    option(None, "task-prolog", Required, NoEffect),
    option(None, "test-only", No, NoEffect),
    option(None, "thread-spec", Required, NotSimulated),
    option(Some('T'), "threads", Required, NoEffect),
    option(None, "threads-per-core", Required, NotSimulated),
    option(Some('t'), "time", Required, Simulated),
    option(None, "time-min", Required, NotSimulated),
    option(None, "tmp", Required, NotSimulated),
    option(None, "tres-bind", Required, NoEffect),
    option(None, "tres-per-job", Required, Simulated),
    option(None, "tres-per-node", Required, Simulated),
    option(None, "tres-per-task", Required, Simulated),
    option(None, "treewidth", Required, NoEffect),
    option(None, "uid", Required, NoEffect),
    option(None, "umask", Required, NoEffect),
    option(None, "usage", No, NoEffect),
    option(None, "use-min-nodes", No, NotSimulated),
    option(Some('v'), "verbose", No, NoEffect),
    option(Some('V'), "version", No, NoEffect),
    option(Some('W'), "wait", Optional, NoEffect),
    option(None, "wait-all-nodes", Required, NoEffect),
    option(None, "wckey", Required, NoEffect),
    option(None, "wrap", Required, NoEffect),
    option(None, "x11", Optional, NoEffect),
];

/// Options of one submission.
#[derive(Debug, Default)]
pub(super) struct SubmitLine<'a> {
    /// Indices of the options, each once, with their last values.
    options: Vec<(usize, &'a str)>,
}

impl<'a> SubmitLine<'a> {
    /// Parses the line of a command. The options end before the first word that is neither an option
    /// nor the value of one: the script or program, which has its own. Quotes are not in the line.
    pub(super) fn of_line(line: &'a str) -> SubmitLine<'a> {
        let mut found = SubmitLine::default();
        let mut words = line.split_whitespace().skip(1).peekable();
        while let Some(word) = words.next() {
            if let Some(long) = word.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let Some(at) = long_option(name) else { continue };
                let value = match (value, OPTIONS[at].takes) {
                    (Some(value), _) => value,
                    (None, Required) => words.next().unwrap_or_default(),
                    (None, _) => "",
                };
                if OPTIONS[at].name != SubmitOption::BURST_BUFFER {
                    found.add(at, value);
                    continue;
                }
                // The directives of a burst buffer are several words.
                let mut last = value;
                while let Some(word) = words.next_if(|word| is_of_burst_buffer(word)) {
                    last = word;
                }
                let place = |part: &str| part.as_ptr().addr() - line.as_ptr().addr();
                let is_within = !value.is_empty();
                found.add(at, if is_within { &line[place(value)..place(last) + last.len()] } else { value });
            } else if let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) {
                for (place, letter) in short.char_indices() {
                    let Some(at) = OPTIONS.iter().position(|it| it.short == Some(letter)) else { break };
                    let rest = &short[place + letter.len_utf8()..];
                    if OPTIONS[at].takes == No {
                        found.add(at, "");
                        continue;
                    }
                    let is_next = rest.is_empty() && OPTIONS[at].takes == Required;
                    found.add(at, if is_next { words.next().unwrap_or_default() } else { rest });
                    break;
                }
            } else {
                break;
            }
        }
        found
    }

    fn add(&mut self, option: usize, value: &'a str) {
        match self.options.iter_mut().find(|(other, _)| *other == option) {
            Some((_, old)) => *old = value,
            None => self.options.push((option, value)),
        }
    }

    /// Returns the value of an option; `None` if it was not given.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.options.iter().find(|(at, _)| OPTIONS[*at].name == name).map(|(_, value)| *value)
    }

    /// Iterates over the indices of the options in [`OPTIONS`].
    pub(super) fn options(&self) -> impl Iterator<Item = usize> {
        self.options.iter().map(|(at, _)| *at)
    }
}

/// Returns whether a word behind `--bb` belongs to its value: `access=striped`, `#DW`, `jobdw`.
fn is_of_burst_buffer(word: &str) -> bool {
    let is_keyword = matches!(word, "jobdw" | "swap" | "stage_in" | "stage_out" | "persistentdw");
    !word.starts_with('-') && (is_keyword || word.starts_with('#') || word.contains('='))
}

/// Indices of the options by name.
static BY_NAME: LazyLock<FxHashMap<&str, usize>> =
    LazyLock::new(|| OPTIONS.iter().enumerate().map(|(at, option)| (option.name, at)).collect());

/// Finds a long option by its name, or by a beginning that no other option has.
fn long_option(name: &str) -> Option<usize> {
    if let Some(at) = BY_NAME.get(name) {
        return Some(*at);
    }
    let mut begins = (0..OPTIONS.len()).filter(|&at| !name.is_empty() && OPTIONS[at].name.starts_with(name));
    let first = begins.next()?;
    begins.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_found_in_any_form() {
        for line in
            ["sbatch -a 1-9%3 x", "sbatch --wrap=-a --array=1-9%3 x", "srun -a1-9%3", "sbatch --array 1-9%3"]
        {
            assert_eq!(SubmitLine::of_line(line).value("array"), Some("1-9%3"), "{line}");
        }
        let line = "sbatch --bb=capacity=1G access=striped type=scratch -N2 --array=1-9%3 x pool=y";
        let found = SubmitLine::of_line(line);
        assert_eq!((found.value("nodes"), found.value("array")), (Some("2"), Some("1-9%3")));
        assert_eq!(found.value("bb"), Some("capacity=1G access=striped type=scratch"));
        for line in ["sbatch --account=a x", "sbatch -A a x", "sbatch x.sh -a 1", ""] {
            assert_eq!(SubmitLine::of_line(line).value("array"), None, "{line}");
        }
    }

    #[test]
    fn options_of_the_script_are_its_own() {
        let names = |line: &str| -> Vec<&str> {
            SubmitLine::of_line(line).options().map(|at| OPTIONS[at].name).collect()
        };
        assert_eq!(
            names("sbatch --nice -w n2 --exclusive x.sh --licenses=a -x n1"),
            ["nice", "nodelist", "exclusive"]
        );
        assert_eq!(
            names("srun -Hvn4 --licen=a:2 --unknown --n=2 hostname -x"),
            ["hold", "verbose", "ntasks", "licenses"]
        );
        assert_eq!(names("salloc --nice=5 --nice=6 - -N"), ["nice"]);
    }

    #[test]
    fn options_are_listed_once() {
        let mut letters: Vec<char> = OPTIONS.iter().filter_map(|it| it.short).collect();
        let mut names: Vec<&str> = OPTIONS.iter().map(|it| it.name).collect();
        let all = (letters.len(), names.len());
        letters.sort_unstable();
        letters.dedup();
        names.sort_unstable();
        names.dedup();
        assert_eq!((letters.len(), names.len()), all);
    }
}
