//! Parameters of the model.

use super::{CpuNeeds, MemoryModel};
use dfrsim_model::named;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

named! {
    /// A variant of the model.
    #[derive(Default)]
    pub enum Mode as "mode of the Lublin model" {
        /// Two independent streams, batch and interactive, merged.
        #[default]
        Typed = "typed",
        /// A single stream fitted to all jobs.
        Typeless = "typeless",
    }
}

named! {
    /// The class of a job.
    pub enum Class as "job class" {
        /// A job of the typeless mode.
        Typeless = "typeless",
        /// A batch job of the typed mode.
        Batch = "batch",
        /// An interactive job of the typed mode.
        Interactive = "interactive",
    }
}

impl Mode {
    /// Returns the streams of the mode. If two arrivals coincide, the earlier stream in this list
    /// goes first.
    pub(super) const fn classes(self) -> &'static [Class] {
        match self {
            Mode::Typed => &[Class::Interactive, Class::Batch],
            Mode::Typeless => &[Class::Typeless],
        }
    }
}

/// Parameters of a synthetic workload.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LublinParameters {
    /// Number of nodes of the machine, which is also the maximum size of a job. The model was fitted
    /// to 128.
    pub nodes: NonZeroU32,
    /// Number of jobs.
    pub jobs: usize,
    /// Variant of the model.
    pub mode: Mode,
    /// CPU needs of tasks, as fractions of a node's CPU.
    pub cpu: CpuNeeds,
    /// Memory of tasks, as fractions of a node's memory.
    pub memory: MemoryModel,
}

impl Default for LublinParameters {
    /// Returns the parameters of the on-line study: 1,000 jobs for 128 nodes, typed, with its CPU
    /// needs and memory.
    fn default() -> LublinParameters {
        LublinParameters {
            nodes: const { NonZeroU32::new(128).unwrap() },
            jobs: 1_000,
            mode: Mode::Typed,
            cpu: CpuNeeds::default(),
            memory: MemoryModel::default(),
        }
    }
}

/// Shape and scale of a gamma distribution; its mean is their product.
pub(super) type GammaParameters = (f64, f64);

/// Parameters of one stream, named as in the authors' reference program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClassParameters {
    /// Probability of a serial job.
    pub(super) serial_prob: f64,
    /// Probability of a parallel job whose size is a power of two.
    pub(super) pow2_prob: f64,
    /// Two-stage uniform distribution of log2(size): its minimum, breakpoint and maximum, and the
    /// probability of the lower stage.
    pub(super) u_low: f64,
    pub(super) u_med: f64,
    pub(super) u_hi: f64,
    pub(super) u_prob: f64,
    /// The two gamma distributions of ln(run time).
    pub(super) short: GammaParameters,
    pub(super) long: GammaParameters,
    /// Coefficients of the probability of the first distribution, `pa * size + pb`.
    pub(super) pa: f64,
    pub(super) pb: f64,
    /// Gamma distribution of ln(inter-arrival time) in the rush hours, whose shape `arar` scales for
    /// the whole day.
    pub(super) arrival: GammaParameters,
    pub(super) arar: f64,
    /// Gamma distribution of the time of day of arrivals, in half hours.
    pub(super) daily: GammaParameters,
}

/// Number of nodes of the machines that the parameters were fitted to.
const FITTED_NODES: u32 = 128;

const TYPELESS: ClassParameters = published(0);
const BATCH: ClassParameters = published(1);
const INTERACTIVE: ClassParameters = published(2);

/// Returns the published parameters: 0 is typeless, 1 batch, 2 interactive.
const fn published(class: usize) -> ClassParameters {
    ClassParameters {
        serial_prob: [0.244, 0.2927, 0.1541][class],
        pow2_prob: [0.576, 0.6686, 0.625][class],
        u_low: [0.8, 1.2, 1.0][class],
        u_med: [4.5, 5.0, 3.0][class],
        u_hi: [7.0, 7.0, 5.5][class],
        u_prob: [0.86, 0.875, 0.705][class],
        short: [(4.2, 0.94), (6.57, 0.823), (3.8351, 0.6605)][class],
        long: [(312.0, 0.03), (639.1, 0.0156), (7.073, 0.6856)][class],
        pa: [-0.0054, -0.003, -0.0118][class],
        pb: [0.78, 0.6986, 0.9156][class],
        arrival: [(10.2303, 0.4871), (6.0415, 0.8531), (6.5510, 0.6621)][class],
        arar: [1.0225, 1.0519, 0.9797][class],
        daily: [(8.1737, 3.9631), (6.1271, 5.2740), (8.9186, 3.6680)][class],
    }
}

impl ClassParameters {
    /// Returns the parameters of a class on a machine with this number of nodes: those published for
    /// 128, with `u_med` and `u_hi` shifted by log2(nodes / 128). The largest jobs of a class thus
    /// keep their part of the machine, and sizes change continuously with it.
    ///
    /// On machines so small that the shifted bounds would fall below `u_low`, they are `u_low`, which
    /// is itself at most log2(nodes).
    pub(super) fn of(class: Class, nodes: NonZeroU32) -> ClassParameters {
        let published = match class {
            Class::Typeless => TYPELESS,
            Class::Batch => BATCH,
            Class::Interactive => INTERACTIVE,
        };
        let log_nodes = f64::from(nodes.get()).log2();
        let shift = log_nodes - f64::from(FITTED_NODES).log2();
        let u_low = published.u_low.min(log_nodes);
        let shifted = |bound: f64| (bound + shift).max(u_low);
        ClassParameters { u_low, u_med: shifted(published.u_med), u_hi: shifted(published.u_hi), ..published }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_keep_the_order_of_the_bounds() {
        for nodes in (1..300).chain([1024, 4_000_000_000]).filter_map(NonZeroU32::new) {
            for &class in Class::ALL {
                let ClassParameters { u_low, u_med, u_hi, .. } = ClassParameters::of(class, nodes);
                assert!(0.0 <= u_low && u_low <= u_med && u_med <= u_hi, "{class} on {nodes}");
            }
        }
        let large = ClassParameters::of(Class::Batch, NonZeroU32::new(1024).unwrap());
        assert_eq!((large.u_low, large.u_med, large.u_hi), (1.2, 8.0, 10.0));
        let halved = ClassParameters::of(Class::Interactive, NonZeroU32::new(64).unwrap());
        assert_eq!((halved.u_low, halved.u_med, halved.u_hi), (1.0, 2.0, 4.5));
    }

    /// One node more or less shifts the bounds by log2(129 / 128) = 0.0112 and log2(128 / 127) =
    /// 0.0113.
    #[test]
    fn the_fitted_machine_is_no_exception() {
        let bounds = |class, nodes| {
            let ClassParameters { u_low, u_med, u_hi, .. } = ClassParameters::of(class, nodes);
            [u_low, u_med, u_hi]
        };
        let [fewer, fitted, more] = [127, 128, 129].map(|nodes| NonZeroU32::new(nodes).unwrap());
        for (place, &class) in [Class::Typeless, Class::Batch, Class::Interactive].iter().enumerate() {
            assert_eq!(ClassParameters::of(class, fitted), published(place), "{class}");
            for near in [fewer, more] {
                let steps = bounds(class, near).into_iter().zip(bounds(class, fitted));
                assert!(steps.clone().all(|(a, b)| (a - b).abs() < 0.012), "{class} on {near}");
            }
        }
    }
}
