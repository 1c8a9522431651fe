//! Unequal nodes of a workload.

use crate::columns::Columns;
use crate::scenario::{PriorityFields, Workload};
use dfrsim_lab::{Digester, RunError, platform_fields};
use dfrsim_model::platform::classes::{
    Demands, NodeClass, NodeClasses, PlatformFields, ReferenceNode, UnequalNodes,
};
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use dfrsim_model::platform::levels::SpeedLevel;
use dfrsim_model::platform::power::{ClusterPower, NodePower, SleepRule, Sockets};
use dfrsim_model::platform::series::{self, EnergySeries};
use dfrsim_model::{Job, Seed, SimSpan};
use dfrsim_workload::log::{Header, ResourceRequests};
use dfrsim_workload::prepare::{Annotation, Opened, Options, resources};
use std::sync::Arc;

/// Builds the nodes of a workload and the demands of its jobs; `None` if all nodes are equal.
pub(crate) fn unequal(workload: &Workload, seed: u64) -> Result<Option<Arc<UnequalNodes>>, RunError> {
    let Some(platform) = &workload.kinds.platform else { return Ok(None) };
    let fault = |what: &str| RunError::input(format_args!("workload `{}`: platform: {what}", workload.name));
    let fields = platform_fields(platform).map_err(|error| fault(&error))?;
    let mut classes = fields.classes_of(workload.nodes.get()).map_err(|error| fault(&error.to_string()))?;
    let of_power = |what: String| RunError::input(format_args!("workload `{}`: {what}", workload.name));
    set_power(&mut classes, workload).map_err(of_power)?;
    let (requests, seed) = (workload.kinds.requests.clone(), Seed::new(seed));
    let given = match workload.source.log(workload.nodes) {
        Some((log, options)) => {
            let columns = workload.source.columns().map(Columns::map).transpose()?;
            let parts = columns.as_ref().map_or(1, |map| map.core_parts());
            let options = Options { columns, ..options };
            let given = resources(&log.file.path, &options).map_err(RunError::input)?;
            if let Some(ReferenceNode { cores, memory_gb }) = reference_node(&fields)
                && cores > 1
                && options.annotation == Annotation::None
                && !given.is_empty()
            {
                let (cores, kb) = (cores * parts, (memory_gb * KB_OF_GB).round());
                return Err(fault(&format!(
                    "each processor of the listing {} would be a whole node; expected `annotation = {{ hpc2n = {{ cores = {cores}, \
                     memory_kb = {kb}, floor_tenths = 0, join = \"listed\" }} }}`",
                    log.file.given
                )));
            }
            ResourceRequests::clone(&given)
        }
        None => ResourceRequests::new(),
    };
    let demands = Demands { requests, seed, given };
    if let Some((name, reason)) = demands.find_unknown_profile(&classes) {
        return Err(fault(&format!("a job of the log requests `{name}`, which {reason}")));
    }
    match demands.find_unknown(&classes) {
        Some((request, reason)) => {
            Err(fault(&format!("no node class satisfies the request `{request}`: {reason}")))
        }
        None => Ok(Some(Arc::new(UnequalNodes { classes, demands }))),
    }
}

/// Replaces the power cap by that of a workload, and adds its carbon intensities and prices.
///
/// # Errors
/// Returns a message with the field if the nodes cannot have them.
pub(crate) fn set_power(classes: &mut NodeClasses, workload: &Workload) -> Result<(), String> {
    if let Some(cap) = &workload.cap {
        classes.cap_power(cap).map_err(|reason| format!("cap: {reason}"))?;
    }
    if classes.has_daily_steps() {
        classes.begin_at_time_of_day(SimSpan::from_secs(time_of_day(workload).0));
    }
    if let Some((series, _)) = series_of(workload)?
        && !classes.set_energy_series(series)
    {
        return Err("intensity: the power of its nodes is unknown; expected `power` in each class".to_owned());
    }
    Ok(())
}

/// Reads the carbon intensities and prices of a workload, with statements about what was read; `None` if it
/// has none.
///
/// # Errors
/// Returns a message with the field if they cannot be read, or are not for the log.
pub(crate) fn series_of(workload: &Workload) -> Result<Option<(EnergySeries, Vec<String>)>, String> {
    let Some(file) = &workload.intensity else { return Ok(None) };
    let parsed = series::read(&file.path).map_err(|faults| format!("intensity: {faults}"))?;
    let (series, notes) =
        parsed.of_log(origin(workload)).map_err(|reason| format!("intensity: {}: {reason}", file.given))?;
    if workload.defer.is_some() && series.carbon.is_empty() {
        return Err(format!("defer: {} has no carbon intensities", file.given));
    }
    Ok(Some((series, notes.into_iter().map(|note| format!("{}: {note}", file.given)).collect())))
}

