//! A plan of context switches as a schedule: its VMs are the jobs, and an action is a stay on one node or two.

use super::columns::Columns;
use super::life::{Life, Stay};
use super::lives::runs;
use super::{Head, Schedule};
use dfrsim_model::{Share, SimTime, Yield};
use dfrsim_plots::plans::{KINDS, PlanDocument};
use dfrsim_plots::replay::Change;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a page of a plan knows beside the columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PlanHead {
    /// The name of each lane: of the nodes on which something happens.
    lanes: Vec<String>,
    /// The name of each job: the VMs, then nodes that are switched on or off.
    names: Vec<String>,
    /// How many of the jobs are VMs.
    vms: usize,
    /// The vjob of each VM; empty if it has none.
    vjobs: Vec<String>,
    /// The kinds of actions that occur.
    kinds: Vec<String>,
    /// What each stay is.
    actions: Vec<Deed>,
    /// When each pool but the last ends, in units.
    pools: Vec<u64>,
}

impl PlanHead {
    pub(super) const fn vms(&self) -> usize {
        self.vms
    }
}

/// An action on a VM, or of a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Deed {
    /// Its place in the kinds.
    kind: usize,
    /// Lanes.
    from: Option<usize>,
    to: Option<usize>,
    /// In MB.
    cost: u64,
    /// From 1; 0 for switches of nodes, which belong to none.
    pool: usize,
}

/// An action, with the numbers of its node and of its job.
struct Step<'a> {
    job: usize,
    action: &'a str,
    from: Option<usize>,
    to: Option<usize>,
    cost: u64,
    pool: usize,
    begin: SimTime,
    end: SimTime,
}

