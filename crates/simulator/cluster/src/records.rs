//! Conversion of what observers receive into the records of [`dfrsim_model::event`].

use crate::{CommonMetrics, EnergyMetrics, Link, Occurrence, Overrun, Pace, Placement, PlatformChange};
use dfrsim_model::event::{self, FORMAT_VERSION, InterruptionRule, Record};
use dfrsim_model::platform::classes::{NodeClass, NodeClasses, Resource, UnequalNodes};
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::platform::levels::SpeedLevel;
use dfrsim_model::platform::power::{NodePower, SleepRule};
use dfrsim_model::platform::{Interruption, NodeSpan, Outages, Window};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{SimSpan, SimTime, UserId, Yield};
use std::sync::Arc;

/// Creates the first record: policy, nodes, penalty, the rule for jobs that exceed their estimates,
/// the tau of the summary's bounded stretch, and what the policy's name does not specify: the period,
/// if it uses one, and a description of all other settings that differ from the defaults.
pub fn run<'a>(
    policy: &'a str,
    nodes: u32,
    (penalty, overrun): (SimSpan, Overrun),
    tau: SimSpan,
    (period, options): (Option<SimSpan>, Option<&'a str>),
) -> Record<'a> {
    let (penalty_us, tau_us, options) = (penalty.micros(), tau.micros(), options.map(Into::into));
    let (period_us, kills_at_estimates) = (period.map(SimSpan::micros), overrun == Overrun::Kill);
    Record::Run {
        format: FORMAT_VERSION,
        policy: policy.into(),
        nodes,
        penalty_us,
        tau_us,
        options,
        period_us,
        kills_at_estimates,
    }
}

/// Creates the records after the first one, as far as they apply: rules for outages, node classes,
/// the series of carbon intensities and prices, and priorities with limits.
pub fn conditions(
    outages: Option<&Outages>,
    unequal: Option<&UnequalNodes>,
    priorities: Option<&SiteSettings>,
) -> Vec<Record<'static>> {
    let platform = outages.map(|outages| platform(outages.interruption));
    let series = unequal.and_then(|unequal| series(&unequal.classes));
    let classes = unequal.map(|unequal| classes(&unequal.classes));
    let priority = priorities.map(|settings| Record::Priority { settings: Box::new(settings.clone()) });
    [platform, classes, series, priority].into_iter().flatten().collect()
}

fn platform(interruption: Interruption) -> Record<'static> {
    let (rule, checkpoints) = match interruption {
        Interruption::Lose => (InterruptionRule::Lose, None),
        Interruption::Requeue => (InterruptionRule::Requeue, None),
        Interruption::Checkpoint(checkpoints) => (InterruptionRule::Checkpoint, Some(checkpoints)),
    };
    Record::Platform {
        interruption: rule,
        interval_us: checkpoints.map_or(0, |it| it.interval.micros()),
        cost_us: checkpoints.map_or(0, |it| it.cost.micros()),
        restart_us: checkpoints.map_or(0, |it| it.restart.micros()),
    }
}

fn classes(nodes: &NodeClasses) -> Record<'static> {
    let sleep = |rule: SleepRule| event::SleepOfNode {
        asleep_mw: rule.asleep,
        after_us: rule.after.micros(),
        falls_us: rule.falls.micros(),
        wakes_us: rule.wakes.micros(),
    };
    let class = |class: &NodeClass| event::ClassOfNodes {
        name: class.name.clone(),
        nodes: class.nodes,
        cpu: class.cpu,
        memory: class.memory,
        speed: class.speed.units(),
        resources: class.amounts.clone(),
        features: nodes.feature_names(class.features).map(str::to_owned).collect(),
        device_groups: class.device_groups.clone(),
        power: class.power.as_ref().map(|power| event::PowerOfNode {
            idle_mw: power.idle,
            busy_mw: power.busy,
            units_mw: power.units.clone(),
            whole_devices: power.whole_devices,
            sockets: power.sockets.map(|it| event::SocketsOfNode {
                count: it.count,
                cores_each: it.cores_each,
                idle_mw: it.idle,
                busy_mw: it.busy,
            }),
            sleep: power.sleep.map(sleep),
            levels: levels(nodes, power),
        }),
        sleep: class.sleep.map(sleep),
    };
    let common = |resource: &CommonResource| event::ResourceOfCluster {
        name: (*resource.name).to_owned(),
        steps: resource.steps.iter().map(|(from, amount)| (from.micros(), *amount)).collect(),
        power: resource.demand == CommonDemand::Draw,
        period_us: resource.period.map(SimSpan::micros),
    };
    let resource = |resource: &Resource| event::ResourceOfNodes {
        name: (*resource.name).to_owned(),
        shared: resource.sharing.is_shared(),
        devices: resource.sharing.is_devices(),
    };
    Record::Classes {
        resources: nodes.resources().iter().map(resource).collect(),
        classes: nodes.classes().iter().map(class).collect(),
        cores: Some(nodes.reference_cores()),
        core_parts: Some(nodes.core_parts()).filter(|&parts| parts > 1),
        common: nodes.common().iter().map(common).collect(),
    }
}

fn series(nodes: &NodeClasses) -> Option<Record<'static>> {
    let series = nodes.power()?.series.as_deref()?;
    Some(Record::Series {
        begins_us: series.begins.iter().map(|begin| begin.micros()).collect(),
        end_us: series.end.micros(),
        carbon_mg: series.carbon.clone(),
        price_millionths: series.price.clone(),
    })
}

