//! Carbon intensity and price of energy over time, as sums from the first interval on.

use dfrsim_model::event::Record;

/// Series of values for a kilowatt-hour, with their sums over time.
#[derive(Debug, Default)]
pub(crate) struct Series {
    begins: Vec<u64>,
    end: u64,
    carbon: Vec<i128>,
    price: Vec<i128>,
    /// Sums of the values times microseconds until the begin of each interval.
    carbon_before: Vec<i128>,
    price_before: Vec<i128>,
}

/// Returns the sums of values times microseconds until the begin of each interval.
fn sums(begins: &[u64], values: &[i128]) -> Vec<i128> {
    let mut sum = 0_i128;
    let mut all = vec![0];
    for (pair, value) in begins.windows(2).zip(values) {
        sum = sum.saturating_add(value.saturating_mul((pair[1] - pair[0]).into()));
        all.push(sum);
    }
    all
}

impl Series {
    /// Creates the series of a record; `None` if its intervals do not rise or have no values.
    pub(crate) fn of(record: &Record<'_>) -> Option<Series> {
        let Record::Series { begins_us, end_us, carbon_mg, price_millionths } = record else { return None };
        let rises = begins_us.windows(2).all(|pair| pair[0] < pair[1]);
        let ends = begins_us.last().is_some_and(|last| last < end_us);
        let lengths = [carbon_mg.len(), price_millionths.len()];
        let has_values = lengths.iter().all(|length| [0, begins_us.len()].contains(length));
        if !rises || !ends || !has_values || lengths == [0, 0] {
            return None;
        }
        let carbon: Vec<i128> = carbon_mg.iter().map(|value| (*value).into()).collect();
        let price: Vec<i128> = price_millionths.iter().map(|value| (*value).into()).collect();
        Some(Series {
            carbon_before: sums(begins_us, &carbon),
            price_before: sums(begins_us, &price),
            begins: begins_us.clone(),
            end: *end_us,
            carbon,
            price,
        })
    }

    pub(crate) fn has_carbon(&self) -> bool {
        !self.carbon.is_empty()
    }
    pub(crate) fn has_price(&self) -> bool {
        !self.price.is_empty()
    }

    /// Returns the sums of carbon intensities and prices times microseconds from the first interval until a
    /// time. They do not change after the last interval.
    fn until(&self, time: u64) -> [i128; 2] {
        let time = time.min(self.end);
        let Some(at) = self.begins.partition_point(|begin| *begin <= time).checked_sub(1) else {
            return [0, 0];
        };
        let inside = i128::from(time - self.begins[at]);
        let sum = |values: &[i128], before: &[i128]| {
            let value = values.get(at).copied().unwrap_or(0);
            before.get(at).copied().unwrap_or(0).saturating_add(value.saturating_mul(inside))
        };
        [sum(&self.carbon, &self.carbon_before), sum(&self.price, &self.price_before)]
    }

    /// Returns the carbon and the price of a constant power between two times.
    pub(crate) fn between(&self, power: u128, from: u64, until: u64) -> [i128; 2] {
        let power = i128::try_from(power).unwrap_or(i128::MAX);
        let (before, after) = (self.until(from), self.until(until));
        [0, 1].map(|at| after[at].saturating_sub(before[at]).saturating_mul(power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_each_microsecond() {
        let (begins, values) = ([2, 5, 6, 10], [3, 0, 7, 1]);
        let record = Record::Series {
            begins_us: begins.to_vec(),
            end_us: 12,
            carbon_mg: values.to_vec(),
            price_millionths: values.iter().map(|value| -(*value as i64)).collect(),
        };
        let series = Series::of(&record).unwrap();
        let at = |time: u64| match begins.partition_point(|begin| *begin <= time) {
            0 => 0,
            _ if time >= 12 => 0,
            place => i128::from(values[place - 1]),
        };
        for from in 0..15 {
            for until in from..15 {
                let sum: i128 = (from..until).map(at).sum();
                assert_eq!(series.between(10, from, until), [10 * sum, -10 * sum], "{from} to {until}");
            }
        }
    }
}
