//! A schedule in a page.

use super::Schedule;
use maud::{Markup, PreEscaped, html};

pub(crate) const STYLE: &str = include_str!("schedule.css");

/// In a block of its own, so that its names are not those of the page's script.
pub(crate) const SCRIPT: &str = concat!(
    "\"use strict\";{\n",
    include_str!("data.js"),
    include_str!("index.js"),
    include_str!("words.js"),
    include_str!("plan.js"),
    include_str!("paint.js"),
    include_str!("chart.js"),
    "}\n",
);

/// The keys of a chart of jobs, and what they do.
const KEYS: [(&[&str], &str); 7] = [
    (&["←", "→"], "earlier, later"),
    (&["+", "-"], "zoom in, out"),
    (&["↑", "↓"], "nodes above, below"),
    (&["]", "["], "fewer, more nodes"),
    (&["n", "p"], "next job, the one before"),
    (&["Enter", "Esc"], "zoom to the chosen job, choose none"),
    (&["0"], "everything"),
];

/// What is said of a chart by what it is made from.
struct Words {
    content: &'static str,
    /// At the begin of a label.
    one: &'static str,
    one_of_many: &'static str,
    /// By what one is found.
    name: &'static str,
    input: &'static str,
    worst: &'static str,
}

const OF_EVENTS: Words = Words {
    content: "jobs on nodes, CPU in use and jobs in the system",
    one: "Job",
    one_of_many: "job",
    name: "Number of a job",
    input: "number",
    worst: "Job with the largest stretch",
};

const OF_PLAN: Words = Words {
    content: "actions on VMs by node",
    one: "VM",
    one_of_many: "VM",
    name: "Name of a VM",
    input: "text",
    worst: "VM with the largest cost",
};

/// The chart, which the script draws.
pub(crate) fn figure(schedule: &Schedule) -> Markup {
    let head = serde_json::to_string(&schedule.head).expect("names and numbers can be written");
    let words = if schedule.head.plan.is_some() { &OF_PLAN } else { &OF_EVENTS };
    let label = format!("{}: {} over time", schedule.title, words.content);
    html! {
        figure.schedule {
            figcaption { (schedule.counted()) }
            @if let Some(remark) = &schedule.remark { p.left-out { (remark) } }
            noscript { p { "This chart needs scripts." } }
            div.schedule-tools {
                @for (action, label, sign) in [
                    ("in", "Zoom in", "+"), ("out", "Zoom out", "−"), ("left", "Earlier", "←"), ("right", "Later", "→"),
                ] { button type="button" data-do=(action) aria-label=(label) title=(label) { (sign) } }
                button type="button" data-do="all" { "Everything" }
                button type="button" data-do="worst" { (words.worst) }
                form { label { (words.one) " " input type=(words.input) aria-label=(words.name); } button { "Find" } }
                p.schedule-range { "Reading ..." }
            }
            div.schedule-area tabindex="0" role="application" aria-label=(label) {
                canvas.base {}
                canvas.over {}
                div.schedule-tip hidden {}
            }
            p.schedule-legend {}
            div.schedule-life aria-live="polite" {}
            details.schedule-keys data-long {
                summary { "Keys" }
                p { @for (keys, meaning) in KEYS {
                    @for key in keys { kbd { (key) } " " } (meaning.replace("job", words.one_of_many)) "; "
                } "a click chooses a " (words.one_of_many) ", dragging moves, the wheel zooms (with Shift: nodes)." }
            }
            script.head type="application/json" { (PreEscaped(head.replace('<', "\\u003c"))) }
            script.columns type="application/octet-stream" { (PreEscaped(&schedule.data)) }
        }
    }
}
