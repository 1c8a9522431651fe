//! What the dissertation says of the second phase with VP_CPSUM (section 4.4.7).

use super::{Check, Statement, all_large, falls, mean, numbered};
use crate::published::TABLE_4_7;
use crate::results::Results;
use dfrsim_offline::instances::DissertationScenario;

const SOURCE: &str = "dissertation, section 4.4.7";

pub(super) const STATEMENTS: &[Statement] = &[
    Statement(
        SOURCE,
        "raising the yield that can rise most, again and again, gives the greatest average yield",
        |results| {
            let part = all_large(results)?;
            let metric = |name| results.metric("VP_CPSUM", name);
            let columns = [metric("average_yield")?, metric("average_yield_by_rule")?];
            let gaps = part.values_of_both(columns, |greatest, by_rule| Some(greatest - by_rule));
            let short = part.values_of_both(columns, |greatest, by_rule| {
                Some(greatest - by_rule).filter(|gap| *gap > 1e-5)
            });
            let detail = format!("short on {} of {}, by {:.4} at most", short.len(), gaps.len(), gaps.max()?);
            Some(Check::new(short.len() == 0, detail))
        },
    ),
    Statement(
        "dissertation, table 4.7",
        "each utilisation is within 1.5 points of the published one",
        |results| {
            let mut far = Vec::new();
            let mut count = 0;
            for ([dimensions, jobs], published) in TABLE_4_7.lines::<2, 2>() {
                for (metric, theirs) in ["utilisation", "raised_utilisation"].into_iter().zip(published) {
                    let of = |of: &DissertationScenario| {
                        of.dimensions.to_string() == dimensions && of.jobs.to_string() == jobs
                    };
                    let own = used(results, metric, of)?;
                    count += 1;
                    if (own - theirs).abs() > 1.5 {
                        far.push(format!("D {dimensions} J {jobs} {own:.2} for {theirs:.2}"));
                    }
                }
            }
            Some(Check::new(
                far.is_empty(),
                format!("{} of {count}{}", count - far.len(), super::listed(&far)),
            ))
        },
    ),
    Statement(SOURCE, "utilisation falls as D grows, for each number of jobs", |results| {
        by_size(results, |of| {
            ["100", "200", "500"].iter().try_fold(true, |holds, jobs| {
                let all: Option<Vec<f64>> =
                    ["2", "4", "6"].iter().map(|dimensions| of(dimensions, jobs)).collect();
                Some(holds && falls(&all?, 0.0))
            })
        })
    }),
    Statement(
        SOURCE,
        "utilisation grows with the number of jobs, but for D = 2 from 200 to 500",
        |results| {
            by_size(results, |of| {
                let grows = |dimensions| {
                    Some(
                        of(dimensions, "100")? < of(dimensions, "200")?
                            && of(dimensions, "200")? < of(dimensions, "500")?,
                    )
                };
                Some(
                    grows("4")?
                        && grows("6")?
                        && of("2", "100")? < of("2", "500")?
                        && of("2", "500")? < of("2", "200")?,
                )
            })
        },
    ),
    Statement(
        SOURCE,
        "the second phase improves utilisation noticeably: by 1 point or more on average",
        |results| {
            let [before, after] =
                ["utilisation", "raised_utilisation"].map(|metric| used(results, metric, |_| true));
            let by = after? - before?;
            let theirs = mean(TABLE_4_7.lines::<2, 2>().map(|(_, [before, after])| after - before))?;
            let check = Check::new(by >= 1.0, format!("{by:.2} points"));
            Some(check.values(by, Some(theirs)).published(theirs >= 1.0))
        },
    ),
    Statement(
        SOURCE,
        "utilisation improves marginally as the slack grows: from 0.1 to 0.9, by 10 points at most",
        |results| {
            let [tight, loose] =
                [0.1, 0.9].map(|slack| used(results, "utilisation", move |of| of.slack == slack));
            let by = loose? - tight?;
            Some(Check::new((0.0..=10.0).contains(&by), format!("{by:.2} points")).values(by, None))
        },
    ),
    Statement(SOURCE, "rho and sigma have a negligible impact on utilisation: 3 points at most", |results| {
        let rho = [0.0, 0.25, 0.5].map(|rho| used(results, "utilisation", move |of| of.rho == rho));
        let sigma = [0.25, 0.5, 1.0].map(|sigma| used(results, "utilisation", move |of| of.sigma == sigma));
        let all: Vec<(String, f64)> = ["rho 0", "rho 0.25", "rho 0.5", "sigma 0.25", "sigma 0.5", "sigma 1"]
            .into_iter()
            .zip(rho.into_iter().chain(sigma))
            .map(|(name, used)| Some((name.to_owned(), used?)))
            .collect::<Option<_>>()?;
        let range = |all: &[(String, f64)]| {
            let of = |start, pick: fn(f64, f64) -> f64| all.iter().map(|each| each.1).fold(start, pick);
            of(f64::MIN, f64::max) - of(f64::MAX, f64::min)
        };
        Some(Check::new(range(&all[..3]) <= 3.0 && range(&all[3..]) <= 3.0, numbered(&all)))
    }),
];

/// The mean of a utilisation with VP_CPSUM over some of the dissertation's instances, in percent.
fn used(results: &Results<'_>, metric: &str, keep: impl Fn(&DissertationScenario) -> bool) -> Option<f64> {
    let part = results.with(&all_large(results)?, keep);
    Some(100.0 * part.values(results.metric("VP_CPSUM", metric)?).mean()?)
}

/// The utilisation of table 4.7 for numbers of resources and jobs.
type Sizes<'a> = &'a dyn Fn(&str, &str) -> Option<f64>;

fn by_size(results: &Results<'_>, holds: impl Fn(Sizes<'_>) -> Option<bool>) -> Option<Check> {
    let own = |dimensions: &str, jobs: &str| {
        used(results, "utilisation", |of| {
            of.dimensions.to_string() == dimensions && of.jobs.to_string() == jobs
        })
    };
    let published =
        |dimensions: &str, jobs: &str| TABLE_4_7.find::<2, 2>([dimensions, jobs]).map(|line| line[0]);
    Check::of_both::<Sizes<'_>>(&own, &published, |of| {
        let all: Option<Vec<(String, f64)>> = (TABLE_4_7.lines::<2, 2>())
            .map(|([dimensions, jobs], _)| Some((format!("D {dimensions} J {jobs}"), of(dimensions, jobs)?)))
            .collect();
        Some((holds(of)?, numbered(&all?)))
    })
}