/// Returns statements about the power of nodes, the cap and speed levels, and about the times of day of
/// amounts that repeat.
pub(crate) fn notes(workload: &Workload) -> Vec<String> {
    let fields = workload.kinds.platform.as_ref().and_then(|platform| platform_fields(platform).ok());
    let Some(fields) = fields else { return Vec::new() };
    let Ok(mut classes) = fields.classes_of(workload.nodes.get()) else { return Vec::new() };
    let mut notes: Vec<String> =
        fields.power_notes().into_iter().map(|note| format!("platform: {note}")).collect();
    let cap = workload.cap.as_ref().map(|cap| ("cap", cap.clone()));
    let of_platform = || Some(("platform: power.cap", fields.power_cap()?));
    if let Some((name, cap)) = cap.or_else(of_platform) {
        // A cap that is refused is reported where the nodes are built.
        if classes.cap_power(&cap).is_ok() {
            notes.extend(classes.cap_notes(&cap).into_iter().map(|note| format!("{name}: {note}")));
        }
    }
    if classes.levels().is_empty() && !classes.known_levels().is_empty() {
        notes.push("platform: the speed levels of nodes have no effect without a power cap".to_owned());
    }
    if classes.has_daily_steps() {
        notes.push(format!("daily steps: {}", time_of_day(workload).1));
    }
    notes
}

/// Returns the time of day at which a workload begins, in seconds, and a statement about it.
fn time_of_day(workload: &Workload) -> (u64, String) {
    match header(workload) {
        Some(header) => header.time_of_day(),
        None => (0, "midnight is second 0, as the workload has no log that says when it begins".to_owned()),
    }
}

/// Returns the header of the log of a workload; `None` without one. A log that cannot be read is reported
/// where its jobs are.
fn header(workload: &Workload) -> Option<Header> {
    let (log, options) = workload.source.log(workload.nodes)?;
    let columns = workload.source.columns().map(Columns::map).transpose().ok()?;
    let opened = Opened::open(&log.file.path, &Options { columns, ..options }).ok()?;
    Some(opened.header().clone())
}

/// Returns the second since 1970 at which the log of a workload begins; `None` if it does not say.
fn origin(workload: &Workload) -> Option<i64> {
    header(workload)?.unix_start_time().filter(|origin| *origin > 0)
}

/// Kilobytes per gigabyte, in the units of annotations.
const KB_OF_GB: f64 = 1_048_576.0;

/// Builds the nodes that replace those of the workload under these priorities; `None` if the
/// priorities define none.
pub(crate) fn unequal_of_priorities(
    priorities: &PriorityFields,
    workload: &Workload,
    own: Option<&UnequalNodes>,
) -> Result<Option<Arc<UnequalNodes>>, RunError> {
    let Some(platform) = &priorities.platform else { return Ok(None) };
    let fault =
        |what: &str| RunError::input(format_args!("priority `{}`: platform: {what}", priorities.name));
    let (Some(own), Some(of_workload)) = (own, &workload.kinds.platform) else {
        return Err(fault(&format!(
            "cannot replace the nodes of the workload `{}`: it has no platform",
            workload.name
        )));
    };
    let other = platform_fields(platform).map_err(|error| fault(&error))?;
    if reference_node(&other) != platform_fields(of_workload).ok().as_ref().and_then(reference_node) {
        return Err(fault(&format!("the reference node must be that of the workload `{}`", workload.name)));
    }
    let mut classes = other.classes().map_err(|error| fault(&error.to_string()))?;
    set_power(&mut classes, workload)
        .map_err(|what| fault(&format!("{what}, which the workload `{}` has", workload.name)))?;
    Ok(Some(Arc::new(UnequalNodes { classes, demands: own.demands.clone() })))
}

/// Returns the node relative to which CPU and memory needs are expressed.
fn reference_node(fields: &PlatformFields) -> Option<ReferenceNode> {
    let first = fields.classes.first();
    fields.reference.or_else(|| first.map(|it| ReferenceNode { cores: it.cores, memory_gb: it.memory_gb }))
}

