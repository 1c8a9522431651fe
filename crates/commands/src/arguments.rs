//! Command-line arguments that several commands share.

mod rules;

use crate::failure::Failure;
use crate::output::{counted, notice};
use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use dfrsim_model::limits::{self, MAX_NODES};
use dfrsim_model::{SimSpan, Yield};
use dfrsim_workload::cut::Selection;
use dfrsim_workload::formats::batsim::MOST_FLOPS;
use dfrsim_workload::formats::table::{self, Map, MapError};
use dfrsim_workload::log::{Header, LogError, Strictness, Whole};
use dfrsim_workload::lublin::{CpuNeeds, MemoryModel};
use dfrsim_workload::prepare::{
    self, Annotation, Anomaly, ClusterAssumptions, Join, Opened, Options, Rule, Rules, SizeField, StatusRule,
};
use dfrsim_workload::recognise::{Kind, recognise};
use dfrsim_workload::traces;
use rules::RuleSetting;
use std::error::Error;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Log to read and the conversion of its lines into jobs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Workload")]
pub(crate) struct WorkloadArguments {
    /// Log to read: SWF, GWF, the output of Slurm's sacct, accounting of PBS, a Batsim workload, or
    /// with --columns a table, plain or gzip, recognised by its content; searched at the given path,
    /// then in traces/ and $DFRSIM_TRACES
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) workload: PathBuf,
    /// Number of nodes of the cluster; with `--unit processor`, number of processors; by default the
    /// machine of the log's header
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_NODES)))]
    nodes: Option<u32>,
    /// Resource that each task occupies exclusively: a node (the default, as in the study) or a
    /// processor (plain SWF simulation)
    #[arg(long, value_enum)]
    unit: Option<Unit>,
    /// Source of tasks, CPU needs and memory: by default `none`, and `hpc2n --join listed` for a
    /// listing of Slurm on a platform
    #[arg(long, value_enum)]
    annotate: Option<Annotate>,
    /// Cores per node, for `--annotate`: by default 2 for hpc2n, 4 for lublin
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroU32>,
    /// Conversion of a job's processors into tasks, for `--annotate hpc2n`: even = one task per node
    /// if the processors fill nodes evenly, else one task per processor (the default on dual-core
    /// nodes); spread = one task per node, on as few nodes as hold the processors; listed = one task
    /// for each node that a listing of Slurm gives the job
    #[arg(long, value_name = "even|spread|listed")]
    join: Option<Join>,
    /// Minimum memory of a task, for `--annotate hpc2n`, in tenths of a node; by default 1
    #[arg(long, value_name = "TENTHS", value_parser = clap::value_parser!(u32).range(0..=10))]
    floor_tenths: Option<u32>,
    /// Memory of a node; by default 2 for `--annotate hpc2n`, and 8 for policies with a budget of
    /// moved memory
    #[arg(long, value_name = "GB", value_parser = gigabytes)]
    pub(crate) node_memory: Option<f64>,
    /// Seed of all random numbers: the memory of `--annotate lublin`, random estimates
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) log: LogArguments,
}

