//! Event queue of the simulators, with a total order of events and without stale ones.
//!
//! Events at the same time occur in a fixed order, ([`SimTime`], [`Rank`], sequence): completions
//! release nodes before the platform changes, before jobs arrive, before the clock ticks. The
//! sequence breaks the remaining ties. Everything that can cause an event has a [`Slot`]. A slot has
//! at most one event, which can be moved or cancelled at any time, so an event that a later decision
//! has superseded never occurs.
//!
//! ```
//! use dfrsim_model::SimTime;
//! use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
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
//! The structure is an indexed binary heap, which also stores the heap position of every slot
//! (Cormen et al., chapter 6). All operations take time logarithmic in the number of scheduled
//! events.

use crate::SimTime;

/// Kinds of events, in the order in which events at the same time occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Completion of a job.
    Completion,
    /// Failure or repair of nodes.
    PlatformChange,
    /// Arrival of a job.
    Submission,
    /// Wake-up that the scheduler requested.
    Tick,
}

/// Time of an event, and its order among the events at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventKey(
    /// The time in the upper half, the rank in the next byte, the sequence below: a single
    /// comparison orders all events.
    u128,
);

impl EventKey {
    const SEQUENCE_BITS: u32 = 56;

    /// Creates the key of an event. `sequence` orders events of the same time and rank.
    ///
    /// # Panics
    ///
    /// Panics if `sequence` is not below 2^56.
    #[inline]
    pub fn new(time: SimTime, rank: Rank, sequence: u64) -> EventKey {
        assert!(sequence >> Self::SEQUENCE_BITS == 0, "sequence number must be below 2^56");
        EventKey(
            u128::from(time.micros()) << 64 | u128::from((rank as u64) << Self::SEQUENCE_BITS | sequence),
        )
    }
    /// Returns the time of the event.
    #[must_use]
    #[inline]
    pub fn time(self) -> SimTime {
        SimTime::from_micros((self.0 >> 64) as u64)
    }
}

/// Source of events, with at most one event scheduled at a time. Numbers should be small, since the
/// queue has a table of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u32);

const ABSENT: u32 = u32::MAX;

/// Queue of scheduled events, at most one per [`Slot`].
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    heap: Vec<(EventKey, Slot)>,
    /// Heap position of each slot's event; `ABSENT` without one.
    position: Vec<u32>,
}

impl EventQueue {
    /// Creates an empty queue.
    pub fn new() -> EventQueue {
        EventQueue::default()
    }
    /// Returns the number of scheduled events.
    pub fn len(&self) -> usize {
        self.heap.len()
    }
    /// Returns whether no event is scheduled.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
    /// Returns the next event without removing it.
    #[inline]
    pub fn peek(&self) -> Option<(EventKey, Slot)> {
        self.heap.first().copied()
    }

    /// Schedules the event of a slot, replacing the scheduled one, if any.
    pub fn schedule(&mut self, slot: Slot, key: EventKey) {
        let index = slot.0 as usize;
        if index >= self.position.len() {
            self.position.resize(index + 1, ABSENT);
        }
        match self.position[index] {
            ABSENT => {
                self.heap.push((key, slot));
                self.sift_up(self.heap.len() - 1);
            }
            at => {
                self.heap[at as usize].0 = key;
                self.restore_order(at as usize);
            }
        }
    }

    /// Cancels the event of a slot, if it has one.
    pub fn cancel(&mut self, slot: Slot) {
        match self.position.get(slot.0 as usize) {
            None | Some(&ABSENT) => {}
            Some(&at) => {
                self.remove(at as usize);
            }
        }
    }

    /// Removes and returns the next event.
    pub fn pop(&mut self) -> Option<(EventKey, Slot)> {
        (!self.heap.is_empty()).then(|| self.remove(0))
    }

    fn remove(&mut self, at: usize) -> (EventKey, Slot) {
        let removed = self.heap.swap_remove(at);
        self.position[removed.1.0 as usize] = ABSENT;
        if at < self.heap.len() {
            self.restore_order(at);
        }
        removed
    }

    /// Moves the entry towards the root until its parent is not later.
    fn sift_up(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.heap[parent].0 <= entry.0 {
                break;
            }
            self.set_entry(at, self.heap[parent]);
            at = parent;
        }
        self.set_entry(at, entry);
    }

    /// Moves the entry to its position by key: down to a leaf, and up from there. A moved entry
    /// nearly always belongs near the leaves, so comparing it on the way down would cost more.
    fn restore_order(&mut self, mut at: usize) {
        let entry = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() {
                child += usize::from(self.heap[child + 1].0 < self.heap[child].0);
            }
            self.set_entry(at, self.heap[child]);
            at = child;
        }
        self.set_entry(at, entry);
        self.sift_up(at);
    }

    #[inline]
    fn set_entry(&mut self, at: usize, entry: (EventKey, Slot)) {
        self.heap[at] = entry;
        self.position[entry.1.0 as usize] = at as u32;
    }
}
