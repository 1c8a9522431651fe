//! Powers of one half.

use super::ONE;

/// Natural logarithm of 2 in units of 2^-62.
const LN_2: u128 = 3_196_577_161_300_663_914;

/// Computes 2^-x for x in units of 2^-32, in units of 2^-32, rounded down. It is e^(-y) by a power
/// series with 62 binary digits after the point, where y is the fractional part of x times ln 2,
/// shifted by the integral part.
pub(super) fn half_to_the(x: u128) -> u128 {
    let (whole, part) = (x / ONE, x % ONE);
    if whole > 32 {
        return 0;
    }
    let y = part * LN_2 / ONE;
    let (mut sum, mut term) = (1_i128 << 62, 1_u128 << 62);
    for power in 1.. {
        term = ((term * y) >> 62) / power;
        if term == 0 {
            break;
        }
        let term = term as i128;
        sum += if power % 2 == 1 { -term } else { term };
    }
    (sum as u128 >> 30) >> whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_one_half() {
        assert_eq!([0, 1, 2, 32, 33].map(|it| half_to_the(it * ONE)), [ONE, ONE / 2, ONE / 4, 1, 0]);
        // The digits of the square root of one half, 0.7071067811865475244.
        assert_eq!(half_to_the(ONE / 2), 3_037_000_499);
        assert!((LN_2 as f64 / (1_u64 << 62) as f64 - std::f64::consts::LN_2).abs() < 1e-15);
    }
}
