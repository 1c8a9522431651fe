//! Resources, reservations and requests as files.
//!
//! * **Resources**: the nodes of a [state](dfrsim_state), as CSV or JSON. Labels are qualitative
//!   properties, and resources quantitative ones.
//! * **Timetables**: the reservations of a state.
//! * **Requests**, TOML: `duration` and `resources`; optional `earliest` and `latest` start; the
//!   tables `minimum`, `total` and `labels`, each by property. The default of a minimum is one
//!   millionth, that of a total is the sum of the minima.
//!
//! Amounts and times have up to six decimals. Properties that `whole` lists, and those with a name
//! that ends in bytes, kilobytes or megabytes (`memory_mb`), are reserved in whole units: minima and
//! totals are rounded up.
//!
//! ```
//! use dfrsim_coallocation::file::{Window, Resources, request, reservations};
//! use dfrsim_model::{SimSpan, SimTime};
//!
//! let resources = Resources::parse("nodes.csv", "node,label.os,cores,ram_gb\na,Linux,4,2.5\nb,Linux,8,4\n")?;
//! assert_eq!(resources.quantities, ["cores", "ram_gb"]);
//! let taken = reservations("t.csv", "node,from,until,cores,ram_gb\nb,0,3600,1.5,0\n", &resources)?;
//! assert_eq!((taken[0].resource, taken[0].amounts[0]), (1, 1_500_000));
//! let window = Window { now: SimTime::ZERO, patience: SimSpan::from_secs(86_400) };
//! let text = "duration = 600\nresources = 2\n[total]\nram_gb = 5";
//! assert_eq!(*request("r.toml", text, &resources, window)?.total, [2, 5_000_000]);
//! # Ok::<(), dfrsim_input::Faults>(())
//! ```

mod amount;
mod request;
mod resources;

pub use amount::format_amount;
pub use request::{Window, check_request, request};
pub use resources::{Resources, grid, reservation_lines, reservations, reservations_of};
