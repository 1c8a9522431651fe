//! Speed levels of node classes.

use super::{Demand, NodeClasses};
use crate::platform::common::CommonDemand;
use crate::platform::levels::LevelUse;
use crate::{Job, Share, Yield};
use std::sync::Arc;

impl NodeClasses {
    /// Returns the names of the levels 1, 2, ... at which jobs may run below full speed; none without a
    /// power cap.
    #[inline]
    pub fn levels(&self) -> &[Arc<str>] {
        let has_cap = self.common.iter().any(|resource| resource.demand == CommonDemand::Draw);
        if has_cap { &self.levels } else { &[] }
    }

    /// Returns the names of all levels below full speed, in use or not.
    pub fn known_levels(&self) -> &[Arc<str>] {
        &self.levels
    }

    /// Returns the speed of the nodes of a class at a level.
    #[inline]
    pub fn speed_at(&self, class: usize, level: u8) -> Yield {
        let full = self.classes[class].speed;
        if level == 0 { full } else { full.times(self.level_speed(class, level)) }
    }

    /// Returns the speed of the nodes of a class at a level relative to that at full speed.
    #[inline]
    pub fn level_speed(&self, class: usize, level: u8) -> Yield {
        let Some(at) = usize::from(level).checked_sub(1) else { return Yield::ONE };
        self.classes[class].power.as_ref().map_or(Yield::ONE, |power| power.levels[at].speed)
    }

    /// Applies a rule for all jobs: it drops the levels, or makes one of them the full speed.
    ///
    /// # Errors
    ///
    /// Returns a reason if there are no levels, or none of the name, or no cap for which they are used.
    pub fn use_levels(&mut self, rule: &LevelUse) -> Result<(), String> {
        rule.check(&self.levels.iter().map(|level| &**level).collect::<Vec<_>>())?;
        let kept = match rule {
            LevelUse::OnCap if self.levels().is_empty() => {
                return Err("`on-cap` has no effect without a power cap".to_owned());
            }
            LevelUse::OnCap => return Ok(()),
            LevelUse::Never => None,
            LevelUse::Always(name) => self.levels.iter().position(|level| **level == **name),
        };
        self.levels.clear();
        for class in &mut self.classes {
            let Some(power) = &mut class.power else { continue };
            let levels = std::mem::take(&mut power.levels);
            if let Some(level) = kept.map(|at| &levels[at]) {
                class.speed = class.speed.times(level.speed);
                power.busy = level.busy;
                power.units.iter_mut().zip(&level.units).for_each(|(unit, busy)| unit.1 = *busy);
            }
        }
        Ok(())
    }

    /// Computes the largest power that the tasks of a job may draw at a level and a yield of 1, in
    /// milliwatts, without that of used devices and sockets.
    #[inline]
    pub(super) fn largest_draw(&self, level: u8, job: &Job, demand: &Demand) -> u64 {
        let classes = (0..self.classes.len()).filter(|&class| self.fits(class, job, demand));
        let each = classes.map(|class| self.task_power_at(class, level, job.cpu_need, demand)).max();
        each.unwrap_or(0) * u64::from(job.tasks)
    }

    /// Returns the power that a task adds to that of an idle node of a class, in milliwatts, at a yield
    /// of 1, without that of used devices and sockets; 0 if it is unknown.
    pub fn task_power(&self, class: usize, cpu_need: Share, demand: &Demand) -> u64 {
        self.task_power_at(class, 0, cpu_need, demand)
    }
}

impl Demand {
    /// Returns the amount of a resource of the whole cluster that the job holds at a level, at a yield of
    /// 1, given its index and demand.
    #[must_use]
    #[inline]
    pub fn common_at(&self, place: usize, demand: CommonDemand, level: u8) -> u64 {
        match usize::from(level).checked_sub(1) {
            Some(at) if demand == CommonDemand::Draw => self.draws.get(at).copied().unwrap_or(0),
            _ => self.common[place],
        }
    }
    /// Returns the part of that amount that does not follow the yield: all of it, except for power.
    #[must_use]
    #[inline]
    pub fn fixed_common(&self, place: usize, demand: CommonDemand) -> u64 {
        if demand == CommonDemand::Draw { self.fixed_power } else { self.common[place] }
    }
}
