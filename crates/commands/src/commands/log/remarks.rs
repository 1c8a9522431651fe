//! Remarks on unusual properties of a log.

use dfrsim_cluster::Tally;
use dfrsim_model::{Job, SimTime};
use dfrsim_workload::cut;
use dfrsim_workload::load::OfferedWork;
use dfrsim_workload::log::{Header, Kilobytes, Naming, Record};
use dfrsim_workload::prepare::{Anomaly, Report};
use rustc_hash::{FxHashMap, FxHashSet};

/// Statistics of the jobs of a log.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) offered: OfferedWork,
    /// Weeks in which jobs were submitted.
    weeks: FxHashSet<u64>,
    pub(super) processors: Tally,
    /// Run times in seconds.
    pub(super) run_times: Tally,
    /// Requested times in seconds, of the jobs that have one.
    pub(super) requested_times: Tally,
    /// Number of jobs and processors of the largest job, by partition.
    partitions: FxHashMap<u32, (u64, u32)>,
    /// Number of jobs by queue.
    queues: FxHashMap<u32, u64>,
    /// Number of jobs that name a preceding job.
    with_predecessor: u64,
    /// Number of jobs that ran longer than they requested.
    overrunning: u64,
    /// Number of jobs whose memory is known.
    pub(super) with_memory: u64,
    /// Largest known memory per processor.
    pub(super) most_memory: Kilobytes,
    /// Use of whole nodes, if the log lists nodes.
    pub(super) node_usage: NodeUsage,
}

/// Use of the nodes that a listing gives the jobs.
#[derive(Debug, Default)]
pub(super) struct NodeUsage {
    /// Number of jobs with fewer nodes than processors.
    pub(super) sharing: u64,
    /// Maximum number of nodes of a job; the next two fields are the maximum processors and
    /// kilobytes of a job per node.
    pub(super) nodes: u32,
    pub(super) processors: u32,
    pub(super) kilobytes: f64,
}

impl NodeUsage {
    fn add(&mut self, record: &Record, memory: Option<Kilobytes>) {
        let processors = record.allocated_processors.or(record.requested_processors);
        let Some((nodes, processors)) = record.nodes.zip(processors).filter(|(nodes, _)| *nodes > 0) else {
            return;
        };
        self.sharing += u64::from(nodes < processors);
        let each = processors.div_ceil(nodes);
        let kilobytes = memory.map_or(0.0, |memory| memory.millionths() as f64 / 1e6);
        (self.nodes, self.processors) = (self.nodes.max(nodes), self.processors.max(each));
        self.kilobytes = self.kilobytes.max(kilobytes * f64::from(each));
    }
}

impl Contents {
    pub(super) fn add(&mut self, job: &Job, record: &Record) {
        if let Some(partition) = record.partition {
            let (jobs, widest) = self.partitions.entry(partition).or_default();
            *jobs += 1;
            *widest = job.tasks.max(*widest);
        }
        if let Some(queue) = record.queue {
            *self.queues.entry(queue).or_default() += 1;
        }
        self.with_predecessor += u64::from(record.preceding_job.is_some_and(|number| number > 0));
        self.overrunning += u64::from(job.requested_time.is_some_and(|requested| job.run_time > requested));
        let memory = record.used_memory.max(record.requested_memory);
        self.node_usage.add(record, memory);
        if let Some(memory) = memory {
            self.with_memory += 1;
            self.most_memory = self.most_memory.max(memory);
        }
        self.offered.add(job);
        self.weeks.insert(cut::week(job.submit));
        self.processors.add(f64::from(job.tasks));
        self.run_times.add(job.run_time.as_secs_f64());
        if let Some(requested) = job.requested_time {
            self.requested_times.add(requested.as_secs_f64());
        }
    }
    /// Returns the times of the first and the last submission; `None` without jobs.
    pub(super) fn span(&self) -> Option<(SimTime, SimTime)> {
        self.offered.span()
    }
    pub(super) fn weeks(&self) -> usize {
        self.weeks.len()
    }
    /// Returns the number of processors of the largest job.
    pub(super) fn widest(&self) -> f64 {
        self.processors.distribution().map_or(1.0, |distribution| distribution.max)
    }
    pub(super) fn count(&self) -> u64 {
        self.processors.len() as u64
    }
    pub(super) fn with_estimate(&self) -> u64 {
        self.requested_times.len() as u64
    }
}

