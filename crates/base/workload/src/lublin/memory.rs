//! Memory of synthetic jobs, which the model itself does not define.

use super::{AssumptionError, fraction};
use dfrsim_model::{Rng, Seed, Share};
use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Distribution of the memory per task, which is equal for all tasks of a job.
///
/// The default is that of the on-line study: multiples of a tenth of a node (dissertation, section
/// 5.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryModel {
    /// No memory.
    None,
    /// Constant memory for all jobs.
    Constant(#[serde(with = "fraction")] Share),
    /// Uniform distribution between two bounds.
    Uniform(UniformMemory),
    /// One unit with some probability, otherwise several units.
    Multiples(MemoryMultiples),
}

impl Default for MemoryModel {
    fn default() -> MemoryModel {
        MemoryModel::Multiples(MemoryMultiples::default())
    }
}

/// Uniformly distributed memory between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Bounds")]
pub struct UniformMemory {
    #[serde(serialize_with = "fraction::serialize")]
    from: Share,
    #[serde(serialize_with = "fraction::serialize")]
    to: Share,
}

impl UniformMemory {
    /// Creates the distribution over the closed interval from `from` to `to`.
    ///
    /// # Errors
    ///
    /// The lower bound is above the upper bound.
    pub fn new(from: Share, to: Share) -> Result<UniformMemory, AssumptionError> {
        if from > to {
            return Err(AssumptionError::Bounds { from: from.as_f64(), to: to.as_f64() });
        }
        Ok(UniformMemory { from, to })
    }
}

/// One unit of memory with some probability, otherwise from two to the maximum number of units, with
/// equal probabilities.
///
/// The default is a tenth of a node with probability 0.55, otherwise two to ten tenths.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Multiples")]
pub struct MemoryMultiples {
    #[serde(serialize_with = "fraction::serialize")]
    unit: Share,
    single_probability: f64,
    most: u32,
}

impl MemoryMultiples {
    /// Creates the distribution over the multiples of `unit`, up to `most` units.
    ///
    /// # Errors
    ///
    /// The probability is outside [0, 1], `most` is less than two, or `most` units exceed a node.
    pub fn new(unit: Share, single_probability: f64, most: u32) -> Result<MemoryMultiples, AssumptionError> {
        if !(0.0..=1.0).contains(&single_probability) {
            return Err(AssumptionError::Probability(single_probability));
        }
        let fits = u64::from(unit.units()) * u64::from(most) <= u64::from(Share::ONE.units());
        if most < 2 || !fits {
            return Err(AssumptionError::Most { most, unit: unit.as_f64() });
        }
        Ok(MemoryMultiples { unit, single_probability, most })
    }
}

impl Default for MemoryMultiples {
    fn default() -> MemoryMultiples {
        MemoryMultiples { unit: Share::from_ratio(1, 10), single_probability: 0.55, most: 10 }
    }
}

/// Generator of the memory per task for a sequence of jobs.
///
/// The numbers are drawn from the stream `memory` of the workload's seed, so that a generated
/// workload and its exported log, read with the same seed, agree.
pub struct MemoryStream {
    model: MemoryModel,
    rng: Rng,
}

impl MemoryStream {
    /// Creates the generator for the workload with this seed.
    pub fn new(workload: Seed, model: MemoryModel) -> MemoryStream {
        MemoryStream { model, rng: workload.fork("memory").rng() }
    }
    /// Draws the memory per task of the next job, in the order of submission.
    pub fn draw(&mut self) -> Share {
        let units = match self.model {
            MemoryModel::None => 0,
            MemoryModel::Constant(memory) => memory.units(),
            MemoryModel::Uniform(UniformMemory { from, to }) => {
                self.rng.random_range(from.units()..=to.units())
            }
            MemoryModel::Multiples(MemoryMultiples { unit, single_probability, most }) => {
                // Drawn with 64 bits, as a change would change published results.
                let single = self.rng.random_bool(single_probability);
                let count = if single { 1 } else { self.rng.random_range(2..=u64::from(most)) };
                unit.units() * count as u32
            }
        };
        Share::try_from_units(units).expect("no model exceeds a node")
    }
}

impl fmt::Display for MemoryModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryModel::None => f.write_str("none"),
            MemoryModel::Constant(memory) => write!(f, "{} of a node", memory.as_f64()),
            MemoryModel::Uniform(UniformMemory { from, to }) => {
                write!(f, "uniform from {} to {} of a node", from.as_f64(), to.as_f64())
            }
            MemoryModel::Multiples(MemoryMultiples { unit, single_probability, most }) => {
                let unit = unit.as_f64();
                write!(
                    f,
                    "{unit} of a node with probability {single_probability}, otherwise 2 to {most} times that"
                )
            }
        }
    }
}

/// Bounds as they appear in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    #[serde(with = "fraction")]
    from: Share,
    #[serde(with = "fraction")]
    to: Share,
}

impl TryFrom<Bounds> for UniformMemory {
    type Error = AssumptionError;

    fn try_from(Bounds { from, to }: Bounds) -> Result<UniformMemory, AssumptionError> {
        UniformMemory::new(from, to)
    }
}