pub(super) fn schedule(document: &PlanDocument) -> Schedule {
    let actions = || document.pools.iter().flatten();
    let mut names: Vec<&str> = actions().map(|action| action.vm.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let vms = names.len();
    let places: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
    let mut switched: Vec<usize> = document.switches.iter().map(|switch| switch.node).collect();
    switched.sort_unstable();
    switched.dedup();
    names.extend(switched.iter().map(|node| document.nodes[*node].as_str()));

    let mut steps: Vec<Step<'_>> = Vec::new();
    for (pool, actions) in (1..).zip(&document.pools) {
        steps.extend(actions.iter().map(|one| Step {
            job: places[one.vm.as_str()],
            action: &one.action,
            from: one.from,
            to: one.to,
            cost: one.cost,
            pool,
            begin: one.begin,
            end: one.end,
        }));
    }
    steps.extend(document.switches.iter().map(|one| Step {
        job: vms + switched.partition_point(|node| *node < one.node),
        action: &one.action,
        from: Some(one.node),
        to: Some(one.node),
        cost: 0,
        pool: 0,
        begin: one.begin,
        end: one.end,
    }));
    steps.sort_by_key(|step| (step.begin, step.job, step.end));

    let mut nodes: Vec<usize> = steps.iter().flat_map(|step| [step.from, step.to]).flatten().collect();
    nodes.sort_unstable();
    nodes.dedup();
    let lane = |node: usize| nodes.partition_point(|one| *one < node);
    let is_used = |kind: &&str| steps.iter().any(|step| step.action == *kind);
    let mut kinds: Vec<&str> = KINDS.into_iter().filter(is_used).collect();
    for step in &steps {
        if !kinds.contains(&step.action) {
            kinds.push(step.action);
        }
    }

    let stays: Vec<Stay> = steps
        .iter()
        .map(|step| {
            let ends = step.from.into_iter().chain(step.to.filter(|to| step.from != Some(*to)));
            let on: Vec<(u32, u32)> = ends.map(|node| (lane(node) as u32, 1)).collect();
            Stay {
                job: step.job,
                from: step.begin.micros(),
                to: step.end.micros(),
                begin: Change::Start,
                end: Some(Change::Complete),
                pieces: vec![(step.begin.micros(), Yield::ONE.units())],
                runs: runs(&on),
            }
        })
        .collect();
    let unused = |job| Life {
        id: job as u64,
        submit: u64::MAX,
        run: 0,
        cpu_need: Share::ONE.units(),
        end: 0,
        fate: Some(Change::Complete),
    };
    // Each has at least one action.
    let mut lives: Vec<Life> = (0..names.len()).map(unused).collect();
    for stay in &stays {
        let life = &mut lives[stay.job];
        life.submit = life.submit.min(stay.from);
        life.end = life.end.max(stay.to);
        life.run += stay.to - stay.from;
    }
    let end = stays.iter().map(|stay| stay.to).max().unwrap_or(0).max(1);
    let columns = Columns::new(&lives, &stays, &[], &[], (0, end), 0);
    let pools = document.pools.iter().filter_map(|pool| pool.iter().map(|one| one.end).max());
    let mut pools: Vec<u64> = pools.map(|end| end.micros() / columns.unit).collect();
    pools.pop();
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let plan = PlanHead {
        lanes: nodes.iter().map(|node| document.nodes[*node].clone()).collect(),
        names: owned(&names),
        vms,
        vjobs: names[..vms].iter().map(|vm| document.vjobs.get(*vm).cloned().unwrap_or_default()).collect(),
        kinds: owned(&kinds),
        actions: steps
            .iter()
            .map(|step| Deed {
                kind: kinds.iter().position(|kind| *kind == step.action).unwrap_or(kinds.len()),
                from: step.from.map(lane),
                to: step.to.map(lane),
                cost: step.cost,
                pool: step.pool,
            })
            .collect(),
        pools,
    };
    let clusters = vec![(String::new(), nodes.len() as u32)];
    let head = Head { plan: Some(plan), ..Head::new(&columns, clusters, "node") };
    Schedule { title: document.summary(), remark: None, head, data: columns.data }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In pool 1 A goes from N1 to N3, B is suspended; in pool 2 B is resumed on N3. N4 is switched off, N2 is idle.
    const PLAN: &str = r#"{"cost": 9, "nodes": [{"name": "N1"}, {"name": "N2"}, {"name": "N3"}, {"name": "N4"}],
        "vms": [{"name": "A", "vjob": "alpha"}, {"name": "B"}],
        "pools": [[
            {"vm": "B", "action": "suspend", "from": "N1", "to": "N1", "cost": 3, "begin_s": 0, "end_s": 30},
            {"vm": "A", "action": "migrate", "from": "N1", "to": "N3", "cost": 2, "begin_s": 0, "end_s": 15.5}],
           [{"vm": "B", "action": "resume", "from": "N1", "to": "N3", "cost": 4, "begin_s": 30, "end_s": 40}]],
        "switches": [{"node": "N4", "action": "shutdown", "begin_s": 30, "end_s": 60}]}"#;

    #[test]
    fn actions_are_stays_on_the_nodes_where_something_happens() {
        let schedule = schedule(&PlanDocument::from_json(PLAN).unwrap());
        assert_eq!(schedule.title(), "3 actions in 2 pools, cost 9 MB");
        assert_eq!(schedule.counted(), "2 VMs");
        let Head { jobs, stays, runs, unit_us, from, to, clusters, plan, .. } = schedule.head;
        // The nodes of the migration and of the resume are lanes next to each other.
        assert_eq!((jobs, stays, runs, unit_us, from, to), (3, 4, 4, 500_000, 0, 120));
        assert_eq!(clusters, [(String::new(), 3)]);
        let plan = plan.unwrap();
        assert_eq!(plan.lanes, ["N1", "N3", "N4"]);
        assert_eq!((plan.names, plan.vms), (vec!["A".to_owned(), "B".to_owned(), "N4".to_owned()], 2));
        assert_eq!(plan.vjobs, ["alpha", ""]);
        assert_eq!(plan.kinds, ["migrate", "suspend", "resume", "shutdown"]);
        let deed = |kind, from, to, cost, pool| Deed { kind, from: Some(from), to: Some(to), cost, pool };
        assert_eq!(
            plan.actions,
            [deed(0, 0, 1, 2, 1), deed(1, 0, 0, 3, 1), deed(2, 0, 1, 4, 2), deed(3, 2, 2, 0, 0)]
        );
        assert_eq!(plan.pools, [60]);
    }

    #[test]
    fn a_page_is_of_vms_and_their_names_are_no_markup() {
        let text = PLAN.replace("\"A\"", "\"</script><b>\"");
        let schedule = schedule(&PlanDocument::from_json(&text).unwrap());
        let page = crate::schedule_page(&schedule);
        assert!(page.contains("\\u003c/script>\\u003cb>"), "{page}");
        assert!(!page.contains("</script><b>"));
        for words in
            ["3 actions in 2 pools, cost 9 MB", "VM with the largest cost", "next VM, the one before"]
        {
            assert!(page.contains(words), "{words}");
        }
        for reference in ["http:", "https:", "src=", "@import"] {
            assert!(!page.contains(reference), "{reference} would need a network");
        }
    }
}
