//! Independent checks of co-allocations.
//!
//! [`check_allocation`] checks the allocation of one request, [`check_reservations`] all
//! reservations of a grid. Both share only the types of the model with the allocator. They add up
//! all reservations of a resource at each time at which one begins, and are exact.
//!
//! ```
//! use dfrsim_coallocation::check::check_reservations;
//! use dfrsim_model::SimTime;
//! use dfrsim_model::coallocation::{Reservation, Resource};
//!
//! let node = Resource { capacity: [10].into(), labels: [].into() };
//! let part = |from, until| Reservation {
//!     resource: 0,
//!     from: SimTime::from_secs(from),
//!     until: SimTime::from_secs(until),
//!     amounts: [6].into(),
//! };
//! assert_eq!(check_reservations(&[node.clone()], &[part(0, 5), part(5, 9)]), []);
//! let faults = check_reservations(&[node], &[part(0, 5), part(4, 9)]);
//! assert_eq!(faults[0].to_string(), "resource 0, property 0: 12 of 10 are reserved at 4 s");
//! ```
//!
//! Source: M. Cankar et al., *Co-Allocation with Collective Requests in Grid Systems*, sections 2
//! and 3.6.

use dfrsim_model::SimTime;
use dfrsim_model::Violation;
use dfrsim_model::coallocation::{Allocation, Request, Reservation, Resource};

/// Checks the allocation of a request and returns the violations; `reserved` are the earlier
/// reservations of the resources.
pub fn check_allocation(
    resources: &[Resource],
    reserved: &[Reservation],
    request: &Request,
    allocation: &Allocation,
) -> Vec<Violation> {
    let mut faults = Vec::new();
    let mut fault = |text: String| faults.push(Violation(text));
    let Allocation { start, reservations } = allocation;
    if *start < request.earliest || *start > request.latest {
        fault(format!("it starts at {start} s, outside its window"));
    }
    let (found, asked) = (reservations.len(), request.resources);
    if found != asked {
        fault(format!("it has {found} resources, expected {asked}"));
    }
    for pair in reservations.windows(2).filter(|pair| pair[0].resource >= pair[1].resource) {
        fault(format!("at resource {}: expected resources in ascending order", pair[1].resource));
    }
    for each in reservations {
        check_part(resources, request, *start, each, &mut fault);
    }
    for (property, &total) in request.total.iter().enumerate() {
        let given = reservations.iter().filter_map(|each| each.amounts.get(property));
        let given: u128 = given.map(|&amount| u128::from(amount)).sum();
        if given != u128::from(total) {
            fault(format!("property {property}: {given} is allocated in total, but {total} was requested"));
        }
    }
    let touched = |each: &&Reservation| reservations.iter().any(|part| part.resource == each.resource);
    let all: Vec<Reservation> = reserved.iter().filter(touched).chain(reservations).cloned().collect();
    faults.extend(check_reservations(resources, &all));
    faults
}

/// Checks the part of one resource in an allocation.
fn check_part(
    resources: &[Resource],
    request: &Request,
    start: SimTime,
    part: &Reservation,
    fault: &mut impl FnMut(String),
) {
    let resource = part.resource;
    if part.from != start || part.until != start + request.duration {
        fault(format!("resource {resource}: its reservation differs from the time of the job"));
    }
    let labels = resources.get(resource).map(|it| &it.labels).into_iter().flatten();
    if labels.zip(&request.labels).any(|(label, asked)| asked.as_ref().is_some_and(|asked| asked != label)) {
        fault(format!("resource {resource}: its label differs from the requested one"));
    }
    for (property, (&given, &minimum)) in part.amounts.iter().zip(&request.minimum).enumerate() {
        let place = format!("resource {resource}, property {property}");
        if given < minimum {
            fault(format!("{place}: {given} is below the minimum of {minimum}"));
        }
        let step = request.step.get(property).copied().unwrap_or(1);
        if given.checked_rem(step) != Some(0) {
            fault(format!("{place}: {given} is not a multiple of {step}"));
        }
    }
}

/// Checks the reservations of all resources and returns the violations; empty if no resource is ever
/// over-committed. For each resource and property only the first time is reported.
pub fn check_reservations(resources: &[Resource], reserved: &[Reservation]) -> Vec<Violation> {
    let mut faults = Vec::new();
    let mut of_resource = vec![Vec::new(); resources.len()];
    for each in reserved {
        match of_resource.get_mut(each.resource) {
            None => faults.push(Violation(format!("resource {} does not exist", each.resource))),
            Some(of_resource) => of_resource.push(each),
        }
    }
    for ((number, resource), reserved) in resources.iter().enumerate().zip(&of_resource) {
        let properties = resource.capacity.len();
        if let Some(wrong) = reserved.iter().find(|each| each.amounts.len() != properties) {
            let found = wrong.amounts.len();
            faults.push(Violation(format!(
                "resource {number}: {found} amounts are reserved, but it has {properties} properties"
            )));
            continue;
        }
        faults.extend(
            (0..properties).filter_map(|property| find_overbooking(number, resource, property, reserved)),
        );
    }
    faults
}

