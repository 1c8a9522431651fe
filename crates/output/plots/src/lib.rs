//! Pictures of results and simulations, drawn only from the files that runs write.
//!
//! * [`draw_results`]: figures of the rows of any study: those that the study defines, and default
//!   ones derived from the roles of columns, such as the distribution of the primary metric by
//!   variant. [`draw`] draws one of these.
//! * [`draw_gantt`], [`draw_timeline`], [`draw_stretch`]: figures of an events file: jobs on nodes,
//!   CPU in use and jobs in the system over time, the distribution of the bounded stretch.
//! * [`draw_power`]: the power of nodes over time, with its cap.
//! * [`draw_waits`]: mean waits by partition and hour of the week.
//! * [`draw_plan`]: a plan of context switches, nodes by time.
//! * [`Figure`]: a [`Picture`], which can be written as SVG, PNG or PDF, and its data as CSV.
//!
//! Equal files give equal bytes on any machine: text is set with a font that the crate embeds. A
//! picture has the width of a paper's column, the palette of Okabe and Ito, and axes that cover all
//! values.
//!
//! ```
//! use dfrsim_plots::{ColourBy, FigureSize, Window};
//!
//! // A job of 10 s runs on all of node 0, beside an idle node.
//! let events = r#"{"event":"run","format":3,"policy":"FCFS","nodes":2,"penalty_us":0,"tau_us":10000000}
//! {"event":"submit","at_us":0,"job":0,"id":7,"tasks":1,"cpu_need":943718400,"memory":0,"run_us":10000000}
//! {"event":"start","at_us":0,"job":0,"on":[[0,1]],"yield":1048576}
//! {"event":"complete","at_us":10000000,"job":0}
//! {"event":"summary","completed":1,"rejected":0,"makespan_us":10000000,"max_stretch":1.0,"max_bounded_stretch":1.0,"mean_bounded_stretch":1.0,"mean_turnaround_s":10.0,"utilisation":0.5,"preemptions":0,"migrations":0,"migrated_tasks":0}
//! "#;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("events.jsonl");
//! std::fs::write(&path, events)?;
//! let figure = dfrsim_plots::draw_gantt(&path, Window::default(), ColourBy::Job, FigureSize::default())?;
//! assert!(figure.picture.svg().contains("FCFS, 2 nodes"));
//! assert_eq!(figure.csv.lines().nth(1), Some("7,0,1,0,10,0,1,1,start,complete"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Internally, plotters draws charts with their axes, grids and series on a [`Picture`], which
//! stores them as a list of shapes, and plotters' SVG and bitmap backends write the files. This
//! crate adds what plotters' charts lack: rows of jobs and of actions, ticks of short logarithmic
//! axes and of times, and legends outside the data.
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), figures 5.1 and 6.1, for the
//! figures of results; Okabe and Ito, "Color Universal Design" (2008), for the palette; Tukey,
//! "Exploratory Data Analysis" (1977), for the whiskers of box plots. Quartiles are values of the
//! sample (nearest rank), as in the tables.

mod axis;
mod chart;
mod colour;
mod dark;
mod drawing;
mod events;
mod figure;
mod font;
mod labels;
mod legend;
mod letters;
mod line;
mod palette;
mod pdf;
mod picture;
mod plan;
mod render;
mod results;
mod scale;
mod size;
mod statistics;
mod styles;
mod table;
#[cfg(test)]
mod tests {
    pub(crate) mod legible;
}

pub use drawing::{Appearance, draw};
pub use events::{
    ColourBy, EventsError, EventsLineError, StretchForm, WaitsBy, Window, draw_gantt, draw_gantt_of_devices,
    draw_power, draw_stretch, draw_timeline, draw_waits,
};

/// Data of pictures and pages of a schedule: jobs with their stays on nodes, or VMs with their
/// actions.
pub mod lives {
    pub use crate::events::{
        Change, Down, JobAttributes, JobHistories, JobHistory, Limits, NodeCpus, NodeDevices, NodeRun,
        Queued, Stay, assign_rows,
    };
    pub use crate::plan::{PlanLanes, PlanStep};
}

pub use figure::Figure;
pub use picture::Picture;
pub use plan::{PlanFigureError, draw_plan};
pub use results::{FigureOptions, ResultFigures, draw_results};
pub use scale::Scale;
pub use size::FigureSize;
pub use styles::Styles;