/// Maximum number of partitions to list: those with the most jobs.
const MAX_LISTED: usize = 4;

/// Builds the remarks that a user should consider before simulating a log, one sentence each.
pub(super) fn remarks(header: &Header, contents: &Contents, report: &Report) -> Vec<String> {
    let mut remarks = Remarks { jobs: contents.count(), all: Vec::new() };
    remark_on_estimates(contents, &mut remarks);
    remark_on_memory(contents, &mut remarks);
    remark_on_machine(header, contents, &mut remarks);
    remarks.add_count(
        contents.node_usage.sharing,
        "have fewer nodes than processors: with --slurm-conf slurm.conf they are simulated on the nodes of the site, with a \
         policy such as EASY/NODES=SHARED.",
    );
    remarks.add_count(
        contents.with_predecessor,
        "name a preceding job (field 17): they wait for it only with --submission holds or dependencies.",
    );
    remark_on_lines(report, &mut remarks);
    remarks.all
}

/// Remarks collected so far.
struct Remarks {
    /// Total number of jobs.
    jobs: u64,
    all: Vec<String>,
}

impl Remarks {
    fn add(&mut self, remark: impl Into<String>) {
        self.all.push(remark.into());
    }
    /// Adds `all` if every job lacks something, or else `some` with the number of jobs that lack it.
    fn add_missing(&mut self, missing: u64, all: &str, some: &str) {
        if missing == self.jobs { self.add(all) } else { self.add_count(missing, some) }
    }
    /// Adds a remark on a number of jobs, if it is not 0: `82437 of 113613 jobs (72.6 %) have no
    /// memory`.
    fn add_count(&mut self, jobs: u64, words: &str) {
        if jobs > 0 {
            let percent = 100.0 * jobs as f64 / self.jobs as f64;
            self.add(format!("{jobs} of {} jobs ({percent:.1} %) {words}", self.jobs));
        }
    }
}

fn remark_on_estimates(contents: &Contents, remarks: &mut Remarks) {
    remarks.add_missing(
        contents.count() - contents.with_estimate(),
        "No job has a requested time (field 9): --estimates requested is equivalent to exact run times.",
        "have no requested time (field 9): with --estimates requested, policies know their exact run times.",
    );
    remarks.add_count(
        contents.overrunning,
        "ran longer than requested: --overrun extend (the default) lets them continue, kill ends them at the requested time.",
    );
}

fn remark_on_memory(contents: &Contents, remarks: &mut Remarks) {
    remarks.add_missing(
        contents.count() - contents.with_memory,
        "No job has memory (fields 7 and 10): --annotate hpc2n gives every job the minimum memory, --annotate lublin draws it \
         at random.",
        "have no memory (fields 7 and 10): --annotate hpc2n gives them the minimum memory.",
    );
}

