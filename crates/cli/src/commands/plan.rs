//! `dfrsim plan`

mod answer;

use crate::failure::Failure;
use crate::output::{OutputFiles, Places, Printing, notice};
use crate::picture_files::PictureFile;
pub(super) use answer::{Answered, summary};
use clap::{ArgGroup, Args};
use dfrsim_audit::plan::check_plan;
use dfrsim_context_switch::file::{
    PlanFigures, cluster_from_json, configuration_from_json, durations_from_json, plan_to_json, read,
    states_from_json,
};
use dfrsim_context_switch::{
    Ban, Cluster, Configuration, Constraint, Durations, Limits, Plan as Pools, SuspendTo, VjobId, cheapest,
    first_come_first_served, in_states, plan, select_running, timetable,
};
use dfrsim_model::Seed;
use dfrsim_plots::draw_plan;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Plan a context switch of virtualised jobs: how to bring VMs to given places or states
///
/// Prints the pools of the plan, each of which begins when the one before has ended, with the cost of each action and of the
/// plan, in MB. Given states instead of places, it searches for the configuration with the cheapest plan, and prints a lower
/// bound on the cost of any plan in which each VM acts at most once. Every plan is checked independently. Exit code 1 means
/// that no plan was found.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("wanted").required(true).multiple(true).args(["to", "states", "decide", "drain", "check"])))]
#[command(after_help = "\
Files:
  CURRENT.json  {\"nodes\": [{\"name\": \"N1\", \"cpu\": 2, \"memory\": 4096}],
                 \"vjobs\": [{\"name\": \"A\", \"vms\": [{\"name\": \"A1\", \"cpu\": 1, \"memory\": 512,
                            \"state\": \"running\", \"node\": \"N1\"}]}],
                 \"constraints\": [{\"kind\": \"spread\", \"vms\": [\"A1\", \"A2\"]}]}
  WANTED.json   {\"vms\": [{\"name\": \"A1\", \"state\": \"sleeping\", \"node\": \"N1\"}]}
  STATES.json   {\"vjobs\": [{\"name\": \"A\", \"state\": \"sleeping\"}]}
  DURATIONS.json  {\"stop_s\": 2, \"migrate\": [[1024, 19], [2048, 26]], \"boot_s\": 90}, only those that differ
  States are waiting, running, sleeping, dozing (in memory) and terminated. VMs without an entry stay as
  they are. CPU may have three decimals. Nodes and VMs may have more \"resources\", as in {\"gpu\": 1}, and a
  node that is off \"state\": \"offline\".

Constraints, by kind (details: scenarios/plan/README.md; examples: scenarios/plan/constrained.json):
  spread, lonely       vms          no two on one node; no other VM on their nodes
  split                groups       no two VMs of different groups on one node
  gather               vms          on one node at the end
  fence, ban           vms, nodes   on these nodes only; on none of them
  among                vms, groups  at the end on one of these groups of nodes
  root                 vms          not migrated
  running-capacity     nodes, limit            at most `limit` VMs run there
  resource-capacity    nodes, resource, limit  VMs take at most `limit` there
  overbook             nodes, resource, ratio  VMs may take `ratio` times what each node has
  online, offline      nodes        on or off at the end; they are switched
  precedence           vms          act one after the other, in this order
  serialise            vms          act at different times, in any order

Examples:
  dfrsim plan --from scenarios/plan/current.json --to scenarios/plan/swapped.json
  dfrsim plan --from scenarios/plan/current.json --states scenarios/plan/states.json --out plan.json --picture plan.svg
  dfrsim plan --from scenarios/plan/current.json --drain N1,N2 --decide
  dfrsim plan --from scenarios/plan/constrained.json --decide --durations scenarios/plan/durations.json
  dfrsim plan --check plan.json")]
pub(crate) struct Plan {
    /// Nodes, vjobs with their VMs and where these are, and constraints
    #[arg(long, value_name = "CURRENT.json", required_unless_present = "check", value_hint = clap::ValueHint::FilePath)]
    from: Option<PathBuf>,
    /// The target places of VMs
    #[arg(long, value_name = "WANTED.json", value_hint = clap::ValueHint::FilePath)]
    to: Option<PathBuf>,
    /// The target states of vjobs; the search chooses the nodes
    #[arg(long, value_name = "STATES.json", conflicts_with = "to", value_hint = clap::ValueHint::FilePath)]
    states: Option<PathBuf>,
    /// Decide which vjobs run: by priority, then in the order of the file, each one that fits by first-fit decreasing; the
    /// search chooses the nodes
    #[arg(long, conflicts_with_all = ["to", "states"])]
    decide: bool,
    /// Clear these nodes: their running VMs move, or are suspended with --decide. Images on their disks stay there
    #[arg(long, value_name = "NODE,...", value_delimiter = ',', conflicts_with = "to")]
    drain: Vec<String>,
    /// Check a plan in the format of `--out`: capacities, constraints, states, times and costs, action by action. Exit code 1
    /// if a fault is found
    #[arg(long, value_name = "PLAN.json", conflicts_with_all = ["from", "to", "states", "decide", "drain", "out", "picture"], value_hint = clap::ValueHint::FilePath)]
    check: Option<PathBuf>,
    /// The number of assignments to try
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps, conflicts_with_all = ["to", "check"])]
    steps: u64,
    /// Search for this time instead, as in 40s or 500ms; the results are then not reproducible
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with_all = ["steps", "to", "check"])]
    time_limit: Option<Duration>,
    /// The seed of the search
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with_all = ["to", "check"])]
    seed: u64,
    /// The durations of actions, where they differ from the report's
    #[arg(long, value_name = "DURATIONS.json", conflicts_with = "check", value_hint = clap::ValueHint::FilePath)]
    durations: Option<PathBuf>,
    /// Write the plan, with the times of all actions
    #[arg(long, value_name = "FILE.json", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
    /// Draw the plan, nodes over time, and write its data with the extension .csv
    #[arg(long, value_name = "FILE.svg|FILE.png", value_hint = clap::ValueHint::AnyPath)]
    picture: Option<PathBuf>,
    #[command(flatten)]
    printing: Printing,
}

