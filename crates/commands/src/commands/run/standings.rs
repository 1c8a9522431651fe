//! Ranking of the variants of a sweep by their results so far.

use dfrsim_lab::{Better, Step};
use std::collections::BTreeMap;
use std::time::Duration;

/// Width of the columns with numbers.
const NUMBERS: usize = 45;

/// Primary metric of each variant over the runs finished so far.
#[derive(Debug, Default)]
pub(super) struct Standings {
    finished: usize,
    total: usize,
    metric: Option<(&'static str, Better)>,
    variants: BTreeMap<String, Standing>,
    missing: usize,
}

#[derive(Debug)]
struct Standing {
    done: usize,
    missing: usize,
    sum: f64,
    worst: f64,
}

impl Standing {
    fn mean(&self) -> f64 {
        self.sum / (self.done - self.missing) as f64
    }
}

impl Standings {
    /// Adds the result of one more step.
    pub(super) fn add(&mut self, step: &Step<'_>) {
        // Steps of different threads may arrive out of order.
        self.finished = self.finished.max(step.finished);
        self.total = step.total;
        self.metric = step.primary;
        for (variant, value) in step.values {
            let none = Standing { done: 0, missing: 0, sum: 0.0, worst: f64::NAN };
            let standing = self.variants.entry(variant.clone()).or_insert(none);
            standing.done += 1;
            match (value, self.metric) {
                (Some(value), Some((_, better))) => {
                    standing.sum += value;
                    standing.worst = match better {
                        Better::Less => standing.worst.max(*value),
                        Better::More => standing.worst.min(*value),
                    };
                }
                _ => {
                    standing.missing += 1;
                    self.missing += 1;
                }
            }
        }
    }

    /// Returns the number of finished runs.
    pub(super) fn finished(&self) -> usize {
        self.finished
    }
    /// Returns the total number of runs; 0 until the first one has finished.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// Sorts the variants that have values by their mean, the best first.
    fn ranking(&self) -> Vec<(&str, &Standing)> {
        let with_values = self.variants.iter().filter(|(_, standing)| standing.done > standing.missing);
        let mut ranking: Vec<(&str, &Standing)> =
            with_values.map(|(name, standing)| (name.as_str(), standing)).collect();
        ranking.sort_by(|a, b| a.1.mean().total_cmp(&b.1.mean()));
        if self.metric.is_some_and(|(_, better)| better == Better::More) {
            ranking.reverse();
        }
        ranking
    }

    /// Formats the progress and the best and worst variants in one line.
    pub(super) fn line(&self, elapsed: Duration) -> String {
        let Standings { finished, total, .. } = self;
        let seconds = elapsed.as_secs_f64();
        if *total == 0 {
            return format!("no run has finished after {seconds:.0} s");
        }
        let rate = *finished as f64 / seconds.max(1e-9);
        let mut line = format!("{finished} of {total} runs, {rate:.1}/s");
        if self.missing > 0 {
            line += &format!(", {} without a result", self.missing);
        }
        let ranking = self.ranking();
        if let (Some((best, low)), [_, .., (worst, high)], Some((metric, _))) =
            (ranking.first(), ranking.as_slice(), self.metric)
        {
            let (low, high) = (low.mean(), high.mean());
            line += &format!("; mean {metric} so far: best {best} {low:.4}, worst {worst} {high:.4}");
        }
        line
    }

