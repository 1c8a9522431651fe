//! The event queue of dfrsim: a total order of events, and no stale ones.
//!
//! Events of one moment happen in a fixed order, ([`SimTime`], [`Rank`], sequence): what ends makes room before
//! the platform changes, before jobs arrive, before the clock ticks; the sequence breaks what is left. Everything that
//! can cause an event has a [`Slot`]; a slot has at most one event, which can be moved or cancelled at any time, so an
//! event that a later decision has overtaken never occurs.
//!
//! ```
//! use dfrsim_des::{EventKey, EventQueue, Rank, Slot};
//! use dfrsim_model::SimTime;
//!
//! let mut queue = EventQueue::new();
//! let (job, clock) = (Slot(0), Slot(1));
//! queue.schedule(clock, EventKey::new(SimTime::from_secs(5), Rank::Tick, 0));
//! queue.schedule(job, EventKey::new(SimTime::from_secs(9), Rank::Completion, 0));
//! queue.schedule(job, EventKey::new(SimTime::from_secs(5), Rank::Completion, 0)); // its yield rose
//! assert_eq!(queue.pop().unwrap().1, job);
//! assert_eq!(queue.pop().unwrap().1, clock);
//! assert!(queue.pop().is_none());
//! ```
//!
//! The structure is a binary heap with the position of every slot beside it (Cormen et al., chapter 6); all
//! operations take time logarithmic in the number of scheduled events.

mod event_queue;

pub use event_queue::{EventKey, EventQueue, Rank, Slot};

#[doc(no_inline)]
pub use dfrsim_model::SimTime;
