//! What is odd about a log, in words.

use dfrsim_cluster::Tally;
use dfrsim_model::{Job, SimTime};
use dfrsim_workload::cut;
use dfrsim_workload::load::Offered;
use dfrsim_workload::log::{Header, Kilobytes, Naming, Record};
use dfrsim_workload::prepare::{Anomaly, Report};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the jobs of a log have.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) offered: Offered,
    /// The weeks in which jobs were submitted.
    weeks: FxHashSet<u64>,
    pub(super) processors: Tally,
    /// In seconds.
    pub(super) run_times: Tally,
    /// In seconds, of the jobs that have any.
    pub(super) requested_times: Tally,
    /// The jobs of each partition, and the processors of the widest.
    partitions: FxHashMap<u32, (u64, u32)>,
    /// The jobs of each queue.
    queues: FxHashMap<u32, u64>,
    /// Jobs that follow another one.
    following: u64,
    /// Jobs that ran longer than they requested.
    overrunning: u64,
    /// Jobs whose memory is known.
    pub(super) with_memory: u64,
    /// The largest known memory of a processor.
    pub(super) most_memory: Kilobytes,
    /// What jobs have of whole nodes, if the log says that.
    pub(super) on_nodes: OnNodes,
}

/// What jobs have of the nodes that a listing gives them.
#[derive(Debug, Default)]
pub(super) struct OnNodes {
    /// Jobs with fewer nodes than processors.
    pub(super) sharing: u64,
    /// The most nodes of a job, and the most processors and kilobytes that one has on a node.
    pub(super) nodes: u32,
    pub(super) processors: u32,
    pub(super) kilobytes: f64,
}