/// Multiples as they appear in a file.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Multiples {
    #[serde(with = "fraction")]
    unit: Share,
    single_probability: f64,
    most: u32,
}

impl Default for Multiples {
    fn default() -> Multiples {
        let MemoryMultiples { unit, single_probability, most } = MemoryMultiples::default();
        Multiples { unit, single_probability, most }
    }
}

impl TryFrom<Multiples> for MemoryMultiples {
    type Error = AssumptionError;

    fn try_from(multiples: Multiples) -> Result<MemoryMultiples, AssumptionError> {
        MemoryMultiples::new(multiples.unit, multiples.single_probability, multiples.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct File {
        memory: MemoryModel,
    }

    fn read(text: &str) -> Result<MemoryModel, String> {
        let file: Result<File, toml::de::Error> = toml::from_str(&format!("memory = {text}"));
        file.map(|file| file.memory).map_err(|error| error.message().to_owned())
    }
    fn draws(model: MemoryModel, count: usize) -> Vec<f64> {
        let mut stream = MemoryStream::new(Seed::new(1), model);
        (0..count).map(|_| stream.draw().as_f64()).collect()
    }

    #[test]
    fn models_read_from_what_they_write() {
        let half = Share::from_ratio(1, 2);
        let cases = [
            ("\"none\"", MemoryModel::None),
            ("{ constant = 0.5 }", MemoryModel::Constant(half)),
            (
                "{ uniform = { from = 0, to = 0.5 } }",
                MemoryModel::Uniform(UniformMemory::new(Share::ZERO, half).unwrap()),
            ),
            ("{ multiples = {} }", MemoryModel::default()),
            (
                "{ multiples = { unit = 0.5, single_probability = 0.9, most = 2 } }",
                MemoryModel::Multiples(MemoryMultiples::new(half, 0.9, 2).unwrap()),
            ),
        ];
        for (text, memory) in cases {
            assert_eq!(read(text), Ok(memory), "{text}");
            let written = toml::to_string(&File { memory }).unwrap();
            assert_eq!(toml::from_str(&written), Ok(File { memory }), "{written}");
        }
    }

    #[test]
    fn wrong_models_are_refused() {
        let cases = [
            ("{ constant = -0.1 }", "expected a fraction of a node from 0 to 1, found -0.1"),
            (
                "{ uniform = { from = 0.5, to = 0.25 } }",
                "the lower bound of memory, 0.5, is above the upper bound, 0.25",
            ),
            ("{ multiples = { single_probability = 1.5 } }", "expected a probability from 0 to 1, found 1.5"),
            (
                "{ multiples = { unit = 0.25 } }",
                "expected a maximum of at least 2 units, and at most one node, found 10 units of 0.25",
            ),
            (
                "{ multiples = { most = 1 } }",
                "expected a maximum of at least 2 units, and at most one node, found 1 units of 0.1",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(read(text).unwrap_err(), message, "{text}");
        }
        assert!(read("{ uniform = { from = 0.5 } }").unwrap_err().contains("missing field `to`"));
        assert!(read("{ multiples = { probability = 1 } }").unwrap_err().contains("unknown field"));
        assert!(read("\"some\"").unwrap_err().contains("unknown variant"));
    }

    /// Means of 10,000 draws lie within five standard errors, 5 * (width / sqrt 12) / 100, of the
    /// expected values.
    #[test]
    fn draws_follow_the_model() {
        assert_eq!(draws(MemoryModel::None, 3), [0.0; 3]);
        assert_eq!(draws(read("{ constant = 0.3 }").unwrap(), 3), [0.3; 3]);
        let mean = |model: &str| {
            let drawn = draws(read(model).unwrap(), 10_000);
            drawn.iter().sum::<f64>() / drawn.len() as f64
        };
        let uniform = mean("{ uniform = { from = 0.2, to = 0.6 } }");
        assert!((uniform - 0.4).abs() < 0.006, "{uniform}");
        // 0.55 * 0.1 + 0.45 * 0.6; the width is at most that of 0.1 to 1.
        let study = mean("{ multiples = {} }");
        assert!((study - 0.325).abs() < 0.02, "{study}");
        let never_single = draws(read("{ multiples = { single_probability = 0, most = 2 } }").unwrap(), 100);
        assert!(never_single.iter().all(|&memory| memory == 0.2));
    }

    proptest! {
        /// Every valid model draws memory between its bounds.
        #[test]
        fn draws_stay_within_the_model(
            ends in prop::array::uniform2(0..=Share::ONE.units()), probability in 0.0..=1.0, most in 2_u32..100,
        ) {
            let [from, to] = ends.map(|units| Share::try_from_units(units).unwrap());
            let seed = Seed::new(1);
            let bounds = UniformMemory::new(from.min(to), from.max(to)).unwrap();
            let memory = MemoryStream::new(seed, MemoryModel::Uniform(bounds)).draw();
            prop_assert!(from.min(to) <= memory && memory <= from.max(to));
            if let Ok(multiples) = MemoryMultiples::new(from, probability, most) {
                let memory = MemoryStream::new(seed, MemoryModel::Multiples(multiples)).draw();
                prop_assert!(from <= memory && memory.units() <= from.units() * most);
            }
        }
    }
}
