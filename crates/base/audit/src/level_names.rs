//! Names of the speed levels of a cluster.

use dfrsim_model::Yield;
use dfrsim_model::event::{ClassOfNodes, LevelOfNode};

/// Names of the levels of all classes, in the order in which they first appear.
#[derive(Clone, Debug, Default)]
pub(crate) struct LevelNames(Vec<String>);

fn levels(class: &ClassOfNodes) -> &[LevelOfNode] {
    class.power.as_ref().map_or(&[], |power| &power.levels)
}

impl LevelNames {
    /// Collects the names; `None` if the levels of a class are not slower and slower at no more power, or
    /// if two classes have two levels in different orders.
    pub(crate) fn of(classes: &[ClassOfNodes]) -> Option<LevelNames> {
        let mut names: Vec<String> = Vec::new();
        for class in classes {
            let Some(power) = &class.power else { continue };
            let full = LevelOfNode {
                name: String::new(),
                speed: Yield::ONE.units(),
                busy_mw: power.busy_mw,
                units_mw: Vec::new(),
            };
            let mut faster = &full;
            for level in &power.levels {
                let has_units = level.units_mw.len() == power.units_mw.len();
                let mut units = level.units_mw.iter().zip(&power.units_mw);
                let are_powers = units.all(|(own, (idle, busy))| (idle..=busy).contains(&own));
                let is_power = (power.idle_mw..=faster.busy_mw).contains(&level.busy_mw);
                let is_slower = level.speed > 0 && level.speed < faster.speed;
                let is_new = power.levels.iter().filter(|other| other.name == level.name).count() == 1;
                if !(has_units && are_powers && is_power && is_slower && is_new) {
                    return None;
                }
                if !names.contains(&level.name) {
                    names.push(level.name.clone());
                }
                faster = level;
            }
        }
        let place =
            |class: &ClassOfNodes, name: &String| levels(class).iter().position(|it| it.name == *name);
        let agree = |one: &ClassOfNodes, other: &ClassOfNodes| {
            let both = names.iter().filter_map(|name| Some((place(one, name)?, place(other, name)?)));
            let mut both: Vec<(usize, usize)> = both.collect();
            both.sort_unstable();
            both.is_sorted_by_key(|it| it.1)
        };
        let all_agree = classes.iter().all(|one| classes.iter().all(|other| agree(one, other)));
        all_agree.then_some(LevelNames(names))
    }
    /// Returns the number of each level of a class; that of full speed is 0.
    pub(crate) fn numbers(&self, class: &ClassOfNodes) -> Vec<u32> {
        let number = |level: &LevelOfNode| self.0.iter().position(|name| *name == level.name);
        levels(class).iter().filter_map(number).map(|at| at as u32 + 1).collect()
    }
    /// Returns the number of the last level; 0 if there are none below full speed.
    pub(crate) fn last(&self) -> u32 {
        self.0.len() as u32
    }
}
