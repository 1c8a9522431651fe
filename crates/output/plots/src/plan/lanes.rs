//! Conversion of a plan of context switches to a schedule: VMs become jobs, and an action becomes a
//! stay on one or two nodes.

use super::document::{PlanAction, PlanDocument, PlanFigureError};
use crate::events::{Change, JobAttributes, JobHistories, JobHistory, Stay, assign_rows, merge_nodes};
use dfrsim_model::{Share, Yield};
use serde::Serialize;

/// Kinds of actions, in the order of their colours.
pub(super) const KINDS: [&str; 10] =
    ["migrate", "suspend", "resume", "run", "stop", "doze", "wake", "transfer", "boot", "shutdown"];

/// Meaning of the jobs, stays and nodes of a schedule that was converted from a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanLanes {
    /// Names of the nodes that take part in an action.
    pub lanes: Vec<String>,
    /// Names of the jobs: VMs, followed by nodes that are switched on or off.
    pub names: Vec<String>,
    /// Number of jobs that are VMs.
    pub vms: usize,
    /// Name of the vjob of each VM; empty if it has none.
    pub vjobs: Vec<String>,
    /// Kinds of actions that occur.
    pub kinds: Vec<String>,
    /// Action of each stay.
    pub actions: Vec<PlanStep>,
    /// Ends of pools before the next pool begins, in microseconds.
    pub pools: Vec<u64>,
}

/// An action on a VM or a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanStep {
    /// Index of the kind.
    pub kind: usize,
    /// Lane of the node before the action.
    pub from: Option<usize>,
    /// Lane of the node after the action.
    pub to: Option<usize>,
    /// Cost in MB.
    pub cost: u64,
    /// Index of the pool, from 0; `None` for actions on nodes.
    pub pool: Option<usize>,
}

impl PlanLanes {
    /// Converts a plan, given as the JSON text that `dfrsim solve plan` writes, to a schedule;
    /// returns its meaning, too.
    ///
    /// # Errors
    /// Returns an error if the text is not a plan or has no actions.
    pub fn read(text: &str) -> Result<(PlanLanes, JobHistories), PlanFigureError> {
        PlanDocument::from_json(text).map(|document| PlanLanes::of(&document))
    }