/// Lines of a log to select, and the treatment of anomalous ones.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Workload")]
pub(crate) struct LogArguments {
    /// Field with a job's size: requested = field 8, else 5; allocated = field 5, else 8; by-format
    /// (the default) = allocated for a listing of Slurm, requested for other logs
    #[arg(long, value_name = "requested|allocated|by-format")]
    size: Option<SizeField>,
    /// Skip the first N lines of the file
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Read only the next N lines of the file
    #[arg(long, value_name = "N")]
    first: Option<u64>,
    /// Take only jobs submitted at this second of the log or later
    #[arg(long, value_name = "SECOND")]
    from: Option<u64>,
    /// Take only jobs submitted before this second of the log
    #[arg(long, value_name = "SECOND")]
    to: Option<u64>,
    /// Rules for anomalous lines, such as zero-run=clamp,failed=drop; --help lists them
    ///
    /// drop (the default), clamp (to a possible value), or error:
    ///   zero-run         run time of zero or unknown; clamp: 1 s
    ///   short-run        less than a second, as a Slurm listing says (default: clamp); clamp: 1 s
    ///   zero-size        size of zero or unknown; clamp: 1
    ///   too-wide         larger than the machine (an error with --strict); clamp: its size
    ///   no-submit        no submit time; clamp: that of the line above
    ///
    /// keep (the default, but drop for partial), drop, or error:
    ///   failed           failed jobs (status 0)
    ///   cancelled        cancelled jobs (status 5)
    ///   partial          partial executions of checkpointed jobs (status 2, 3 and 4) that an
    ///                    earlier line with their job number summarises
    ///   lone-partial     status 2, 3 or 4, but no earlier line summarises the job
    ///   unknown-status   a status that the format does not define, such as an exit code
    ///   repeated-number  the job number of an earlier line
    #[arg(long = "rule", value_name = "NAME=VALUE", value_delimiter = ',', verbatim_doc_comment)]
    #[arg(value_parser = RuleSetting::parse)]
    rules: Vec<RuleSetting>,
    /// Reject logs with lines that violate the format (malformed, without submit time, of unknown
    /// status) or with jobs larger than the machine, instead of dropping or keeping such lines and
    /// counting them; and sites with settings that are assumed, replaced, or not simulated and may
    /// change results, instead of listing them
    #[arg(long)]
    strict: bool,
    /// Map of the columns, if the log is a table (comma-separated values, JSON and others): a TOML
    /// file, as on the page `your_log` of the guide, or the name of a map that ships with the
    /// program
    ///
    /// The maps are accasim, alcf, alibaba-gpu-2023, alibaba-gpu-2025, alibaba-pai-2020, eagle, gavel,
    /// gavel-msr, helios, jobcomp, lsb-acct, philly, sge, supercloud and xdmod.
    #[arg(long, value_name = "MAP", value_parser = columns)]
    columns: Option<GivenMap>,
    /// Speed of a node in flop/s, for Batsim workloads whose profiles specify computation: 1e9
    #[arg(long, value_name = "FLOP/S", value_parser = flops)]
    flops: Option<NonZeroU64>,
}

/// Option about a log that only some commands can use.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LogOption {
    /// `--size`.
    Size,
    /// `--flops`.
    Flops,
}

impl LogOption {
    const fn name(self) -> &'static str {
        match self {
            LogOption::Size => "--size",
            LogOption::Flops => "--flops",
        }
    }
}

/// Unit of allocation: the resource that a task occupies exclusively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unit {
    /// A task occupies a node
    Node,
    /// Each processor of the log is a task that occupies one processor
    Processor,
}

/// Source of tasks, CPU needs and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Annotate {
    /// A task for each processor, with CPU need 1 and no memory
    None,
    /// Memory fields of the log, by default on dual-core nodes of 2 GiB
    Hpc2n,
    /// Memory drawn at random as for the Lublin model; a job of size 1 needs one of four cores
    Lublin,
}