/// Adds everything that simulations see of the nodes.
pub(crate) fn digest(nodes: &UnequalNodes, jobs: &[Job], digester: &mut Digester) {
    let (classes, names) = (nodes.classes.classes(), nodes.classes.levels());
    names.iter().for_each(|name| _ = digester.text("level").text(name));
    digester.integer(classes.len() as u64).integer(nodes.classes.reference_cores());
    for NodeClass { name: _, nodes, cpu, memory, speed, amounts, features, device_groups, power, sleep } in
        classes
    {
        digester.integer(*nodes).integer(*cpu).integer(*memory).integer(speed.units()).integer(*features);
        amounts.iter().for_each(|amount| _ = digester.integer(*amount));
        if let Some(NodePower { idle, busy, units, whole_devices, sockets, sleep, levels: _ }) = power {
            digester.text("power").integer(*idle).integer(*busy);
            units.iter().for_each(|(idle, busy)| _ = digester.integer(*idle).integer(*busy));
            if *whole_devices {
                digester.text("whole devices");
            }
            if let Some(Sockets { count, cores_each, idle, busy }) = sockets {
                digester.text("sockets").integer(*count).integer(*cores_each);
                digester.integer(*idle).integer(*busy);
            }
            if let Some(SleepRule { asleep, after, falls, wakes }) = sleep {
                digester.text("sleep").integer(*asleep);
                [after, falls, wakes].iter().for_each(|span| _ = digester.integer(span.micros()));
            }
        }
        if let Some(NodePower { levels, .. }) = power.as_ref().filter(|_| !names.is_empty()) {
            for SpeedLevel { speed, busy, units } in levels {
                digester.integer(speed.units()).integer(*busy);
                units.iter().for_each(|busy| _ = digester.integer(*busy));
            }
        }
        if let Some(SleepRule { asleep: _, after, falls, wakes }) = sleep {
            digester.text("sleep of unknown power");
            [after, falls, wakes].iter().for_each(|span| _ = digester.integer(span.micros()));
        }
        if !device_groups.is_empty() {
            digester.text("device groups");
            device_groups.iter().for_each(|size| _ = digester.integer(*size));
        }
    }
    if let Some(ClusterPower { effectiveness, series }) = nodes.classes.power() {
        digester.integer(*effectiveness);
        if let Some(EnergySeries { begins, span, end, carbon, price }) = series.as_deref() {
            digester.text("series").integer(span.micros());
            begins.iter().for_each(|begin| _ = digester.integer(begin.micros()));
            carbon.iter().for_each(|value| _ = digester.integer(*value));
            price.iter().for_each(|value| _ = digester.integer(value.cast_unsigned()));
            digester.integer(end.micros());
        }
    }
    for CommonResource { name, demand, steps, period } in nodes.classes.common() {
        // The units of jobs are in their demands.
        digester.text(name).integer(u64::from(*demand == CommonDemand::Draw));
        steps.iter().for_each(|(from, amount)| _ = digester.integer(from.micros()).integer(*amount));
        if let Some(period) = period {
            digester.text("repeats").integer(period.micros());
        }
    }
    if nodes.classes.core_parts() > 1 {
        digester.text("parts of cores").integer(nodes.classes.core_parts());
    }
    for resource in nodes.classes.resources() {
        digester.integer(u64::from(resource.sharing.is_shared()));
        if resource.sharing.is_devices() {
            digester.text("devices");
        }
        // Rows from before the bound took resources into account are computed again.
        digester.text("bounded");
    }
    for (place, job) in (0_u64..).zip(jobs) {
        let demand = nodes.demand(job);
        if !demand.is_empty() {
            digester.integer(place).integer(demand.features);
            demand.any_of.iter().for_each(|some| _ = digester.text("any of").integer(*some));
            demand.common.iter().for_each(|amount| _ = digester.text("common").integer(*amount));
            for asked in &demand.resources {
                digester.integer(asked.count).integer(asked.need.units());
            }
            if demand.requested_cores.is_some() || demand.needs_distinct_nodes {
                let cores = demand.requested_cores.map_or(0, u64::from);
                digester.integer(cores).integer(u64::from(demand.needs_distinct_nodes));
            }
            if let Some(nodes) = demand.requested_nodes {
                digester.text("requested nodes").integer(nodes);
            }
        }
    }
}