fn remark_on_machine(header: &Header, contents: &Contents, remarks: &mut Remarks) {
    let machine = header.max_procs().or(header.max_nodes());
    match (header.max_nodes(), header.max_procs()) {
        (None, None) => remarks.add("The header names no machine: simulations need --nodes."),
        (Some(nodes), Some(processors)) if processors > nodes => remarks.add(format!(
            "The {nodes} nodes have {processors} processors, {:.4} each; sizes of jobs are in processors.",
            processors as f64 / nodes as f64
        )),
        _ => {}
    }
    if let Some(processors) = machine {
        let wide = contents.processors.counts().filter(|&(width, _)| width > processors as f64);
        let words = format!(
            "are larger than the {processors} processors of the header: dropped by default (--rule too-wide)."
        );
        remarks.add_count(wide.map(|(_, jobs)| jobs as u64).sum(), &words);
    }
    for line in header.lines().map(str::trim).filter(|line| describes_unequal_nodes(line)) {
        remarks.add(format!("The header states: {}", printable(line)));
    }
    if contents.partitions.len() > 1 {
        let mut partitions: Vec<(u32, (u64, u32))> =
            contents.partitions.iter().map(|(&number, &counts)| (number, counts)).collect();
        partitions.sort_unstable_by_key(|&(number, (jobs, _))| (std::cmp::Reverse(jobs), number));
        let shown = partitions.iter().take(MAX_LISTED).map(|&(number, (jobs, widest))| {
            let name = name(header, Naming::Partition, number);
            format!("{name} with {jobs} jobs of at most {widest} processors")
        });
        let shown: Vec<String> = shown.collect();
        remarks.add(format!(
            "Jobs ran in {} partitions ({}{}): simulated as one machine that all jobs share.",
            partitions.len(),
            shown.join("; "),
            if partitions.len() > MAX_LISTED { "; ..." } else { "" }
        ));
    }
    if contents.queues.len() > 1 {
        let interactive = contents.queues.get(&0).filter(|&&jobs| jobs > 0);
        let interactive = interactive.map_or_else(String::new, |jobs| {
            format!(", {jobs} jobs from {} (queue 0 is for interactive jobs)", name(header, Naming::Queue, 0))
        });
        remarks.add(format!(
            "Jobs came from {} queues{interactive}: their priorities and limits are not simulated.",
            contents.queues.len()
        ));
    }
}

/// Returns whether a header line indicates that nodes differ or are reserved for some jobs.
fn describes_unequal_nodes(line: &str) -> bool {
    let line = line.to_lowercase();
    let counts = line.starts_with("maxnodes:") || line.starts_with("maxprocs:");
    counts && line.contains('(')
        || ["dedicated", "types of nodes", "thin nodes", "fat nodes", "hybrid nodes"]
            .into_iter()
            .any(|words| line.contains(words))
}

fn remark_on_lines(report: &Report, remarks: &mut Remarks) {
    let of = |anomaly: Anomaly| report.counts.of(anomaly);
    let kept = |anomaly: Anomaly| of(anomaly).kept + of(anomaly).clamped;
    let counts = [
        (
            kept(Anomaly::UnknownStatus),
            "jobs have a status that the format does not define, probably exit codes: kept (--rule unknown-status).",
        ),
        (
            kept(Anomaly::LonePartial),
            "jobs have the status of a partial execution of a checkpointed job (2 to 4), but no line summarises them: kept (--rule lone-partial).",
        ),
        (
            of(Anomaly::Partial).dropped,
            "lines are partial executions of checkpointed jobs that other lines summarise: dropped (--rule partial).",
        ),
        (
            kept(Anomaly::RepeatedNumber),
            "jobs have the job number of an earlier line: kept (--rule repeated-number).",
        ),
        (of(Anomaly::NoSubmit).dropped, "lines have no submit time: dropped (--rule no-submit)."),
        (of(Anomaly::ZeroSize).dropped, "lines have no processors: dropped (--rule zero-size)."),
        (of(Anomaly::ZeroRun).dropped, "jobs have no run time: dropped (--rule zero-run)."),
        (
            of(Anomaly::ShortRun).clamped,
            "jobs ran for less than a second: they run for 1 s (--rule short-run).",
        ),
        (report.read.out_of_order, "lines are out of order: the log is read whole and sorted."),
        (report.read.broken, "lines cannot be parsed: dropped (--strict reports them)."),
    ];
    let found = counts.iter().filter(|(count, _)| *count > 0);
    found.for_each(|(count, words)| remarks.add(format!("{count} {words}")));
}

/// Formats the number of a partition or queue, with the name that the header gives it: `Partition: 1
/// pbatch`.
fn name(header: &Header, of: Naming, number: u32) -> String {
    let found = header.names(of).find(|(found, _)| *found == number).map(|(_, name)| name);
    match found.filter(|name| !name.is_empty()) {
        Some(name) => format!("{number} `{}`", printable(name)),
        None => number.to_string(),
    }
}

/// Replaces control characters, which could control the terminal, by spaces.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