impl WorkloadArguments {
    /// Returns the options that convert the lines of the log into jobs of an unlimited machine.
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        let annotate = self.annotate.unwrap_or(Annotate::None);
        if self.unit == Some(Unit::Processor) && annotate != Annotate::None {
            return Err(Failure::input(
                "--unit processor takes the processors of the log as they are and cannot be combined with --annotate; use --unit node",
            ));
        }
        let annotation = match annotate {
            Annotate::None if self.cores.is_some() => {
                return Err(Failure::input("--cores requires --annotate hpc2n or lublin"));
            }
            Annotate::None | Annotate::Lublin if self.join.is_some() || self.floor_tenths.is_some() => {
                return Err(Failure::input("--join and --floor-tenths require --annotate hpc2n"));
            }
            Annotate::None => Annotation::None,
            Annotate::Hpc2n => {
                let study = ClusterAssumptions::default();
                Annotation::Hpc2n(ClusterAssumptions {
                    cores: self.cores.map_or(study.cores, NonZeroU32::get),
                    memory_kb: self.node_memory.map_or(study.memory_kb, |gb| (gb * KB_OF_GB).round() as u64),
                    floor_tenths: self.floor_tenths.unwrap_or(study.floor_tenths),
                    join: self.join,
                })
            }
            Annotate::Lublin => Annotation::Lublin {
                seed: self.seed,
                cpu: match self.cores {
                    Some(cores) => CpuNeeds::new(cores, None, None).map_err(Failure::input)?,
                    None => CpuNeeds::default(),
                },
                memory: MemoryModel::default(),
            },
        };
        Ok(Options { annotation, ..self.log.options() })
    }

    /// Returns whether `--nodes` was given.
    pub(crate) fn has_nodes(&self) -> bool {
        self.nodes.is_some()
    }

    /// Sets the number of nodes of the cluster.
    pub(crate) fn set_nodes(&mut self, nodes: u32) {
        self.nodes = Some(nodes);
    }

    /// Gives each job the nodes that the log lists for it; `cores` and `memory_gb` are those of the
    /// largest node.
    pub(crate) fn use_listed_nodes(&mut self, cores: u32, memory_gb: f64) {
        (self.annotate, self.join, self.floor_tenths) = (Some(Annotate::Hpc2n), Some(Join::Listed), Some(0));
        (self.cores, self.node_memory) = (NonZeroU32::new(cores), Some(memory_gb));
    }

    /// Finds the log at the given path or in the trace folders.
    pub(crate) fn path(&self) -> Result<PathBuf, Failure> {
        traces::locate(&self.workload).map_err(Failure::input)
    }

    /// Returns whether `--unit` or `--annotate` was given, which determine how processors of the log
    /// become tasks.
    pub(crate) fn has_task_options(&self) -> bool {
        self.unit.is_some() || self.annotate.is_some()
    }

    /// Returns whether a task of a job is a processor, by `--unit processor`.
    pub(crate) fn is_of_processors(&self) -> bool {
        self.unit == Some(Unit::Processor)
    }

    /// Returns whether the log gives each job its nodes: a listing of Slurm, or a table whose map has
    /// them. A pipe is not read for this, since it can be read only once.
    pub(crate) fn is_listing(&self) -> bool {
        match &self.log.columns {
            Some(given) => given.map.has_nodes(),
            None => {
                self.path().is_ok_and(|path| path.is_file() && matches!(recognise(&path), Ok(Kind::Slurm)))
            }
        }
    }

    /// Returns whether the log is a Batsim workload.
    pub(crate) fn is_batsim(&self) -> bool {
        self.path().is_ok_and(|path| path.is_file() && matches!(recognise(&path), Ok(Kind::Batsim)))
    }

    /// Returns whether the log has to be kept after it was read completely: it is no log that is
    /// streamed, or it is a pipe, which cannot be read again.
    pub(crate) fn is_kept(&self, path: &Path) -> bool {
        !path.is_file() || !matches!(recognise(path), Ok(Kind::Swf | Kind::Gwf))
    }

    /// Refuses a log whose own columns show that jobs share nodes, if by default each of their
    /// processors would be simulated as a node.
    pub(crate) fn check_unit(&self, path: &Path, opened: &Opened) -> Result<(), Failure> {
        let sharing =
            if self.has_task_options() { 0 } else { opened.jobs_with_fewer_nodes_than_processors() };
        if sharing == 0 {
            return Ok(());
        }
        Err(Failure::input(format!(
            "{}: {} have fewer nodes than processors, and without further options each processor would be a node; give --slurm-conf or \
             --platform to simulate the nodes, --unit processor to simulate processors, or --unit node if a processor is a node",
            path.display(),
            counted(sharing, "job"),
        )))
    }

    /// Opens the log, which may have been read already, and determines the number of nodes (or
    /// processors) of its machine.
    pub(crate) fn open(&self, whole: Option<Whole>) -> Result<(PathBuf, Opened, u32), Failure> {
        let (path, options) = (self.path()?, self.options()?);
        let opened = match whole {
            Some(whole) => Opened::of_whole(&path, &options, whole),
            None => Opened::open(&path, &options).map_err(|error| self.log.failure(&error))?,
        };
        let nodes = self.nodes(&path, opened.header())?;
        Ok((path, opened.with_units(nodes), nodes))
    }

    /// Returns the size of the machine in nodes: that of the header, or the given one, with a notice
    /// if the two differ.
    fn nodes(&self, path: &Path, header: &Header) -> Result<u32, Failure> {
        let cores = match self.annotate {
            Some(Annotate::Hpc2n) => self.cores.map_or(ClusterAssumptions::default().cores, NonZeroU32::get),
            Some(Annotate::None | Annotate::Lublin) | None => 1,
        };
        let processors = match (self.nodes, processors(path, header)) {
            (_, Ok(processors)) => processors,
            (nodes, Err(failure)) => return nodes.ok_or(failure),
        };
        let path = path.display();
        let machine = processors.div_ceil(u64::from(cores));
        let of_cores = if cores > 1 { format!(" of {cores} cores") } else { String::new() };
        match self.nodes {
            None => u32::try_from(machine).ok().filter(|nodes| *nodes <= MAX_NODES).ok_or_else(|| {
                Failure::input(format!(
                    "{path}: the header names {processors} processors, more than the {MAX_NODES} nodes that can be \
                     simulated; give --nodes"
                ))
            }),
            Some(nodes) => {
                if u64::from(nodes) != machine {
                    // Without annotation a job of a processor takes a node.
                    let how = match self.annotate {
                        None if machine % u64::from(nodes.max(1)) == 0 => {
                            "; with --annotate hpc2n, jobs share the processors of nodes"
                        }
                        _ => "",
                    };
                    notice!(
                        "{path}: notice: the header names a machine of {processors} processors; {nodes} nodes{of_cores} \
                         are simulated{how}"
                    );
                }
                Ok(nodes)
            }
        }
    }
}

