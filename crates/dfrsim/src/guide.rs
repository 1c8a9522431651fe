// If a link has two definitions, the first one counts. `links.txt` has the definitions for this
// documentation; each page ends with its own, for readers of the files.
#![doc = include_str!("guide/links.txt")]
#![doc = include_str!("guide/README.md")]

/// Includes a page of `guide/` as a module.
macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = include_str!("guide/links.txt")]
        #[doc = include_str!($file)]
        pub mod $name {}
    };
}

page!(first_hour, "guide/first_hour.md");
page!(your_log, "guide/your_log.md");
page!(site, "guide/site.md");
page!(forecast, "guide/forecast.md");
page!(your_policy, "guide/your_policy.md");
page!(your_study, "guide/your_study.md");
page!(cluster_sweep, "guide/cluster_sweep.md");
page!(outages, "guide/outages.md");
page!(hosts, "guide/hosts.md");
page!(gpus, "guide/gpus.md");
page!(power, "guide/power.md");
page!(nodes, "guide/nodes.md");
page!(conditions, "guide/conditions.md");
page!(priorities, "guide/priorities.md");
page!(weights, "guide/weights.md");
page!(reading_results, "guide/reading_results.md");
page!(figures, "guide/figures.md");
page!(windows, "guide/windows.md");
page!(received, "guide/received.md");
page!(papers, "guide/papers.md");
page!(guarantees, "guide/guarantees.md");
page!(coming_from, "guide/coming_from.md");
page!(glossary, "guide/glossary.md");
page!(decisions, "guide/decisions.md");
