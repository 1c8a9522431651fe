//! Nodes that are down or drained, from the output of `scontrol show node` or `sinfo`.

use super::Fault;
use super::moment::StateMoment;
use dfrsim_model::named::UnknownName;
use dfrsim_model::platform::{NodeSpan, Outage, Outages, Window, hosts};
use dfrsim_model::site::LONGEST_SETTING_S;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_workload::formats::slurm_conf::effect_of;
use rustc_hash::FxHashMap;

/// Line with the names of nodes and their state.
struct Line<'a> {
    place: usize,
    names: &'a str,
    state: &'a str,
}

/// Nodes that take no jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeStates {
    /// Numbers of the nodes that are down, or drained without a job.
    pub down: Vec<u32>,
    /// Numbers of the drained nodes on which jobs still run, with the times at which their limits end.
    pub draining: Vec<(u32, SimTime)>,
}

/// Returns the lines of a text: blocks of `NodeName=... State=...`, or a table with the columns
/// NODELIST and STATE.
fn lines(text: &str) -> Result<Vec<Line<'_>>, Fault> {
    let mut found = Vec::new();
    if text.trim_start().starts_with("NodeName=") {
        let mut names = None;
        for (place, line) in (1..).zip(text.lines()) {
            for (name, value) in line.split_whitespace().filter_map(|word| word.split_once('=')) {
                match name {
                    "NodeName" => names = Some((place, value)),
                    "State" => {
                        let block = names.take();
                        found.extend(block.map(|(place, names)| Line { place, names, state: value }));
                    }
                    _ => {}
                }
            }
        }
        return Ok(found);
    }
    let mut rows = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (place, heading) = rows.next().unwrap_or((1, ""));
    let delimiter = |letter: char| if heading.contains('|') { letter == '|' } else { letter.is_whitespace() };
    let cells = |line| str::split(line, delimiter).filter(|cell| !cell.is_empty()).collect::<Vec<&str>>();
    let columns = cells(heading);
    let column = |name: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(names), Some(state)) = (column("NODELIST"), column("STATE")) else {
        let message =
            "expected the columns NODELIST and STATE of `sinfo`, or the blocks of `scontrol show node`";
        return Err(Fault { place, job: None, message: message.to_owned() });
    };
    for (place, line) in rows {
        let cells = cells(line);
        let (Some(names), Some(state)) = (cells.get(names), cells.get(state)) else {
            let message = format!("expected {} columns, found {}", columns.len(), cells.len());
            return Err(Fault { place, job: None, message });
        };
        found.push(Line { place, names: names.trim(), state: state.trim() });
    }
    Ok(found)
}

impl NodeStates {
    /// Reads the states of the nodes with these names. Nodes of the state on which jobs run are
    /// draining if they take no more.
    ///
    /// # Errors
    /// A fault for each node without a name, in place of all others if the text is of another form.
    pub fn read(text: &str, names: &[String], state: &StateMoment) -> Result<NodeStates, Vec<Fault>> {
        let numbers: FxHashMap<&str, u32> =
            (0..).zip(names).map(|(number, name)| (name.as_str(), number)).collect();
        let mut busy = FxHashMap::<u32, SimTime>::default();
        for run in &state.moment.running {
            let end = run.start.saturating_add(run.job.requested_time.unwrap_or(SimSpan::ZERO));
            for node in run.on.iter().flat_map(|range| range.indices()) {
                let last = busy.entry(node as u32).or_default();
                *last = end.max(*last);
            }
        }
        let (mut found, mut faults) = (NodeStates::default(), Vec::new());
        for Line { place, names: list, state } in lines(text).map_err(|fault| vec![fault])? {
            let Some(is_drain) = effect_of(state) else { continue };
            let Some(hosts) = hosts::expand(list) else {
                let message = format!("NodeName: expected names of nodes such as n[1-3], found `{list}`");
                faults.push(Fault { place, job: None, message });
                continue;
            };
            for host in hosts {
                match numbers.get(host.as_str()) {
                    None => {
                        let unknown = UnknownName::new("node", &host, names);
                        faults.push(Fault { place, job: None, message: format!("NodeName: {unknown}") });
                    }
                    Some(&number) => match busy.get(&number).filter(|_| is_drain) {
                        Some(&end) => found.draining.push((number, end)),
                        None => found.down.push(number),
                    },
                }
            }
        }
        // A node is listed once for each of its partitions.
        found.down.sort_unstable();
        found.down.dedup();
        found.draining.sort_unstable();
        found.draining.dedup();
        if faults.is_empty() { Ok(found) } else { Err(faults) }
    }

    /// Adds the outages from a time on to others; they do not end. Draining nodes go down when the
    /// limits of their jobs have ended.
    #[must_use]
    pub fn outages(&self, at: SimTime, others: Option<&Outages>) -> Outages {
        let mut all = others.cloned().unwrap_or_default();
        let until = at.saturating_add(SimSpan::from_secs(LONGEST_SETTING_S));
        let of = |first: u32, from: SimTime| Outage { from, until, nodes: NodeSpan { first, nodes: 1 } };
        all.failures.extend(self.down.iter().map(|&node| of(node, at)));
        let windows = self.draining.iter().map(|&(node, end)| {
            let from = end.max(at.saturating_add(SimSpan::from_secs(1)));
            Window { announced: at, outage: of(node, from) }
        });
        all.windows.extend(windows);
        all
    }
}
