//! Named streams of random numbers.

use rand::SeedableRng;

/// Random number generator of every stream: ChaCha with 8 rounds, reproducible on every machine.
pub type Rng = rand_chacha::ChaCha8Rng;

/// Seed from which named and numbered seeds are forked.
///
/// A stream depends only on the path of names that leads to it, so adding a policy or a workload
/// never changes the random numbers of another one.
///
/// ```
/// use dfrsim_model::Seed;
/// let study = Seed::new(1);
/// assert_ne!(study.fork("workload").numbered(3), study.fork("workload").numbered(4));
/// assert_eq!(study.fork("workload"), Seed::new(1).fork("workload"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(u64);

impl Default for Seed {
    /// Returns the seed 1, the default of all commands and libraries of this project.
    fn default() -> Seed {
        Seed(1)
    }
}

impl Seed {
    /// Creates a seed from a number that the user gives.
    pub const fn new(seed: u64) -> Seed {
        Seed(seed)
    }
    /// Creates the seed of a named stream.
    #[must_use]
    pub fn fork(self, name: &str) -> Seed {
        // FNV-1a over the name, then mixed, as the hashes of short names differ in few bits.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Seed(mix(mix(self.0) ^ hash))
    }
    /// Creates the seed of a numbered stream (a trace, a sample, a job).
    #[must_use]
    pub fn numbered(self, number: u64) -> Seed {
        Seed(
            mix(mix(self.0).wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) ^ 0x5851_f42d_4c95_7f2d),
        )
    }
    /// Creates the generator of the stream in its initial state.
    #[must_use]
    pub fn rng(self) -> Rng {
        Rng::seed_from_u64(self.0)
    }
    /// Returns the seed as a number.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }
}

/// Mixes the bits of a value: the finaliser of SplitMix64 (Steele, Lea and Flood 2014), a bijection.
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng as _;

    /// Published results depend on these numbers: a change of the generator or of forking must make
    /// this test fail.
    #[test]
    fn golden_values_of_a_stream() {
        let mut rng = Seed::new(1).fork("workload").numbered(0).rng();
        let first: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(first, GOLDEN);
    }
    const GOLDEN: [u64; 3] =
        [13_490_162_224_998_512_842, 2_529_418_411_477_719_171, 1_330_219_702_014_387_924];
}
