//! Differential test of the queue against a reference implementation: a plain list that is searched
//! each time.

use dfrsim_model::SimTime;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Operation {
    Schedule { slot: u32, time: u64, rank: usize },
    Cancel { slot: u32 },
    Pop,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (0..12u32, 0..6u64, 0..4usize)
            .prop_map(|(slot, time, rank)| Operation::Schedule { slot, time, rank }),
        1 => (0..12u32).prop_map(|slot| Operation::Cancel { slot }),
        2 => Just(Operation::Pop),
    ]
}

const RANKS: [Rank; 4] = [Rank::Completion, Rank::PlatformChange, Rank::Submission, Rank::Tick];

proptest! {
    #[test]
    fn agrees_with_a_searched_list(operations in prop::collection::vec(operation(), 0..200)) {
        let mut queue = EventQueue::new();
        let mut list: Vec<(EventKey, Slot)> = Vec::new();
        for operation in operations {
            match operation {
                Operation::Schedule { slot, time, rank } => {
                    let key = EventKey::new(SimTime::from_secs(time), RANKS[rank], u64::from(slot));
                    queue.schedule(Slot(slot), key);
                    list.retain(|entry| entry.1 != Slot(slot));
                    list.push((key, Slot(slot)));
                }
                Operation::Cancel { slot } => {
                    queue.cancel(Slot(slot));
                    list.retain(|entry| entry.1 != Slot(slot));
                }
                Operation::Pop => {
                    let first = list.iter().min_by_key(|entry| entry.0).copied();
                    prop_assert_eq!(queue.peek(), first);
                    prop_assert_eq!(queue.pop(), first);
                    list.retain(|entry| Some(*entry) != first);
                }
            }
            prop_assert_eq!(queue.len(), list.len());
        }
        list.sort_by_key(|entry| entry.0);
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        prop_assert_eq!(rest, list);
    }
}

#[test]
fn one_moment_is_ordered_by_rank_then_sequence() {
    let mut queue = EventQueue::new();
    for (slot, (rank, sequence)) in
        [(Rank::Tick, 0), (Rank::Submission, 7), (Rank::Completion, 9), (Rank::Completion, 3)]
            .into_iter()
            .enumerate()
    {
        queue.schedule(Slot(slot as u32), EventKey::new(SimTime::ZERO, rank, sequence));
    }
    let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(_, slot)| slot.0).collect();
    assert_eq!(order, [3, 2, 1, 0]);
}
