//! The event queue of the simulators: a total order of events, and no stale ones.
//!
//! Events of one moment happen in a fixed order, ([`SimTime`], [`Rank`], sequence): what ends makes room before
//! the platform changes, before jobs arrive, before the clock ticks; the sequence breaks what is left. Everything that
//! can cause an event has a [`Slot`]; a slot has at most one event, which can be moved or cancelled at any time, so an
//! event that a later decision has overtaken never occurs.
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
//! The structure is a binary heap with the position of every slot beside it (Cormen et al., chapter 6); all
//! operations take time logarithmic in the number of scheduled events.

use crate::SimTime;

/// The kinds of events, in the order in which those of one moment happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// A job has done its work.
    Completion,
    /// Nodes come or go.
    PlatformChange,
    /// A job arrives.
    Submission,
    /// A moment that the scheduler asked for.
    Tick,
}

/// When an event happens, and its place among the events of that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventKey(
    /// The time in the upper half, the rank in the next byte, the sequence below: one comparison orders all.
    u128,
);

impl EventKey {
    const SEQUENCE_BITS: u32 = 56;

    /// The key of an event; the sequence orders events of the same moment and rank and must be below 2^56.
    #[inline]
    pub fn new(time: SimTime, rank: Rank, sequence: u64) -> EventKey {
        assert!(sequence >> Self::SEQUENCE_BITS == 0, "a sequence number fits 56 bits");
        EventKey(
            u128::from(time.micros()) << 64 | u128::from((rank as u64) << Self::SEQUENCE_BITS | sequence),
        )
    }
    /// When.
    #[must_use]
    #[inline]
    pub fn time(self) -> SimTime {
        SimTime::from_micros((self.0 >> 64) as u64)
    }
}

/// Someone who can have one event scheduled; small numbers, since the queue keeps a table of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u32);

const ABSENT: u32 = u32::MAX;

/// The scheduled events, at most one a [`Slot`].
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    heap: Vec<(EventKey, Slot)>,
    /// The position of each slot's event in the heap.
    position: Vec<u32>,
}

impl EventQueue {
    /// A queue without events.
    pub fn new() -> EventQueue {
        EventQueue::default()
    }
    /// How many events are scheduled.
    pub fn len(&self) -> usize {
        self.heap.len()
    }
    /// Whether no event is scheduled.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
    /// The next event, which stays in the queue.
    #[inline]
    pub fn peek(&self) -> Option<(EventKey, Slot)> {
        self.heap.first().copied()
    }

    /// Schedules the event of a slot, in place of the one it may have.
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
                self.settle(at as usize);
            }
        }
    }

    /// Takes back the event of a slot, if it has one.
    pub fn cancel(&mut self, slot: Slot) {
        match self.position.get(slot.0 as usize) {
            None | Some(&ABSENT) => {}
            Some(&at) => {
                self.remove(at as usize);
            }
        }
    }

    /// Takes the next event out.
    pub fn pop(&mut self) -> Option<(EventKey, Slot)> {
        (!self.heap.is_empty()).then(|| self.remove(0))
    }

    fn remove(&mut self, at: usize) -> (EventKey, Slot) {
        let removed = self.heap.swap_remove(at);
        self.position[removed.1.0 as usize] = ABSENT;
        if at < self.heap.len() {
            self.settle(at);
        }
        removed
    }

    /// Moves the entry towards the top until its parent is no later.
    fn sift_up(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.heap[parent].0 <= entry.0 {
                break;
            }
            self.place(at, self.heap[parent]);
            at = parent;
        }
        self.place(at, entry);
    }

    /// Moves the entry to where its key belongs: down to a place without children, and up from there. An entry that is moved nearly always
    /// belongs near the end, so that the way down need not compare with it.
    fn settle(&mut self, mut at: usize) {
        let entry = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() {
                child += usize::from(self.heap[child + 1].0 < self.heap[child].0);
            }
            self.place(at, self.heap[child]);
            at = child;
        }
        self.place(at, entry);
        self.sift_up(at);
    }

    #[inline]
    fn place(&mut self, at: usize, entry: (EventKey, Slot)) {
        self.heap[at] = entry;
        self.position[entry.1.0 as usize] = at as u32;
    }
}