    /// Formats a table of at most `most` variants: if there are more, of the best and the worst
    /// ones. Names lose their middle where the table would be wider than `columns`.
    pub(super) fn table(&self, most: usize, columns: usize) -> String {
        let Some((metric, _)) = self.metric else { return String::new() };
        let ranking = self.ranking();
        let width = self.variants.keys().map(|name| name.chars().count()).max().unwrap_or(0);
        let width = width.min(columns.saturating_sub(NUMBERS)).max("variant".len());
        let mut table = format!(
            "{metric}\n{:width$}  {:>6}  {:>7}  {:>12}  {:>12}",
            "variant", "done", "missing", "mean", "worst"
        );
        let line = |&(name, standing): &(&str, &Standing)| {
            let Standing { done, missing, worst, .. } = standing;
            let name = shortened(name, width);
            format!("\n{name:width$}  {done:>6}  {missing:>7}  {:>12.4}  {worst:>12.4}", standing.mean())
        };
        if ranking.len() <= most {
            table.extend(ranking.iter().map(line));
        } else {
            let worst = most / 3;
            let best = most - worst;
            table.extend(ranking[..best].iter().map(line));
            table += &format!("\n... {} more ...", ranking.len() - most);
            table.extend(ranking[ranking.len() - worst..].iter().map(line));
        }
        for (name, standing) in self.variants.iter().filter(|(_, standing)| standing.done == standing.missing)
        {
            let name = shortened(name, width);
            table += &format!("\n{name:width$}  {:>6}  {:>7}  none", standing.done, standing.missing);
        }
        table
    }
}

/// Shortens a name to a number of characters, around an ellipsis: names differ at their ends.
fn shortened(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.to_owned();
    }
    let end = most / 2;
    let begin = most.saturating_sub(end + 1);
    letters[..begin].iter().chain(&['…']).chain(&letters[letters.len() - end..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(better: Better, values: &[(&str, Option<f64>)]) -> Standings {
        let mut standings = Standings::default();
        let primary = Some(("degradation", better));
        for (finished, (name, value)) in values.iter().enumerate() {
            let values = [((*name).to_owned(), *value)];
            standings.add(&Step { finished: finished + 1, total: 9, values: &values, primary });
        }
        standings
    }

    #[test]
    fn the_best_and_the_worst_are_listed() {
        let values = [("FCFS", Some(1.0)), ("EASY", Some(2.0)), ("CONS", Some(3.0)), ("EQUI", Some(4.0))];
        let line = |better| standings(better, &values).line(Duration::from_secs(2));
        assert_eq!(
            line(Better::Less),
            "4 of 9 runs, 2.0/s; mean degradation so far: best FCFS 1.0000, worst EQUI 4.0000"
        );
        assert!(line(Better::More).ends_with("best EQUI 4.0000, worst FCFS 1.0000"));
        // A second value for FCFS: mean (1 + 9) / 2. CONS fails once, which does not change its
        // mean.
        let more = [&values[..], &[("FCFS", Some(9.0)), ("CONS", None)]].concat();
        let table = standings(Better::Less, &more).table(3, usize::MAX);
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            lines,
            [
                vec!["degradation"],
                vec!["variant", "done", "missing", "mean", "worst"],
                vec!["EASY", "1", "0", "2.0000", "2.0000"],
                vec!["CONS", "2", "1", "3.0000", "3.0000"],
                vec!["...", "1", "more", "..."],
                vec!["FCFS", "2", "0", "5.0000", "9.0000"],
            ]
        );
    }

    #[test]
    fn a_first_run_that_takes_long_is_reported() {
        let line = Standings::default().line(Duration::from_secs(15));
        assert_eq!(line, "no run has finished after 15 s");
    }

    /// Keeps the numbers of a narrow terminal, not the middles of names.
    #[test]
    fn tables_are_as_wide_as_the_terminal() {
        let name = "GreedyPM*/per/OPT=MIN/MVT=600, penalty 300 s";
        let table = standings(Better::Less, &[(name, Some(1.0))]).table(5, 70);
        let line = table.lines().last().unwrap();
        assert!(line.starts_with("GreedyPM*/pe…enalty 300 s "), "{table}");
        assert!(line.ends_with("1.0000") && line.chars().count() == 70, "{table}");
    }

    #[test]
    fn a_variant_without_values_is_listed() {
        let standings = standings(Better::Less, &[("FCFS", None)]);
        assert_eq!(standings.line(Duration::from_secs(1)), "1 of 9 runs, 1.0/s, 1 without a result");
        assert!(
            standings.table(5, 80).ends_with("FCFS          1        1  none"),
            "{}",
            standings.table(5, 80)
        );
    }
}