impl OnNodes {
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
        self.following += u64::from(record.preceding_job.is_some_and(|number| number > 0));
        self.overrunning += u64::from(job.requested_time.is_some_and(|requested| job.run_time > requested));
        let memory = record.used_memory.max(record.requested_memory);
        self.on_nodes.add(record, memory);
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
    /// The first and the last submission; `None` without jobs.
    pub(super) fn span(&self) -> Option<(SimTime, SimTime)> {
        self.offered.span()
    }
    pub(super) fn weeks(&self) -> usize {
        self.weeks.len()
    }
    /// The processors of the widest job.
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

/// The names of partitions and queues that are shown, those with the most jobs.
const SHOWN: usize = 4;

/// What a user should know before simulating a log: a sentence each.
pub(super) fn remarks(header: &Header, contents: &Contents, report: &Report) -> Vec<String> {
    let mut remarks = Remarks { jobs: contents.count(), all: Vec::new() };
    of_estimates(contents, &mut remarks);
    of_memory(contents, &mut remarks);
    of_machine(header, contents, &mut remarks);
    remarks.some(
        contents.on_nodes.sharing,
        "have fewer nodes than processors: with --slurm-conf slurm.conf they are simulated on the nodes of the site, with a \
         policy such as EASY/NODES=SHARED.",
    );
    remarks.some(
        contents.following,
        "name a job that had to end before (field 17): they wait for it only with --submission holds or dependencies.",
    );
    of_lines(report, &mut remarks);
    remarks.all
}

/// What was said so far.
struct Remarks {
    /// How many jobs there are.
    jobs: u64,
    all: Vec<String>,
}

impl Remarks {
    fn say(&mut self, remark: impl Into<String>) {
        self.all.push(remark.into());
    }
    /// Says that all jobs lack something, or what that means for those that do.
    fn without(&mut self, missing: u64, all: &str, some: &str) {
        if missing == self.jobs { self.say(all) } else { self.some(missing, some) }
    }
    /// Says something of some jobs, if there are any: `82437 of 113613 jobs (72.6 %) have no memory`.
    fn some(&mut self, jobs: u64, words: &str) {
        if jobs > 0 {
            let percent = 100.0 * jobs as f64 / self.jobs as f64;
            self.say(format!("{jobs} of {} jobs ({percent:.1} %) {words}", self.jobs));
        }
    }
}

fn of_estimates(contents: &Contents, remarks: &mut Remarks) {
    remarks.without(
        contents.count() - contents.with_estimate(),
        "No job has a requested time (field 9): --estimates requested would be the run times themselves.",
        "have no requested time (field 9): with --estimates requested, policies know the run times of these.",
    );
    remarks.some(
        contents.overrunning,
        "ran longer than requested: --overrun extend (the default) lets them go on, kill ends them there.",
    );
}

fn of_memory(contents: &Contents, remarks: &mut Remarks) {
    remarks.without(
        contents.count() - contents.with_memory,
        "No job has memory (fields 7 and 10): --annotate hpc2n would give all the least memory, --annotate lublin draws it \
         at random.",
        "have no memory (fields 7 and 10): --annotate hpc2n gives them the least memory.",
    );
}

fn of_machine(header: &Header, contents: &Contents, remarks: &mut Remarks) {
    let machine = header.max_procs().or(header.max_nodes());
    match (header.max_nodes(), header.max_procs()) {
        (None, None) => remarks.say("The header names no machine: simulations need --nodes."),
        (Some(nodes), Some(processors)) if processors > nodes => remarks.say(format!(
            "The {nodes} nodes have {processors} processors, {:.4} each; sizes of jobs are in processors.",
            processors as f64 / nodes as f64
        )),
        _ => {}
    }
    if let Some(processors) = machine {
        let wide = contents.processors.counts().filter(|&(width, _)| width > processors as f64);
        let words = format!(
            "are wider than the {processors} processors of the header: left out unless --too-wide says otherwise."
        );
        remarks.some(wide.map(|(_, jobs)| jobs as u64).sum(), &words);
    }
    for line in header.lines().map(str::trim).filter(|line| says_more_of_nodes(line)) {
        remarks.say(format!("The header says: {}", printable(line)));
    }
    if contents.partitions.len() > 1 {
        let mut partitions: Vec<(u32, (u64, u32))> =
            contents.partitions.iter().map(|(&number, &counts)| (number, counts)).collect();
        partitions.sort_unstable_by_key(|&(number, (jobs, _))| (std::cmp::Reverse(jobs), number));
        let shown = partitions.iter().take(SHOWN).map(|&(number, (jobs, widest))| {
            let name = name(header, Naming::Partition, number);
            format!("{name} with {jobs} jobs of at most {widest} processors")
        });
        let shown: Vec<String> = shown.collect();
        remarks.say(format!(
            "Jobs ran in {} partitions ({}{}): simulated as one machine that all jobs share.",
            partitions.len(),
            shown.join("; "),
            if partitions.len() > SHOWN { "; ..." } else { "" }
        ));
    }
    if contents.queues.len() > 1 {
        let interactive = contents.queues.get(&0).filter(|&&jobs| jobs > 0);
        let interactive = interactive.map_or_else(String::new, |jobs| {
            format!(", {jobs} jobs from {} (queue 0 is for interactive jobs)", name(header, Naming::Queue, 0))
        });
        remarks.say(format!(
            "Jobs came from {} queues{interactive}: their priorities and limits are not simulated.",
            contents.queues.len()
        ));
    }
}

/// Whether a line of a header says that not all nodes are alike or for all jobs.
fn says_more_of_nodes(line: &str) -> bool {
    let line = line.to_lowercase();
    let counts = line.starts_with("maxnodes:") || line.starts_with("maxprocs:");
    counts && line.contains('(')
        || ["dedicated", "types of nodes", "thin nodes", "fat nodes", "hybrid nodes"]
            .into_iter()
            .any(|words| line.contains(words))
}

fn of_lines(report: &Report, remarks: &mut Remarks) {
    let of = |anomaly: Anomaly| report.counts.of(anomaly);
    let kept = |anomaly: Anomaly| of(anomaly).kept + of(anomaly).clamped;
    let counts = [
        (
            kept(Anomaly::UnknownStatus),
            "jobs have a status that the format does not define, probably exit codes: kept (--unknown-status).",
        ),
        (
            kept(Anomaly::LonePartial),
            "jobs have the status of a part of a checkpointed job (2 to 4), but no line sums them up: kept (--lone-partial).",
        ),
        (
            of(Anomaly::Partial).dropped,
            "lines are parts of checkpointed jobs that other lines sum up: left out (--partial).",
        ),
        (kept(Anomaly::RepeatedNumber), "jobs have the number of an earlier line: kept (--repeated-number)."),
        (of(Anomaly::NoSubmit).dropped, "lines have no submit time: left out (--no-submit)."),
        (of(Anomaly::ZeroSize).dropped, "lines have no processors: left out (--zero-size)."),
        (of(Anomaly::ZeroRun).dropped, "jobs have no run time: left out (--zero-run)."),
        (report.read.out_of_order, "lines are out of order: the log is read whole and sorted."),
        (report.read.broken, "lines cannot be read: left out (--strict shows them)."),
    ];
    let found = counts.iter().filter(|(count, _)| *count > 0);
    found.for_each(|(count, words)| remarks.say(format!("{count} {words}")));
}

/// The name of a partition or queue, if the header has one: `Partition: 1 pbatch`.
fn name(header: &Header, of: Naming, number: u32) -> String {
    let found = header.names(of).find(|(found, _)| *found == number).map(|(_, name)| name);
    match found.filter(|name| !name.is_empty()) {
        Some(name) => format!("{number} `{}`", printable(name)),
        None => number.to_string(),
    }
}

/// Without what could do something to a terminal.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