    pub(super) fn of(document: &PlanDocument) -> (PlanLanes, JobHistories) {
        let mut names: Vec<(bool, &str)> = document.actions.iter().map(PlanAction::target).collect();
        names.sort_unstable();
        names.dedup();
        let vms = names.partition_point(|(is_node, _)| !is_node);
        let job = |action: &PlanAction| names.partition_point(|name| *name < action.target());
        let mut steps: Vec<&PlanAction> = document.actions.iter().collect();
        steps.sort_by_cached_key(|step| (step.begin, step.end, job(step)));

        let mut nodes: Vec<usize> = steps.iter().flat_map(|step| [step.from, step.to]).flatten().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let lane = |node: usize| nodes.partition_point(|one| *one < node);
        let is_used = |kind: &&str| steps.iter().any(|step| step.kind == *kind);
        let mut kinds: Vec<&str> = KINDS.into_iter().filter(is_used).collect();
        for step in &steps {
            if !kinds.contains(&step.kind.as_str()) {
                kinds.push(&step.kind);
            }
        }

        // The initial values are replaced, as each job has at least one action.
        let unused = |job| JobHistory {
            id: job as u64,
            sequence: job as u64,
            submit: u64::MAX,
            run: 0,
            cpu_need: Share::ONE,
            of: JobAttributes::default(),
            end: 0,
            fate: Some(Change::Complete),
        };
        let mut jobs: Vec<JobHistory> = (0..names.len()).map(unused).collect();
        let mut stays = Vec::new();
        for step in &steps {
            let job = job(step);
            let (from, to) = (step.begin.micros(), step.end.micros());
            let life = &mut jobs[job];
            life.submit = life.submit.min(from);
            life.end = life.end.max(to);
            life.run += to - from;
            let mut ends: Vec<usize> = step.from.into_iter().chain(step.to).map(lane).collect();
            ends.sort_unstable();
            ends.dedup();
            stays.push(Stay {
                job,
                from,
                to,
                begin: Change::Start,
                end: Some(Change::Complete),
                pieces: vec![(from, Yield::ONE)],
                runs: merge_nodes(ends.into_iter().map(|lane| (lane as u32, 1, 0))),
            });
        }
        assign_rows(&mut stays);
        let shown = (0, stays.iter().map(|stay| stay.to).max().unwrap_or(0).max(1));
        let lives = JobHistories {
            title: document.summary.clone(),
            clusters: vec![nodes.len() as u32],
            jobs,
            stays,
            events: shown,
            shown,
            ..JobHistories::default()
        };
        let names: Vec<String> = names.into_iter().map(|(_, name)| name.to_owned()).collect();
        let lanes = PlanLanes {
            lanes: nodes.iter().map(|node| document.nodes[*node].clone()).collect(),
            vms,
            vjobs: names[..vms]
                .iter()
                .map(|vm| document.vjobs.get(vm).cloned().unwrap_or_default())
                .collect(),
            names,
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            actions: steps
                .iter()
                .map(|step| PlanStep {
                    kind: kinds.iter().position(|kind| *kind == step.kind).unwrap_or(kinds.len()),
                    from: step.from.map(lane),
                    to: step.to.map(lane),
                    cost: step.cost,
                    pool: step.pool,
                })
                .collect(),
            pools: document.pool_ends(),
        };
        (lanes, lives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a plan: in pool 1, A moves from N1 to N3 and B is suspended; in pool 2, B is resumed
    /// on N3. N4 is switched off, N2 is idle.
    const PLAN: &str = r#"{"cost": 9, "nodes": [{"name": "N1"}, {"name": "N2"}, {"name": "N3"}, {"name": "N4"}],
        "vms": [{"name": "A", "vjob": "alpha"}, {"name": "B"}],
        "pools": [[
            {"vm": "B", "action": "suspend", "from": "N1", "to": "N1", "cost": 3, "begin_s": 0, "end_s": 30},
            {"vm": "A", "action": "migrate", "from": "N1", "to": "N3", "cost": 2, "begin_s": 0, "end_s": 15.5}],
           [{"vm": "B", "action": "resume", "from": "N1", "to": "N3", "cost": 4, "begin_s": 30, "end_s": 40}]],
        "switches": [{"node": "N4", "action": "shutdown", "begin_s": 30, "end_s": 60}]}"#;

    #[test]
    fn actions_are_stays_on_the_nodes_where_something_happens() {
        let (plan, lives) = PlanLanes::read(PLAN).unwrap();
        assert_eq!(lives.title, "3 actions in 2 pools, cost 9 MB");
        // The nodes of the migration and of the resume are neighbouring lanes.
        let runs = lives.stays.iter().map(|stay| stay.runs.len()).sum::<usize>();
        assert_eq!((lives.jobs.len(), lives.stays.len(), runs), (3, 4, 4));
        assert_eq!((lives.shown, lives.clusters), ((0, 60_000_000), vec![3]));
        assert_eq!(plan.lanes, ["N1", "N3", "N4"]);
        assert_eq!((plan.names, plan.vms), (vec!["A".to_owned(), "B".to_owned(), "N4".to_owned()], 2));
        assert_eq!(plan.vjobs, ["alpha", ""]);
        assert_eq!(plan.kinds, ["migrate", "suspend", "resume", "shutdown"]);
        let step = |kind, from, to, cost, pool| PlanStep { kind, from: Some(from), to: Some(to), cost, pool };
        assert_eq!(
            plan.actions,
            [
                step(0, 0, 1, 2, Some(0)),
                step(1, 0, 0, 3, Some(0)),
                step(2, 0, 1, 4, Some(1)),
                step(3, 2, 2, 0, None)
            ]
        );
        assert_eq!(plan.pools, [30_000_000]);
    }

    /// Checks that there is no line between overlapping pools.
    #[test]
    fn pools_that_overlap_have_no_end() {
        let early = PLAN.replace("\"begin_s\": 30, \"end_s\": 40", "\"begin_s\": 20, \"end_s\": 40");
        assert!(PlanLanes::read(&early).unwrap().0.pools.is_empty());
    }
}
