//! Search effort by problem size.

use crate::repair::Style;

/// Search effort for a problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Number of repairs of each placement at a yield.
    pub(crate) repairs: usize,
    /// Number of repairs at the first yield, whose failure would end the search without a result.
    pub(crate) first_repairs: usize,
    /// Number of steps to the highest yield if none is skipped.
    pub(crate) steps: u32,
    /// Number of steps, in all, of the finest step size; steps are halved down to it where no repair
    /// succeeds.
    pub(crate) finest_steps: u32,
    /// Climbs, of which the best counts: true if the climb also repairs a packing from scratch, in
    /// addition to the current placement and the one found before. A packing reaches a higher yield
    /// than the current placement, but moves more.
    pub(crate) from_packed: &'static [bool],
    /// Number of consecutive failures after which the climb ends.
    pub(crate) max_failures: u32,
    /// True if repairs are improved, task by task and by exchanges between two nodes, and followed
    /// by a search.
    pub(crate) reduces_cost: bool,
}

impl Effort {
    /// Returns the effort for a number of tasks: the fewer tasks, the more effort.
    pub(crate) fn for_tasks(tasks: usize) -> Effort {
        const BOTH: &[bool] = &[false, true];
        let repairs = (256 / tasks.max(1)).clamp(1, 64);
        let coarse = |steps| Effort {
            repairs: 1,
            first_repairs: 4,
            steps,
            finest_steps: steps,
            from_packed: &[false],
            max_failures: 2,
            reduces_cost: false,
        };
        match tasks {
            0..64 => Effort {
                repairs,
                first_repairs: 16 * repairs,
                from_packed: &[true],
                max_failures: 32,
                reduces_cost: true,
                ..coarse(512)
            },
            64..256 => Effort {
                repairs,
                first_repairs: 16 * repairs,
                from_packed: BOTH,
                finest_steps: 128,
                max_failures: 8,
                ..coarse(64)
            },
            2048.. => Effort { from_packed: BOTH, ..coarse(32) },
            _ => Effort { from_packed: BOTH, finest_steps: 128, ..coarse(24) },
        }
    }

    /// Yields the repair styles for one yield after the other: the undisturbed styles, then
    /// different disturbed ones each time, so that a repair that fails by chance at one yield may
    /// succeed at the next.
    pub(crate) fn styles(self) -> impl Iterator<Item = impl Iterator<Item = Style>> {
        (0usize..).map(move |turn| {
            let tried = if turn == 0 { self.first_repairs } else { self.repairs };
            let plain = Style::PLAIN.min(tried);
            let disturbed = Style::PLAIN + turn * self.first_repairs;
            (0..plain).chain(disturbed..disturbed + tried - plain).map(Style::numbered)
        })
    }
}
