//! Times at which nodes were down or drained, from the output of `sacctmgr show event --parsable2`.

use super::lines::Location;
use super::names::expand_hosts;
use super::{ConfError, ConfErrors, Note, tables, unknown};
use crate::formats::times::timestamp;
use dfrsim_model::SimTime;
use dfrsim_model::platform::{NodeSpan, Outage, Outages};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// Time at which a node takes no jobs.
#[derive(Clone, Debug)]
pub(super) struct NodeEvent {
    at: Location,
    node: String,
    /// Start in seconds since 1970.
    from: i64,
    /// End; `None` if it had not ended.
    until: Option<i64>,
    /// True if the node was drained, so that running jobs could end.
    is_drain: bool,
}

/// Events of nodes, and the number of lines that are none.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeEvents {
    pub(super) all: Vec<NodeEvent>,
    /// Events of the cluster, such as changes of its resources.
    of_cluster: usize,
    /// Events of nodes that take jobs all the same.
    without_effect: usize,
}

/// Outages of numbered nodes, and statements about them.
#[derive(Clone, Debug, Default)]
pub(super) struct SiteOutages {
    pub(super) outages: Outages,
    pub(super) notes: Vec<Note>,
}

/// Nodes of the site that are not simulated.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherNodes<'a> {
    /// Nodes that take no jobs.
    pub(super) idle: &'a [&'a str],
    /// Nodes that what-if changes removed.
    pub(super) removed: &'a FxHashSet<String>,
}

/// Returns whether nodes in a state of Slurm, such as `IDLE+DRAIN` or `down*`, are only drained; `None`
/// if they take jobs.
pub fn effect_of(state: &str) -> Option<bool> {
    let state = state.to_ascii_uppercase();
    let has = |word: &str| state.split(['+', '*', '$', '~', '#', '@', ' ']).any(|part| part == word);
    let is_down = ["DOWN", "ERROR", "FAIL", "FAILING", "NO_RESPOND"].iter().any(|word| has(word));
    let is_drain = ["DRAIN", "DRAINED", "DRAINING", "MAINT"].iter().any(|word| has(word));
    (is_down || is_drain).then_some(!is_down)
}

/// Reads the events of a listing.
pub(super) fn read(path: &Path) -> Result<NodeEvents, ConfErrors> {
    let (mut events, mut errors) = (NodeEvents::default(), Vec::new());
    for row in tables::read(path, "TimeStart")? {
        let names = row.get("nodename").trim();
        if names.is_empty() {
            events.of_cluster += 1;
            continue;
        }
        let Some(is_drain) = effect_of(row.get("state")) else {
            events.without_effect += 1;
            continue;
        };
        match times_of(&row) {
            Err(error) => errors.push(error),
            Ok((from, until)) => match expand_hosts(names, &row.at.for_parameter("NodeName")) {
                Err(error) => errors.push(error),
                Ok(names) => events.all.extend(names.into_iter().map(|node| {
                    let at = row.at.for_parameter("NodeName");
                    NodeEvent { at, node, from, until, is_drain }
                })),
            },
        }
    }
    ConfErrors::or(errors, events)
}

fn times_of(row: &tables::Row) -> Result<(i64, Option<i64>), ConfError> {
    let time = |column: &str, key: &str| {
        let text = row.get(key).trim();
        let expected = "a time such as 2026-03-01T09:00:00";
        timestamp(text).ok_or_else(|| row.at.for_parameter(column).unexpected(text, expected))
    };
    let from = time("TimeStart", "timestart")?;
    let is_open = matches!(row.get("timeend").trim(), "" | "Unknown" | "Now");
    let until = if is_open { None } else { Some(time("TimeEnd", "timeend")?) };
    if until.is_some_and(|until| until < from) {
        return Err(row.at.for_parameter("TimeEnd").error("expected a time after TimeStart"));
    }
    Ok((from, until))
}

