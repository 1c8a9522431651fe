//! Figures of the devices of a cluster: parts held, and free parts that are useless.

use crate::{Observer, Occurrence};
use dfrsim_model::SimTime;
use dfrsim_model::platform::classes::{NodeClass, NodeClasses, Sharing};
use dfrsim_model::platform::device_use::{DeviceLevels, DeviceUse};
use schemars::JsonSchema;
use serde::Serialize;

/// Collector of the figures of devices.
#[derive(Clone, Debug)]
pub struct DeviceMetrics {
    classes: NodeClasses,
    devices: DeviceUse,
    resource: usize,
    begin: Option<SimTime>,
    now: SimTime,
    /// Parts times microseconds.
    held: u128,
    useless: u128,
    /// Most that was held at a time.
    peak: u64,
    /// Time of the last submission, and the levels after the decision then.
    submitted: SimTime,
    at_last_submission: DeviceLevels,
}

/// Figures of the devices of a cluster, as fractions of all its devices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DeviceFigures {
    /// Fraction that tasks held, on average from the first submission to the last event.
    pub held: f64,
    /// Largest part that tasks held at a time.
    pub peak_held: f64,
    /// Fraction that was free but of no use to the mean task submitted so far, on average over
    /// the same time.
    pub useless: f64,
    /// Fraction that tasks held when the last job had arrived and the policy had decided.
    pub held_at_last_submission: f64,
    /// Free parts that the mean task could not use then.
    pub useless_at_last_submission: f64,
}

impl DeviceMetrics {
    /// Creates a collector; `None` if nodes have no devices, or if parts of them follow the yields of jobs,
    /// so that a device has no fixed free part.
    pub fn new(classes: &NodeClasses) -> Option<DeviceMetrics> {
        let is_held = |at: &usize| classes.resources()[*at].sharing == Sharing::Devices;
        let resource = classes.devices().filter(is_held)?;
        let of_class = |(place, class): (usize, &NodeClass)| {
            (class.nodes, classes.core_parts_of(place), class.amounts[resource])
        };
        let devices = DeviceUse::new(classes.classes().iter().enumerate().map(of_class));
        Some(DeviceMetrics {
            classes: classes.clone(),
            devices,
            resource,
            begin: None,
            now: SimTime::ZERO,
            held: 0,
            useless: 0,
            peak: 0,
            submitted: SimTime::ZERO,
            at_last_submission: DeviceLevels::default(),
        })
    }

    /// Returns the figures up to the last event; `None` if no time has passed.
    pub fn figures(&mut self) -> Option<DeviceFigures> {
        let DeviceLevels { all, .. } = self.devices.levels();
        let span = self.now.since(self.begin?).micros();
        let whole = all as f64;
        let mean = |sum: u128| sum as f64 / (whole * span as f64);
        (span > 0 && all > 0).then(|| DeviceFigures {
            held: mean(self.held),
            peak_held: self.peak as f64 / whole,
            useless: mean(self.useless),
            held_at_last_submission: self.at_last_submission.held as f64 / whole,
            useless_at_last_submission: self.at_last_submission.useless as f64 / whole,
        })
    }

    /// Adds the time that has passed since the last event.
    fn advance(&mut self, now: SimTime) {
        if now > self.now {
            let (levels, span) = (self.devices.levels(), u128::from(now.since(self.now).micros()));
            self.held += u128::from(levels.held) * span;
            self.useless += u128::from(levels.useless) * span;
            self.peak = self.peak.max(levels.held);
            if self.submitted == self.now {
                self.at_last_submission = levels;
            }
            self.now = now;
        }
    }
}

impl Observer for DeviceMetrics {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if self.begin.is_none() {
            (self.begin, self.now) = (Some(now), now);
        }
        self.advance(now);
        match occurrence {
            Occurrence::Submitted(it, _) => {
                self.submitted = now;
                self.devices.submit(job, self.classes.core_parts_for(it.cpu_need), it.tasks);
            }
            Occurrence::Asked(demand, _) => self.devices.request(job, demand.devices(self.resource)),
            Occurrence::Started(on, _) | Occurrence::Resumed(on, _) | Occurrence::Migrated(on, ..) => {
                self.devices.place(job, on.iter().map(|part| (part.node.0, part.tasks)));
            }
            Occurrence::Bound(devices) => self.devices.bind(job, devices),
            Occurrence::Paused(_) | Occurrence::Interrupted(..) => self.devices.release(job),
            Occurrence::Rejected
            | Occurrence::Killed(_)
            | Occurrence::Lost(..)
            | Occurrence::Completed(_) => self.devices.remove(job),
            Occurrence::Linked(_) | Occurrence::YieldChanged(_) | Occurrence::Woken(_) => {}
        }
    }
}