/// Returns the number of processors that the header gives for the machine.
pub(crate) fn processors(path: &Path, header: &Header) -> Result<u64, Failure> {
    header.max_procs().or(header.max_nodes()).filter(|&count| count > 0).ok_or_else(|| {
        Failure::input(format!(
            "{}: the header has neither MaxProcs nor MaxNodes; give --nodes",
            path.display()
        ))
    })
}

/// Kilobytes per gigabyte, as in the annotations: 2^20.
pub(crate) const KB_OF_GB: f64 = 1_048_576.0;

impl LogArguments {
    /// Returns the options that convert the lines into jobs of an unlimited machine, without
    /// annotation.
    pub(crate) fn options(&self) -> Options {
        Options {
            lines: self.strictness(),
            columns: self.columns.as_ref().map(|given| Arc::clone(&given.map)),
            flops: self.flops,
            size: self.size.unwrap_or_default(),
            select: self.selection(),
            rules: self.rules(),
            ..Options::default()
        }
    }
    fn rules(&self) -> Rules {
        let too_wide = if self.strict { Rule::Error } else { Rule::Drop };
        let mut rules = Rules { too_wide, ..Rules::default() };
        self.rules.iter().for_each(|setting| setting.apply(&mut rules));
        rules
    }
    /// Returns the number of parts of a core in which the log counts processors.
    pub(crate) fn core_parts(&self) -> u32 {
        self.columns.as_ref().map_or(1, |given| given.map.core_parts())
    }
    /// Returns the map of the columns, as it was given.
    pub(crate) fn columns(&self) -> Option<&str> {
        self.columns.as_ref().map(|given| given.name.as_str())
    }
    /// Returns whether the log is a table.
    pub(crate) fn has_columns(&self) -> bool {
        self.columns.is_some()
    }
    /// Refuses options that have no effect on a command.
    pub(crate) fn refuse(&self, options: &[LogOption], reason: &str) -> Result<(), Failure> {
        let given = |option: &&LogOption| match option {
            LogOption::Size => self.size.is_some(),
            LogOption::Flops => self.flops.is_some(),
        };
        match options.iter().find(given) {
            Some(option) => Err(Failure::input(format!("{} {reason}", option.name()))),
            None => Ok(()),
        }
    }
    /// Returns the rules of a command that writes the lines of a log again: those that are given, and
    /// otherwise rules that keep a line.
    pub(crate) fn rules_for_lines(&self) -> Rules {
        let (clamp, keep) = (Rule::Clamp, StatusRule::Keep);
        let mut rules = Rules {
            zero_run: clamp,
            zero_size: clamp,
            too_wide: clamp,
            no_submit: Rule::Drop,
            partial: keep,
            ..Rules::default()
        };
        self.rules.iter().for_each(|setting| setting.apply(&mut rules));
        rules
    }
    /// Returns whether a rule was given for this anomaly.
    pub(crate) fn has_rule(&self, anomaly: Anomaly) -> bool {
        self.rules.iter().any(|setting| setting.anomaly == anomaly)
    }
    /// Sets the speed of a node, for a Batsim workload, unless `--flops` was given. Returns whether it
    /// did.
    pub(crate) fn use_flops(&mut self, flops: u64) -> bool {
        let is_missing = self.flops.is_none();
        if is_missing {
            self.flops = NonZeroU64::new(flops);
        }
        is_missing
    }
    pub(crate) fn selection(&self) -> Selection {
        Selection { skip: self.skip, first: self.first, from: self.from, to: self.to }
    }
    /// Returns whether to refuse what is otherwise only counted and reported.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }
    fn strictness(&self) -> Strictness {
        if self.strict { Strictness::Strict } else { Strictness::Lenient }
    }
    /// Reads a log to its end.
    pub(crate) fn read_whole(&self, path: &Path) -> Result<Whole, Failure> {
        prepare::read_whole(path, &self.options()).map_err(|error| self.failure(&error))
    }
    /// Converts the errors of a log into a failure, with hints at the options that would help.
    pub(crate) fn failure(&self, error: &LogError) -> Failure {
        let mut message = error.to_string();
        for advice in error.advice(self.strictness()) {
            message.push_str("\nhint: ");
            message.push_str(&advice);
        }
        Failure::Input(message)
    }
    /// Creates the failure for a log without any job left, to be used after the counts of its lines
    /// were printed.
    pub(crate) fn no_jobs(&self, path: &Path) -> Failure {
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from >= to
        {
            return Failure::input(format!("--from {from} is not before --to {to}, so that no job is left"));
        }
        let options = [
            ("--skip", self.skip > 0),
            ("--first", self.first.is_some()),
            ("--from", self.from.is_some()),
            ("--to", self.to.is_some()),
        ];
        let given: Vec<&str> =
            options.iter().filter(|(_, is_given)| *is_given).map(|(option, _)| *option).collect();
        let remedy =
            if given.is_empty() { String::new() } else { format!("; widen {}", given.join(" and ")) };
        let message = format!("no job is left after the selection and the rules for anomalous lines{remedy}");
        Failure::in_file(path, message)
    }
}