impl NodeEvents {
    /// Returns the outages of nodes that have these numbers by name, in time relative to `first`.
    pub(super) fn outages(
        &self,
        numbers: &FxHashMap<&str, u32>,
        others: OtherNodes<'_>,
        first: i64,
        errors: &mut Vec<ConfError>,
    ) -> SiteOutages {
        let mut found = SiteOutages::default();
        let (mut unused, mut removed, mut early) = (0, 0, 0);
        for NodeEvent { at, node, from, until, is_drain } in &self.all {
            let Some(&number) = numbers.get(node.as_str()) else {
                if others.removed.contains(node) {
                    removed += 1;
                } else if others.idle.contains(&node.as_str()) {
                    unused += 1;
                } else {
                    errors.push(at.error(unknown("node", node, &mut numbers.keys().copied())));
                }
                continue;
            };
            let seconds = |at: i64| SimTime::from_secs(u64::try_from(at - first).unwrap_or(0));
            let (from, until) = (seconds(*from), until.map_or(FAR, seconds));
            if until <= from {
                early += 1;
                continue;
            }
            let kind = if *is_drain { &mut found.outages.drains } else { &mut found.outages.failures };
            kind.push(Outage { from, until, nodes: NodeSpan { first: number, nodes: 1 } });
        }
        let mut note = |count: usize, text: &str| {
            if count > 0 {
                found.notes.push(Note::noted(format!("{text}: {count}")));
            }
        };
        note(self.of_cluster, "events of the cluster, left out");
        note(self.without_effect, "events in states in which nodes take jobs, left out");
        note(unused, "events of nodes that take no jobs anyway, left out");
        note(early, "events that ended before the first submission or take no time, left out");
        note(removed, "events of nodes that a what-if change removed, left out");
        note(found.outages.failures.len(), "events in which a node is down");
        note(found.outages.drains.len(), "events in which a node is drained, and takes no jobs");
        found
    }
}

/// End of events that had not ended.
const FAR: SimTime = SimTime::from_secs(dfrsim_model::site::LONGEST_SETTING_S);

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(text: &str) -> Result<NodeEvents, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.txt");
        fs::write(&path, text).unwrap();
        let place = format!("{}/", folder.path().display());
        super::read(&path).map_err(|errors| errors.to_string().replace(&place, ""))
    }

    const TEXT: &str = "\
Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User
c||2026-03-02T09:00:00|Unknown||Cluster Registered TRES|
c|n2|2026-03-02T10:00:00|Unknown|DOWN*|broken|root(0)
c|n1|2026-03-02T10:00:05|2026-03-02T10:01:05|IDLE+DRAIN|test|root(0)
c|old|2026-03-02T10:00:05|2026-03-02T10:01:05|DRAIN|test|root(0)
c|n1|2026-03-01T10:00:05|2026-03-01T10:01:05|DOWN|test|root(0)
c|n1|2026-03-02T10:00:05|2026-03-02T10:01:05|IDLE|test|root(0)
c|gone|2026-03-02T10:00:05|2026-03-02T10:01:05|DOWN|test|root(0)
";

    #[test]
    fn nodes_are_down_from_the_begin_of_an_event_to_its_end() {
        let events = read(TEXT).unwrap();
        let numbers = [("n1", 0), ("n2", 1)].into_iter().collect();
        let first = timestamp("2026-03-02T10:00:00").unwrap();
        let mut errors = Vec::new();
        let removed = FxHashSet::from_iter(["gone".to_owned()]);
        let others = OtherNodes { idle: &["old"], removed: &removed };
        let SiteOutages { outages, notes } = events.outages(&numbers, others, first, &mut errors);
        let of = |kind: &[Outage]| -> Vec<_> {
            kind.iter().map(|it| (it.nodes.first, it.from, it.until)).collect()
        };
        let at = SimTime::from_secs;
        assert_eq!(of(&outages.failures), [(1, at(0), FAR)]);
        assert_eq!(of(&outages.drains), [(0, at(5), at(65))]);
        assert_eq!(
            notes.iter().map(Note::to_string).collect::<Vec<_>>(),
            [
                "events of the cluster, left out: 1",
                "events in states in which nodes take jobs, left out: 1",
                "events of nodes that take no jobs anyway, left out: 1",
                "events that ended before the first submission or take no time, left out: 1",
                "events of nodes that a what-if change removed, left out: 1",
                "events in which a node is down: 1",
                "events in which a node is drained, and takes no jobs: 1"
            ]
        );
        events.outages(&numbers, OtherNodes { idle: &[], ..others }, first, &mut errors);
        assert_eq!(errors.len(), 1);
        assert!(errors[0].to_string().contains("line 5: NodeName: unknown node `old`"), "{}", errors[0]);
        let wrong = TEXT.replace("2026-03-02T10:00:00|Unknown", "yesterday|Unknown");
        assert_eq!(
            read(&wrong).unwrap_err(),
            "events.txt: line 3: TimeStart: expected a time such as 2026-03-01T09:00:00, found `yesterday`"
        );
    }
}
