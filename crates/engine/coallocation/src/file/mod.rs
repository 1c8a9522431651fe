//! Resources, reservations and requests as files.
//!
//! * **Resources**, CSV: the column `node` with a name for each, then a column for each property. One whose name begins
//!   with `label.` is qualitative and holds labels; others are quantitative and hold amounts.
//! * **Timetables**, CSV: a line for each reservation, with the columns `node`, `from`, `until` and a column for each
//!   quantitative property. Times are seconds.
//! * **Requests**, TOML: `duration` and `resources`; `earliest` and `latest` start if they matter; the tables `minimum`,
//!   `total` and `labels`, each by property. A minimum that is not given is a millionth, a total what the minima come to.
//!
//! All faults of a file are reported at once, with line and field ([`FileErrors`]).
//!
//! Amounts and times have up to six decimals; further ones of times are cut off, and of amounts rounded.
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
//! # Ok::<(), dfrsim_coallocation::file::FileErrors>(())
//! ```

mod amount;
mod fault;
mod grid;
mod request;
mod resources;

pub use amount::{format_amount, parse_amount};
pub use fault::{FileError, FileErrors, Problem};
pub use grid::{check_request, grid};
pub use request::{Window, request};
pub use resources::{Resources, reservation_lines, reservations};
