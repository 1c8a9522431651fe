//! Power of the nodes over time, by the sums of the audit.

use crate::common::{amount_at, next_step, period};
use crate::energy::Energy;
use crate::lines::follow;
use crate::power_span::PowerSpan;
use crate::{AuditError, Auditor};
use dfrsim_model::SimTime;
use dfrsim_model::event::Record;
use std::io::BufRead;

/// Power of a run from the first submission to the last event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerOverTime {
    /// Name of the policy.
    pub policy: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Time of the first submission.
    pub begin: SimTime,
    /// Spans without gaps; neighbours differ.
    pub spans: Vec<PowerSpan>,
    /// Start of each step of the power cap, and the power in milliwatts that tasks may add; empty
    /// without a cap.
    pub cap: Vec<(SimTime, u64)>,
    /// Idle power of all nodes in milliwatts, which a cap counts even while nodes are down or asleep.
    pub idle_of_all: u64,
}

/// Follows an events file, checks it as [`audit`](crate::audit) does, and returns the power over time;
/// `None` if the power of its nodes is unknown.
///
/// # Errors
///
/// Returns errors as [`audit`](crate::audit) does.
pub fn power_over_time(reader: impl BufRead) -> Result<Option<PowerOverTime>, AuditError> {
    let begin = |first| {
        let mut auditor = Auditor::begin(&first)?;
        auditor.energy = Energy { spans: Some(Vec::new()), ..Energy::default() };
        Ok(auditor)
    };
    let mut auditor = follow(reader, Record::from_json, begin, |auditor: &mut Auditor, line| {
        auditor.read(&line);
    })?;
    let spans = auditor.energy.spans.take().unwrap_or_default();
    let length = spans.iter().fold(0, |all: u64, span| all.saturating_add(span.span));
    let idle_of_all = auditor.cluster.idle_power(&[]);
    let cap = auditor.common.resources().iter().find(|resource| resource.power);
    let first = cap.and_then(|cap| Some((cap.steps.first()?.0, cap)));
    let all = first.into_iter().flat_map(|(begin, cap)| {
        let later = std::iter::successors(Some(begin), |&at| next_step(cap, at));
        later.map(|at| (at, amount_at(cap, at)))
    });
    // Steps that repeat have no last one.
    let until = auditor.now;
    let is_seen = |at: u64| at <= until || cap.is_some_and(|cap| period(cap).is_none());
    let power = PowerOverTime {
        policy: auditor.policy.clone(),
        nodes: auditor.nodes,
        begin: SimTime::from_micros(auditor.now.saturating_sub(length)),
        spans,
        cap: { all.take_while(|(from, _)| is_seen(*from)) }
            .map(|(from, amount)| (SimTime::from_micros(from), amount))
            .collect(),
        idle_of_all,
    };
    let is_known = auditor.cluster.kinds.iter().any(|kind| kind.power.is_some());
    auditor.finish()?;
    Ok(is_known.then_some(power))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::Yield;

    /// Returns the events of a job of 10 s on one of two nodes, with the power of a node, the common
    /// resources, the amounts that the job holds of them, and the record of the energy.
    fn events(power: &str, common: &str, held: &str, energy: &str) -> String {
        let run = r#"{"event":"run","format":3,"policy":"FCFS","nodes":2,"penalty_us":0,"tau_us":10000000}"#;
        let classes = r#"{"event":"classes","resources":[],"classes":[{"name":"a","nodes":2,"cpu":943718400,"memory":943718400,"speed":1048576,"resources":[]"#;
        let submit = r#"{"event":"submit","at_us":1000000,"job":0,"id":7,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}"#;
        let ask = r#"{"event":"ask","at_us":1000000,"job":0,"resources":[]"#;
        let start = r#"{"event":"start","at_us":1000000,"job":0,"on":[[0,1]],"yield":1048576}"#;
        let complete = r#"{"event":"complete","at_us":11000000,"job":0}"#;
        let summary = r#"{"event":"summary","completed":1,"rejected":0,"makespan_us":10000000,"max_stretch":1.0,"max_bounded_stretch":1.0,"mean_bounded_stretch":1.0,"mean_turnaround_s":10.0,"utilisation":0.5,"preemptions":0,"migrations":0,"migrated_tasks":0}"#;
        format!(
            "{run}\n{classes}{power}}}]{common}}}\n{submit}\n{ask}{held}}}\n{start}\n{complete}\n{energy}{summary}\n"
        )
    }

    /// Use of the cap, which is exceeded for 7 s, and of nodes, of which one sleeps for 6 of 10 s.
    const USES: &str =
        r#"{"event":"figures","over_cap_us":7000000,"sleep":{"asleep":0.3,"wakes":0,"woken_us":0}}"#;

    /// Nodes of 100 W, of which a task draws 50 W more, and the cap of 250 W falls to 220 W after 4 s. The
    /// other node falls asleep from 3 s to 5 s, and draws 10 W then.
    fn powered(energy: u64) -> String {
        events(
            r#","power":{"idle_mw":100000,"busy_mw":150000,"sleep":{"asleep_mw":10000,"after_us":3000000,"falls_us":2000000,"wakes_us":1000000}}"#,
            r#","common":[{"name":"power","power":true,"steps":[[0,50000],[4000000,20000]]}]"#,
            r#","common":[50000]"#,
            &format!(
                "{{\"event\":\"energy\",\"nodes_mj\":{energy},\"jobs_mj\":500000,\"peak_mw\":250000}}\n{USES}\n"
            ),
        )
    }

    #[test]
    fn power_has_the_spans_of_the_audit() {
        let power = power_over_time(powered(1_960_000).as_bytes()).unwrap().unwrap();
        let tasks = 50_000 << Yield::BITS;
        let expected = [(4_000_000, 200_000), (6_000_000, 110_000)];
        assert_eq!(power.spans, expected.map(|(span, idle)| PowerSpan { span, idle, tasks }));
        assert_eq!((power.begin, power.idle_of_all), (SimTime::from_secs(1), 200_000));
        assert_eq!(power.cap, [(SimTime::ZERO, 50_000), (SimTime::from_secs(4), 20_000)]);
    }

    #[test]
    fn files_without_power_or_with_violations_have_none() {
        assert_eq!(power_over_time(events("", "", "", "").as_bytes()).unwrap(), None);
        let error = power_over_time(powered(1_960_001).as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "line 7: the energy of nodes in mJ is 1960001, expected 1960000");
    }
}
