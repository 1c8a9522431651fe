//! Energy of the nodes: the power of each node that is up, and that of each task.

use crate::nodes::{Kind, Size};
use crate::power_span::PowerSpan;
use dfrsim_model::{Share, Yield};

const ONE: u128 = Share::ONE.units() as u128;

/// Sums of energy in nanojoules times units of 2^-20, and the largest power in milliwatts times these.
#[derive(Debug, Default)]
pub(crate) struct Energy {
    pub(crate) nodes: u128,
    pub(crate) tasks: u128,
    pub(crate) peak: u128,
    /// Power of each time; `None` unless it was asked for.
    pub(crate) spans: Option<Vec<PowerSpan>>,
}

impl Energy {
    /// Adds a time in microseconds at constant power: that of idle nodes in milliwatts, and that which
    /// tasks add.
    pub(crate) fn elapse(&mut self, idle: u64, tasks: u128, span: u64) {
        if span > 0 {
            let power = (u128::from(idle) << Yield::BITS).saturating_add(tasks);
            // Only files that are no schedules reach the largest number.
            let during = |power: u128| power.saturating_mul(u128::from(span));
            self.nodes = self.nodes.saturating_add(during(power));
            self.tasks = self.tasks.saturating_add(during(tasks));
            self.peak = self.peak.max(power);
            self.spans.iter_mut().for_each(|spans| PowerSpan { span, idle, tasks }.join(spans));
        }
    }
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
        units.fold(power.idle_mw, u64::saturating_add)
    }
    /// Returns the power that a task adds on a node at a yield of 1, in milliwatts: the parts of the CPU
    /// and of all units, each rounded up.
    pub(crate) fn task_power(&self, size: &Size) -> u64 {
        let Some(power) = &self.power else { return 0 };
        let part = |range: (u64, u64), used: u64, whole: u128| {
            (u128::from(range.1 - range.0) * u128::from(used)).div_ceil(whole.max(1)) as u64
        };
        let cpu = part((power.idle_mw, power.busy_mw), size.used[1], self.capacity[1].into());
        let units = power.units_mw.iter().zip(size.held.iter().zip(&size.used).skip(2));
        let units = units.map(|(range, (held, used))| part(*range, held.saturating_add(*used), ONE));
        units.fold(cpu, u64::saturating_add)
    }
}