/// Seconds, or a number with `s`, `ms` or `m`.
fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("expected a time as in 40s, 500ms or 2m, found `{text}`");
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    let seconds: f64 = digits.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds * unit).map_err(|_| wrong())
}

/// A plan and what is known of it.
struct Planned {
    after: Configuration,
    plan: Pools,
    figures: PlanFigures,
}

impl Plan {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if let Some(path) = &self.check {
            return check(path, self.printing);
        }
        let from = self.from.as_deref().expect("it is required without --check");
        // Of the picture it is known before anything is written whether it can be.
        let picture = self.picture.as_deref().map(PictureFile::new).transpose()?;
        let mut places = Places::default().reads("--from", from);
        for wanted in self.to.iter().chain(&self.states) {
            places = places.reads("--to or --states", wanted);
        }
        if let Some(durations) = &self.durations {
            places = places.reads("--durations", durations);
        }
        places = places.writes("--out", self.out.as_deref())?;
        if let Some(picture) = &picture {
            picture.check("--picture", places)?;
        }
        let text = read(from).map_err(Failure::input)?;
        let (cluster, before) = cluster_from_json(&name(from), &text).map_err(Failure::input)?;
        let durations = self.durations()?;
        let cluster = self.drained(cluster, &before)?;
        let planned = self.plan(&cluster, &before)?;
        let times = timetable(&cluster, &planned.plan, &durations);
        let document = plan_to_json(&cluster, &before, &planned.after, &times, &planned.figures);
        check_plan(&document).map_err(|faults| Failure::Result(format!("the plan is wrong: {faults}")))?;
        let figure = match picture {
            Some(picture) if times.pools.is_empty() => {
                notice!("{}: the plan is empty; no picture is written", picture.path().display());
                None
            }
            Some(picture) => {
                let figure =
                    draw_plan(&document).map_err(|error| Failure::Result(format!("no picture: {error}")))?;
                Some((picture, figure))
            }
            None => None,
        };
        let mut files = OutputFiles::default();
        if let Some(path) = &self.out {
            files.add_bytes(path, &document)?;
        }
        if let Some((picture, figure)) = figure {
            picture.write(&mut files, figure)?;
        }
        self.printing.print(&Answered::plan(
            &cluster,
            &times,
            &planned.figures,
            self.time_limit.is_some(),
        ))?;
        files.finish()
    }

    fn durations(&self) -> Result<Durations, Failure> {
        let Some(path) = &self.durations else { return Ok(Durations::default()) };
        let text = read(path).map_err(Failure::input)?;
        durations_from_json(&name(path), &text).map_err(Failure::input)
    }

    /// The cluster with a ban of all VMs from the nodes that are drained.
    fn drained(&self, cluster: Cluster, before: &Configuration) -> Result<Cluster, Failure> {
        if self.drain.is_empty() {
            return Ok(cluster);
        }
        let node = |name: &String| {
            let found = cluster.node_ids().find(|&node| cluster.node(node).name == *name);
            found.ok_or_else(|| Failure::input(format!("--drain: there is no node `{name}`")))
        };
        let nodes = self.drain.iter().map(node).collect::<Result<Vec<_>, _>>()?;
        let mut constraints = cluster.constraints().list().to_vec();
        constraints.push(Constraint::Ban(Ban { vms: cluster.by_name().to_vec(), nodes }));
        Ok(cluster.with_constraints(constraints, before))
    }

    fn plan(&self, cluster: &Cluster, before: &Configuration) -> Result<Planned, Failure> {
        if let Some(path) = &self.to {
            let text = read(path).map_err(Failure::input)?;
            let after =
                configuration_from_json(&name(path), &text, cluster, before).map_err(Failure::input)?;
            for vjob in cluster.vjob_ids().filter(|&vjob| is_split(cluster, before, &after, vjob)) {
                let name = &cluster.vjobs()[vjob.index()].name;
                notice!("vjob `{name}` is split: its VMs share a state before the plan, but not after it");
            }
            let plan = plan(cluster, before, &after)
                .map_err(|error| Failure::Result(format!("there is no plan: {error}")))?;
            let figures = PlanFigures { cost: plan.cost(cluster), bound: None, proven: false };
            return Ok(Planned { after, plan, figures });
        }
        let states = match &self.states {
            Some(path) => {
                let text = read(path).map_err(Failure::input)?;
                states_from_json(&name(path), &text, cluster).map_err(Failure::input)?
            }
            None => vec![None; cluster.vjobs().len()],
        };
        let wanted = if self.decide {
            Ok(select_running(cluster, before, &first_come_first_served(cluster), SuspendTo::Disk))
        } else {
            in_states(cluster, before, &states)
        };
        let steps = if self.time_limit.is_some() { u64::MAX } else { self.steps };
        let limits = Limits { steps, time: self.time_limit };
        let found = wanted
            .and_then(|wanted| cheapest(cluster, before, &wanted, &limits, Seed::new(self.seed)))
            .map_err(|error| Failure::Result(error.to_string()))?;
        let figures = PlanFigures { cost: found.cost, bound: Some(found.bound), proven: found.proven };
        Ok(Planned { after: found.configuration, plan: found.plan, figures })
    }
}

/// The verdict of the independent checker on a plan.
fn check(path: &Path, printing: Printing) -> Result<(), Failure> {
    let text = read(path).map_err(Failure::input)?;
    let checked = check_plan(&text);
    printing.print(&Answered::check(path, &checked))?;
    checked.map(drop).map_err(|faults| {
        let lines = faults.0.iter().map(|fault| format!("{}: {fault}", path.display()));
        Failure::Result(lines.collect::<Vec<_>>().join("\n"))
    })
}

/// Whether the VMs of a vjob share a state before, and not after.
fn is_split(cluster: &Cluster, before: &Configuration, after: &Configuration, vjob: VjobId) -> bool {
    let share = |places: &Configuration| {
        let mut states = cluster.vms_of(vjob).iter().map(|vm| places.place(*vm).state());
        let first = states.next();
        states.all(|state| Some(state) == first)
    };
    share(before) && !share(after)
}

fn name(path: &Path) -> String {
    path.display().to_string()
}
