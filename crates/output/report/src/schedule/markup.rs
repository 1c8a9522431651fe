//! Markup of a schedule.

use super::Schedule;
use maud::{Markup, PreEscaped, html};

pub(crate) const STYLE: &str = include_str!("schedule.css");

/// Scripts of the chart, in a block so that their names do not clash with those of the page's
/// script.
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

/// Keys of a chart of jobs, with their effects.
const KEYS: [(&[&str], &str); 7] = [
    (&["←", "→"], "earlier, later"),
    (&["+", "-"], "zoom in, out"),
    (&["↑", "↓"], "nodes above, below"),
    (&["]", "["], "fewer, more nodes"),
    (&["n", "p"], "next job, the one before"),
    (&["Enter", "Esc"], "zoom to the chosen job, choose none"),
    (&["0"], "everything"),
];

/// Builds the elements in which the script draws the chart.
pub(crate) fn figure(schedule: &Schedule) -> Markup {
    let head = serde_json::to_string(&schedule.head).expect("the head can be written as JSON");
    let is_plan = schedule.head.plan.is_some();
    let either = |of_events: &'static str, of_plan: &'static str| if is_plan { of_plan } else { of_events };
    let content = either("jobs on nodes, CPU in use and jobs in the system", "actions on VMs by node");
    let label = format!("{}: {content} over time", schedule.title);
    let one = either("job", "VM");
    html! {
        figure.schedule {
            figcaption { (schedule.counted()) }
            @if let Some(remark) = &schedule.remark { p.left-out { (remark) } }
            noscript { p { "This chart needs JavaScript." } }
            div.schedule-tools {
                @for (action, label, sign) in [
                    ("in", "Zoom in", "+"), ("out", "Zoom out", "−"), ("left", "Earlier", "←"), ("right", "Later", "→"),
                ] { button type="button" data-do=(action) aria-label=(label) title=(label) { (sign) } }
                button type="button" data-do="all" { "Everything" }
                button type="button" data-do="worst" {
                    (either("Job with the largest stretch", "VM with the largest cost"))
                }
                form {
                    label {
                        (either("Job", "VM")) " "
                        input type=(either("number", "text")) aria-label=(either("Number of a job", "Name of a VM"));
                    }
                    button { "Find" }
                }
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
                    @for key in keys { kbd { (key) } " " } (meaning.replace("job", one)) "; "
                } "a click chooses a " (one) ", dragging moves, the wheel zooms (with Shift: nodes)." }
            }
            script.head type="application/json" { (PreEscaped(head.replace('<', "\\u003c"))) }
            script.columns type="application/octet-stream" { (PreEscaped(&schedule.data)) }
        }
    }
}