/// Finds the first time at which more of a property is reserved than the resource has.
fn find_overbooking(
    number: usize,
    resource: &Resource,
    property: usize,
    reserved: &[&Reservation],
) -> Option<Violation> {
    let capacity = resource.capacity[property];
    // Intervals are half-open, so ends come before starts at the same time.
    let mut changes: Vec<(SimTime, bool, u64)> = reserved
        .iter()
        .flat_map(|each| {
            [(each.until, false, each.amounts[property]), (each.from, true, each.amounts[property])]
        })
        .collect();
    changes.sort_unstable();
    let mut level = 0_i128;
    for together in changes.chunk_by(|one, other| one.0 == other.0) {
        for &(_, begins, amount) in together {
            level += if begins { i128::from(amount) } else { -i128::from(amount) };
        }
        if level > i128::from(capacity) {
            let at = together[0].0;
            return Some(Violation(format!(
                "resource {number}, property {property}: {level} of {capacity} are reserved at {at} s"
            )));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::SimSpan;

    fn resources() -> Vec<Resource> {
        let of = |(capacity, label): ([u64; 2], &str)| Resource {
            capacity: capacity.into(),
            labels: [label.to_owned()].into(),
        };
        [([10, 4], "amd"), ([8, 8], "amd"), ([9, 9], "arm")].map(of).into()
    }

    fn part(resource: usize, from: u64, until: u64, amounts: [u64; 2]) -> Reservation {
        let (from, until) = (SimTime::from_secs(from), SimTime::from_secs(until));
        Reservation { resource, from, until, amounts: amounts.into() }
    }

    fn request() -> Request {
        Request {
            duration: SimSpan::from_secs(10),
            resources: 2,
            earliest: SimTime::from_secs(5),
            latest: SimTime::from_secs(20),
            minimum: [2, 1].into(),
            total: [12, 5].into(),
            step: [1, 1].into(),
            labels: [Some("amd".to_owned())].into(),
        }
    }

    fn faults(start: u64, parts: &[Reservation]) -> Vec<String> {
        // 6 and 1 of resource 0 until 15.
        let earlier = [part(0, 0, 15, [6, 1])];
        let allocation = Allocation { start: SimTime::from_secs(start), reservations: parts.to_vec() };
        let faults = check_allocation(&resources(), &earlier, &request(), &allocation);
        faults.iter().map(ToString::to_string).collect()
    }

    /// The first property only comes in pairs.
    #[test]
    fn parts_of_steps_are_found() {
        let request = Request { step: [2, 1].into(), ..request() };
        let found = |first: u64| {
            let parts = vec![part(0, 15, 25, [first, 3]), part(1, 15, 25, [12 - first, 2])];
            let allocation = Allocation { start: SimTime::from_secs(15), reservations: parts };
            let faults = check_allocation(&resources(), &[], &request, &allocation);
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found(6), [""; 0]);
        let one = |resource: usize, given: u64| {
            format!("resource {resource}, property 0: {given} is not a multiple of 2")
        };
        assert_eq!(found(5), [one(0, 5), one(1, 7)]);
    }

    #[test]
    fn a_right_answer_has_no_fault() {
        assert_eq!(faults(5, &[part(0, 5, 15, [4, 3]), part(1, 5, 15, [8, 2])]), [""; 0]);
        assert_eq!(faults(15, &[part(0, 15, 25, [10, 4]), part(1, 15, 25, [2, 1])]), [""; 0]);
    }

    #[test]
    fn every_wrong_answer_has_its_fault() {
        let one = |start, parts: &[Reservation]| -> String { faults(start, parts).join("; ") };
        assert_eq!(
            one(14, &[part(0, 14, 24, [5, 3]), part(1, 14, 24, [7, 2])]),
            "resource 0, property 0: 11 of 10 are reserved at 14 s"
        );
        assert_eq!(
            one(21, &[part(0, 21, 31, [6, 3]), part(1, 21, 31, [6, 2])]),
            "it starts at 21 s, outside its window"
        );
        assert_eq!(
            one(15, &[part(1, 15, 25, [6, 3]), part(2, 15, 25, [6, 2])]),
            "resource 2: its label differs from the requested one"
        );
        assert_eq!(
            one(15, &[part(0, 15, 25, [10, 4]), part(1, 15, 24, [2, 1])]),
            "resource 1: its reservation differs from the time of the job"
        );
        assert_eq!(
            one(15, &[part(0, 15, 25, [4, 4]), part(1, 15, 25, [8, 0])]),
            "resource 1, property 1: 0 is below the minimum of 1; property 1: 4 is allocated in total, but 5 was requested"
        );
        assert_eq!(
            one(15, &[part(1, 15, 25, [6, 2]), part(1, 15, 25, [2, 1]), part(3, 15, 25, [4, 2])]),
            "it has 3 resources, expected 2; at resource 1: expected resources in ascending order; resource 3 does not exist"
        );
    }
}
