//! How the policies of a sweep stand while it runs.

use dfrsim_legacy::Row;
use std::collections::BTreeMap;

/// The figures of each policy over what is finished so far.
#[derive(Debug, Default)]
pub(super) struct Standings {
    policies: BTreeMap<String, Standing>,
    failed: usize,
}

#[derive(Debug, Default)]
struct Standing {
    done: usize,
    failed: usize,
    sum: f64,
    max: f64,
}

impl Standing {
    fn mean(&self) -> f64 {
        self.sum / (self.done - self.failed) as f64
    }
}

impl Standings {
    /// One more simulation; of several taus the first counts.
    pub(super) fn add(&mut self, rows: &[Row]) {
        let Some(row) = rows.first() else { return };
        let standing = self.policies.entry(row.cell.policy.clone()).or_default();
        standing.done += 1;
        match &row.outcome {
            Ok(figures) => {
                standing.sum += figures.degradation;
                standing.max = standing.max.max(figures.degradation);
            }
            Err(_) => {
                standing.failed += 1;
                self.failed += 1;
            }
        }
    }

    /// The policies that have figures, the best mean first.
    fn ranking(&self) -> Vec<(&str, &Standing)> {
        let with_figures = self.policies.iter().filter(|(_, standing)| standing.done > standing.failed);
        let mut ranking: Vec<(&str, &Standing)> =
            with_figures.map(|(name, standing)| (name.as_str(), standing)).collect();
        ranking.sort_by(|a, b| a.1.mean().total_cmp(&b.1.mean()));
        ranking
    }

    /// In one line.
    pub(super) fn line(&self, finished: usize, total: usize) -> String {
        let mut line = format!("{finished} of {total} simulations, {} failed", self.failed);
        let ranking = self.ranking();
        if let (Some((best, low)), Some((worst, high))) = (ranking.first(), ranking.last()) {
            line += &format!(
                "; mean degradation so far: best {best} {:.1}, worst {worst} {:.1}",
                low.mean(),
                high.mean()
            );
        }
        line
    }

    /// As a table of at most so many policies: if there are more, the best and the worst.
    pub(super) fn table(&self, most: usize) -> String {
        let ranking = self.ranking();
        let width = ranking.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("policy".len());
        let mut table =
            format!("{:width$}  {:>6}  {:>6}  {:>10}  {:>10}", "policy", "done", "failed", "mean", "max");
        let line = |&(name, standing): &(&str, &Standing)| {
            let Standing { done, failed, max, .. } = standing;
            format!("\n{name:width$}  {done:>6}  {failed:>6}  {:>10.2}  {max:>10.2}", standing.mean())
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
        for (name, standing) in self.policies.iter().filter(|(_, standing)| standing.done == standing.failed)
        {
            table += &format!("\n{name:width$}  {:>6}  {:>6}  all failed", standing.done, standing.failed);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_legacy::{News, RunOptions, Scenario, run};
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    /// The rows of a small run, with degradations 1, 2, 3, ... in the order of the policies.
    fn rows() -> Vec<Row> {
        let text = "study = 'online'\npolicies = ['FCFS', 'EASY', 'CONS', 'EQUIPARTITION']\n\
            [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { traces = 1, jobs = 20 }\n";
        let scenario = Scenario::parse(text, "few.toml", &[]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions { threads: 1, ..RunOptions::new(folder.path()) };
        let heard = Mutex::new(Vec::new());
        let listen = |news: &News<'_>| heard.lock().unwrap().extend_from_slice(news.rows);
        run(&scenario, &options, &AtomicBool::new(false), &listen).unwrap();
        let mut rows = heard.into_inner().unwrap();
        for (row, place) in rows.iter_mut().zip(1..) {
            row.outcome.as_mut().unwrap().degradation = f64::from(place);
        }
        rows
    }

    #[test]
    fn the_best_and_the_worst_are_told() {
        let mut standings = Standings::default();
        let mut rows = rows();
        for row in &rows {
            standings.add(std::slice::from_ref(row));
        }
        assert_eq!(
            standings.line(4, 9),
            "4 of 9 simulations, 0 failed; mean degradation so far: best FCFS 1.0, worst EQUIPARTITION 4.0"
        );
        // Another row of FCFS: mean (1 + 9) / 2. CONS fails from now on: its mean stays.
        rows[0].outcome.as_mut().unwrap().degradation = 9.0;
        rows[2].outcome = Err("it fails".to_owned());
        standings.add(&rows[0..1]);
        standings.add(&rows[2..3]);
        let table = standings.table(3);
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            lines,
            [
                vec!["policy", "done", "failed", "mean", "max"],
                vec!["EASY", "1", "0", "2.00", "2.00"],
                vec!["CONS", "2", "1", "3.00", "3.00"],
                vec!["...", "1", "more", "..."],
                vec!["FCFS", "2", "0", "5.00", "9.00"],
            ]
        );
    }

    #[test]
    fn a_policy_that_only_fails_is_listed() {
        let mut standings = Standings::default();
        let mut rows = rows();
        rows[0].outcome = Err("it fails".to_owned());
        standings.add(&rows[..1]);
        assert_eq!(standings.line(1, 1), "1 of 1 simulations, 1 failed");
        assert!(standings.table(5).ends_with("FCFS         1       1  all failed"), "{}", standings.table(5));
    }
}
