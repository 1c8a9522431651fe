//! How much is tried.

use crate::repair::Style;

/// How much is done for a problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// How many repairs of each placement are tried at a yield.
    pub(crate) repairs: usize,
    /// The same at the first yield, without which all is lost.
    pub(crate) first: usize,
    /// In how many steps the highest yield would be reached if none were skipped.
    pub(crate) steps: u32,
    /// Where no repair succeeds, steps are halved down to those of this many in all.
    pub(crate) finest_steps: u32,
    /// The climbs, the best of which counts: whether each repairs a packing from scratch beside the current placement and the one
    /// that it found before. A packing reaches a higher yield than the current placement, but moves more.
    pub(crate) from_packed: &'static [bool],
    /// After how many failures in a row there is no more hope.
    pub(crate) failures: u32,
    /// Whether repairs are made cheaper, task by task and by exchanges between two nodes, and a search follows them.
    pub(crate) economises: bool,
}

impl Effort {
    /// The more, the fewer tasks there are.
    pub(crate) fn for_tasks(tasks: usize) -> Effort {
        const BOTH: &[bool] = &[false, true];
        let repairs = (256 / tasks.max(1)).clamp(1, 64);
        let coarse = |steps| Effort {
            repairs: 1,
            first: 4,
            steps,
            finest_steps: steps,
            from_packed: &[false],
            failures: 2,
            economises: false,
        };
        match tasks {
            0..64 => Effort {
                repairs,
                first: 16 * repairs,
                from_packed: &[true],
                failures: 32,
                economises: true,
                ..coarse(512)
            },
            64..256 => Effort {
                repairs,
                first: 16 * repairs,
                from_packed: BOTH,
                finest_steps: 128,
                failures: 8,
                ..coarse(64)
            },
            2048.. => Effort { from_packed: BOTH, ..coarse(32) },
            _ => Effort { from_packed: BOTH, finest_steps: 128, ..coarse(24) },
        }
    }

    /// How the repairs are made at one yield after the other: the styles that are not disturbed, then others each time, so
    /// that what chance denies to one yield it may give to the next.
    pub(crate) fn styles(self) -> impl Iterator<Item = impl Iterator<Item = Style>> {
        (0usize..).map(move |turn| {
            let tried = if turn == 0 { self.first } else { self.repairs };
            let plain = Style::PLAIN.min(tried);
            let disturbed = Style::PLAIN + turn * self.first;
            (0..plain).chain(disturbed..disturbed + tried - plain).map(Style::numbered)
        })
    }
}
