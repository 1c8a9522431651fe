//! Energy of the nodes: the power of each node that is up, and that of each task.

use crate::common::{amount_at, next_step};
use crate::nodes::{Kind, Size};
use crate::power_span::PowerSpan;
use crate::series::Series;
use dfrsim_model::event::ResourceOfCluster;
use dfrsim_model::{Share, Yield};

const ONE: u128 = Share::ONE.units() as u128;

/// Sums of energy in nanojoules times units of 2^-20, and the largest power in milliwatts times these.
#[derive(Debug, Default)]
pub(crate) struct Energy {
    pub(crate) nodes: u128,
    pub(crate) tasks: u128,
    pub(crate) peak: u128,
    /// Power cap above idle nodes; `None` if there is none.
    pub(crate) cap: Option<ResourceOfCluster>,
    /// Time in which the power of tasks exceeded the cap, in microseconds.
    pub(crate) over_cap: u64,
    /// Series of carbon intensities and prices, and the sums of energy times them.
    pub(crate) series: Option<Series>,
    pub(crate) carbon: i128,
    pub(crate) price: i128,
    /// Power of each time; `None` unless it was asked for.
    pub(crate) spans: Option<Vec<PowerSpan>>,
}

impl Energy {
    /// Adds the time from one microsecond to another at constant power: that of idle nodes in milliwatts, and
    /// that which tasks add.
    pub(crate) fn elapse(&mut self, (from, until): (u64, u64), idle: u64, tasks: u128) {
        let span = until.saturating_sub(from);
        if span > 0 {
            let power = (u128::from(idle) << Yield::BITS).saturating_add(tasks);
            // Only files that are no schedules reach the largest number.
            let during = |power: u128| power.saturating_mul(u128::from(span));
            self.nodes = self.nodes.saturating_add(during(power));
            self.tasks = self.tasks.saturating_add(during(tasks));
            self.peak = self.peak.max(power);
            if let Some(series) = &self.series {
                let [carbon, price] = series.between(power, from, until);
                self.carbon = self.carbon.saturating_add(carbon);
                self.price = self.price.saturating_add(price);
            }
            if let Some(cap) = &self.cap {
                let mut begin = from;
                while begin < until {
                    let end = next_step(cap, begin).map_or(until, |next| next.min(until));
                    if tasks > u128::from(amount_at(cap, begin)) << Yield::BITS {
                        self.over_cap += end - begin;
                    }
                    begin = end;
                }
            }
            self.spans.iter_mut().for_each(|spans| PowerSpan { span, idle, tasks }.join(spans));
        }
    }
}

/// Converts a sum of energy times values for a kilowatt-hour to thousandths of their unit, rounded down.
pub(crate) fn thousandths(sum: i128) -> i128 {
    sum.div_euclid(1 << Yield::BITS).div_euclid(3_600_000_000_000)
}

/// Converts a sum to whole millijoules, rounded down.
pub(crate) fn millijoules(sum: u128) -> u64 {
    u64::try_from((sum >> Yield::BITS) / 1_000_000).unwrap_or(u64::MAX)
}

impl Kind {
    /// Returns the power of a node without tasks, in milliwatts; 0 if it is unknown.
    pub(crate) fn idle_power(&self) -> u64 {
        let Some(power) = &self.power else { return 0 };
        let counts = self.capacity[2..].iter().map(|has| has / u64::from(Share::ONE.units()));
        let units = power.units_mw.iter().zip(counts).map(|((idle, _), count)| idle.saturating_mul(count));
        let sockets = power.sockets.map_or(0, |it| it.idle_mw.saturating_mul(it.count.into()));
        units.fold(power.idle_mw.saturating_add(sockets), u64::saturating_add)
    }
    /// Returns whether devices or sockets draw all of their power once they are used.
    pub(crate) fn has_used_power(&self) -> bool {
        self.power.as_ref().is_some_and(|power| power.whole_devices || power.sockets.is_some())
    }
    /// Returns the power that a device adds once a task has a part of it, in milliwatts; 0 if its power
    /// follows the part.
    pub(crate) fn device_power(&self) -> u64 {
        let Some(power) = self.power.as_ref().filter(|power| power.whole_devices) else { return 0 };
        self.device.and_then(|at| power.units_mw.get(at)).map_or(0, |(idle, busy)| busy - idle)
    }
    /// Returns the power that the sockets add if the tasks of a node have this many parts of cores: the
    /// sockets are filled one after the other.
    pub(crate) fn socket_power(&self, parts: u64) -> u64 {
        let Some(sockets) = self.power.as_ref().and_then(|power| power.sockets) else { return 0 };
        let each = u64::from(sockets.cores_each) * self.core_parts;
        let is_used = |socket: &u64| socket.saturating_mul(each) < parts;
        let used = (0..u64::from(sockets.count)).take_while(is_used).count() as u64;
        used.saturating_mul(sockets.busy_mw - sockets.idle_mw)
    }
    /// Returns the power that devices and sockets add for a task that has no other beside it, in
    /// milliwatts.
    pub(crate) fn used_power(&self, size: &Size) -> u64 {
        let devices = size.devices.map_or(0, |(each, _)| each);
        let parts = size.pieces.first().map_or(0, |parts| (*parts).max(0) as u64);
        self.device_power().saturating_mul(devices).saturating_add(self.socket_power(parts))
    }
    /// Returns the power that a task adds on a node at a yield of 1 and a speed level, in milliwatts: the
    /// parts of the CPU and of all units, each rounded up, without devices that draw all of their power once
    /// they are used.
    pub(crate) fn task_power(&self, size: &Size, level: u32) -> u64 {
        let Some(power) = &self.power else { return 0 };
        let lower = self.level(level);
        let busy = lower.map_or(power.busy_mw, |it| it.busy_mw);
        let part = |range: (u64, u64), used: u64, whole: u128| {
            (u128::from(range.1 - range.0) * u128::from(used)).div_ceil(whole.max(1)) as u64
        };
        let cpu = part((power.idle_mw, busy), size.used[1], self.capacity[1].into());
        let of_unit =
            |(at, range): (usize, &(u64, u64))| (range.0, lower.map_or(range.1, |it| it.units_mw[at]));
        let ranges = power.units_mw.iter().enumerate().map(of_unit);
        let units = ranges.zip(size.held.iter().zip(&size.used).skip(2));
        let units = units.enumerate().filter(|(at, _)| !power.whole_devices || self.device != Some(*at));
        let units = units.map(|(_, (range, (held, used)))| part(range, held.saturating_add(*used), ONE));
        units.fold(cpu, u64::saturating_add)
    }
}