/// Parses the name of an HTML page to write.
pub(crate) fn page_path_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.extension() {
        Some(other) if other != "html" && other != "htm" => {
            Err("expected a file name that ends in .html, since pages are HTML")
        }
        _ => Ok(path),
    })
}

/// Parses the name of one of these choices.
pub(crate) fn one_of<T: Copy + Send + Sync>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(|choice| name(*choice)));
    names.map(move |found| *all.iter().find(|choice| name(**choice) == found).expect("it is possible"))
}

/// A map of columns, with the name or the path by which it was given.
#[derive(Clone, Debug)]
struct GivenMap {
    name: String,
    map: Arc<Map>,
}

/// Finds the map of a name, or reads that of a file.
fn columns(name: &str) -> Result<GivenMap, MapError> {
    Ok(GivenMap { name: name.to_owned(), map: table::find(name).map(Arc::new)? })
}

/// Parses a speed: a number that may have an exponent, rounded to the nearest flop/s.
fn flops(text: &str) -> Result<NonZeroU64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (1.0..=MOST_FLOPS).contains(number));
    let whole = number.and_then(|number| NonZeroU64::new(number.round() as u64));
    whole.ok_or_else(|| format!("expected flop/s from 1 to {MOST_FLOPS:e}, found `{text}`"))
}

/// Parses an amount of memory: a number of GB above 0, which may have decimals.
pub(crate) fn gigabytes(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("expected a number of GB above 0, found {text:?}"))
}

/// Parses a yield, from 0 to 1.
pub(crate) fn parse_yield(text: &str) -> Result<Yield, String> {
    let part: Option<f64> = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.map(Yield::nearest).ok_or_else(|| format!("expected a yield from 0 to 1, found `{text}`"))
}

/// Parses a period in seconds: at least 1.
pub(crate) fn period(text: &str) -> Result<SimSpan, Box<dyn Error + Send + Sync>> {
    Ok(limits::period(text.parse()?)?)
}

/// Limits the number of threads to four per core: more are no faster, and could exceed the thread
/// limit of the machine.
pub(crate) fn limit_threads(threads: usize) -> usize {
    const A_CORE: usize = 4;
    let most = A_CORE * std::thread::available_parallelism().map_or(1, usize::from);
    if threads > most {
        notice!("notice: --threads {threads}: only {most} threads are used, {A_CORE} per core");
    }
    threads.min(most)
}

#[cfg(test)]
mod tests {
    use super::LogArguments;
    use clap::{Args as _, Command};
    use dfrsim_workload::formats::table;

    #[test]
    fn the_help_names_each_map() {
        let mut command = LogArguments::augment_args(Command::new("log"));
        let help = command.render_long_help().to_string();
        let words: Vec<&str> = help.split([' ', ',', '.', '\n']).collect();
        for name in table::names() {
            assert!(words.contains(&name), "{name}\n{help}");
        }
    }
}