/// Creates the records before the summary, as far as they apply: the energy, and the use of what the
/// cluster has as a whole.
pub fn figures(energy: Option<&EnergyMetrics>, common: Option<&CommonMetrics>) -> Vec<Record<'static>> {
    let of_energy = energy.and_then(EnergyMetrics::record);
    let common = common.map_or_else(Vec::new, CommonMetrics::uses);
    let figures = match energy {
        Some(energy) => energy.use_record(common),
        None => (!common.is_empty()).then_some(Record::Figures {
            common,
            over_cap_us: None,
            slowed: Vec::new(),
            sleep: None,
            carbon_ug: None,
            cost_billionths: None,
        }),
    };
    [of_energy, figures].into_iter().flatten().collect()
}

/// Returns the levels of the nodes of a class below full speed.
fn levels(nodes: &NodeClasses, power: &NodePower) -> Vec<event::LevelOfNode> {
    let all = nodes.levels().iter().zip(&power.levels).filter(|(_, level)| level.speed < Yield::ONE);
    let record = |(name, level): (&Arc<str>, &SpeedLevel)| event::LevelOfNode {
        name: (**name).to_owned(),
        speed: level.speed.units(),
        busy_mw: level.busy,
        units_mw: level.units.clone(),
    };
    all.map(record).collect()
}

impl PlatformChange<'_> {
    /// Creates the record of this event.
    pub fn record(&self, now: SimTime) -> Record<'static> {
        let at_us = now.micros();
        let pairs = |spans: &[NodeSpan]| spans.iter().map(|span| (span.first, span.nodes)).collect();
        match *self {
            PlatformChange::Announced(&Window { outage, .. }) => Record::Window {
                at_us,
                first: outage.nodes.first,
                nodes: outage.nodes.nodes,
                from_us: outage.from.micros(),
                until_us: outage.until.micros(),
            },
            PlatformChange::Down(spans) => Record::Down { at_us, nodes: pairs(spans) },
            PlatformChange::Up(spans) => Record::Up { at_us, nodes: pairs(spans) },
            PlatformChange::Drained(spans) => Record::Drain { at_us, nodes: pairs(spans) },
            PlatformChange::Undrained(spans) => Record::Undrain { at_us, nodes: pairs(spans) },
        }
    }
}

impl Occurrence<'_> {
    /// Creates the record of this event of the job with the given sequence number.
    pub fn record(&self, now: SimTime, job: u64) -> Record<'static> {
        let at_us = now.micros();
        let on = |placement: Placement<'_>| placement.iter().map(|part| (part.node.0, part.tasks)).collect();
        let units = |pace: Pace| pace.job_yield.units();
        let level = |pace: Pace| pace.level.map(u32::from);
        match *self {
            Occurrence::Submitted(submitted, estimate) => Record::Submit {
                at_us,
                job,
                id: submitted.id.0,
                tasks: submitted.tasks,
                cpu_need: submitted.cpu_need.units(),
                memory: submitted.memory.units(),
                run_us: submitted.run_time.micros(),
                estimate_us: (estimate != Some(submitted.run_time))
                    .then(|| estimate.unwrap_or(SimSpan::MAX).micros()),
                user: submitted.user.map(UserId::number),
                group: submitted.origin.group(),
                queue: submitted.origin.queue(),
                partition: submitted.origin.partition(),
            },
            Occurrence::Linked(Link { after, followers, start_followers }) => {
                let jobs = after.iter().flat_map(|it| &it.jobs).copied();
                let starts = after.iter().flat_map(|it| &it.starts);
                Record::Link {
                    at_us,
                    job,
                    after: jobs.clone().next(),
                    others: jobs.skip(1).collect(),
                    think_us: after.as_ref().filter(|it| !it.jobs.is_empty()).map(|it| it.think.micros()),
                    not_before_us: after.as_ref().and_then(|it| it.not_before).map(SimTime::micros),
                    starts: starts.map(|(job, delay)| (*job, delay.micros())).collect(),
                    followers: *followers,
                    start_followers: *start_followers,
                }
            }
            Occurrence::Asked(demand, classes) => Record::Ask {
                at_us,
                job,
                resources: demand.resources.iter().map(|asked| (asked.count, asked.need.units())).collect(),
                features: classes.required_features(demand),
                requested_cores: demand.requested_cores,
                requested_nodes: demand.requested_nodes,
                distinct_nodes: demand.needs_distinct_nodes,
                common: demand.common.clone(),
            },
            Occurrence::Started(placement, pace) => {
                Record::Start { at_us, job, on: on(placement), job_yield: units(pace), level: level(pace) }
            }
            Occurrence::Bound(devices) => {
                let of_node = |&(node, on): &(u32, OnDevices)| {
                    on.iter().map(move |(device, tasks)| (node, device as u32, u32::from(tasks)))
                };
                Record::Bind { at_us, job, devices: devices.iter().flat_map(of_node).collect() }
            }
            Occurrence::Woken(span) => Record::Wake { at_us, job, woken_us: span.micros() },
            Occurrence::Paused(_) => Record::Pause { at_us, job },
            Occurrence::Resumed(placement, pace) => {
                Record::Resume { at_us, job, on: on(placement), job_yield: units(pace), level: level(pace) }
            }
            Occurrence::Migrated(placement, pace, ..) => {
                Record::Migrate { at_us, job, on: on(placement), job_yield: units(pace), level: level(pace) }
            }
            Occurrence::YieldChanged(pace) => {
                Record::Yield { at_us, job, job_yield: units(pace), level: level(pace) }
            }
            Occurrence::Rejected => Record::Reject { at_us, job },
            Occurrence::Killed(_) => Record::Kill { at_us, job },
            Occurrence::Interrupted(_, kept, _) => Record::Interrupt { at_us, job, kept_us: kept.micros() },
            Occurrence::Lost(..) => Record::Lose { at_us, job },
            Occurrence::Completed(_) => Record::Complete { at_us, job },
        }
    }
}
