//! Requests of jobs for resources other than CPU and memory.

use super::{Asks, Demand, NodeClasses, ResourceRequest};
use crate::platform::common::{CommonDemand, CommonResource, LICENCE};
use crate::platform::devices::WHOLE_DEVICE;
use crate::site::partition_feature;
use crate::{Job, Seed, Share};
use rand::RngExt as _;
use std::fmt;

/// Request of randomly drawn jobs.
///
/// The text form is `gpu:0.3:1+2:0.5-1` (resource, probability, possible numbers per task, fraction
/// of each unit that a task can use; of a resource of the whole cluster, possible numbers per job), or `@feature:0.1` (feature and probability; `@v100|a100:0.1`
/// requests one of two features). With `:max8` at the end only jobs of at most 8 tasks are drawn.
///
/// ```
/// use dfrsim_model::platform::classes::Request;
/// for text in ["gpu:0.3:1", "gpu:0.3:1+2+4:0.5", "gpu:1:1:0.25-1", "gpu:0.3:1:max8", "@nvlink:0.1", "@v100|a100:0.1"] {
///     assert_eq!(text.parse::<Request>().unwrap().to_string(), text);
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Requested resource or feature.
    pub what: RequestTarget,
    /// Probability that a job has the request.
    pub probability: f64,
    /// Maximum number of tasks of a job with the request.
    pub most_tasks: u32,
}

/// Requested resource or feature.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestTarget {
    /// Units of a resource.
    Resource {
        /// Name of the resource.
        name: String,
        /// Possible numbers of units per task, with equal probabilities; not empty.
        per_task: Vec<u32>,
        /// Minimum and maximum fraction of each unit that a task can use; drawn uniformly.
        need: (f64, f64),
    },
    /// Feature of nodes, or alternatives.
    Feature {
        /// Name of the feature; names of alternatives are separated by `|`.
        name: String,
    },
}

crate::parses!(
    Request,
    "invalid request `{text}`; expected RESOURCE:PROBABILITY:NUMBERS or RESOURCE:PROBABILITY:NUMBERS:NEED such as gpu:0.3:1+2:0.5-1, or \
     @FEATURE:PROBABILITY, optionally followed by :maxTASKS",
    parse
);

fn parse(text: &str) -> Option<Request> {
    let part = |word: &str| word.parse::<f64>().ok().filter(|part| (0.0..=1.0).contains(part));
    let mut words: Vec<&str> = text.split(':').collect();
    let most_tasks = match words.last().and_then(|word| word.strip_prefix("max")) {
        Some(most) => {
            words.pop();
            most.parse().ok().filter(|most| *most > 0)?
        }
        None => u32::MAX,
    };
    if let Some(name) = words.first()?.strip_prefix('@').filter(|name| !name.is_empty()) {
        let [_, probability] = words[..] else { return None };
        let what = RequestTarget::Feature { name: name.to_owned() };
        return Some(Request { what, probability: part(probability)?, most_tasks });
    }
    let (name, probability, numbers, need) = match words[..] {
        [name, probability, numbers] => (name, probability, numbers, "1"),
        [name, probability, numbers, need] => (name, probability, numbers, need),
        _ => return None,
    };
    let number = |word: &str| word.parse::<u32>().ok().filter(|number| (1..=10_000).contains(number));
    let per_task = numbers.split('+').map(number).collect::<Option<Vec<u32>>>()?;
    let (least, most) = need.split_once('-').unwrap_or((need, need));
    let need = (part(least)?, part(most)?);
    let is_range = need.0 > 0.0 && need.0 <= need.1;
    let what = RequestTarget::Resource { name: name.to_owned(), per_task, need };
    let request = Request { what, probability: part(probability)?, most_tasks };
    (is_range && !name.is_empty()).then_some(request)
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { what, probability, most_tasks } = self;
        match what {
            RequestTarget::Feature { name } => write!(f, "@{name}:{probability}")?,
            RequestTarget::Resource { name, per_task, need: (least, most) } => {
                let numbers: Vec<String> = per_task.iter().map(u32::to_string).collect();
                write!(f, "{name}:{probability}:{}", numbers.join("+"))?;
                match (*least, *most) {
                    (1.0, 1.0) => {}
                    (least, most) if least == most => write!(f, ":{least}")?,
                    (least, most) => write!(f, ":{least}-{most}")?,
                }
            }
        }
        if *most_tasks < u32::MAX { write!(f, ":max{most_tasks}") } else { Ok(()) }
    }
}

/// Returns whether a request of this name is for a resource or a feature that the nodes of one site
/// have, such as GPUs: not for cores or nodes, of a partition, or a mark of a job array (`%`) or of a
/// heterogeneous job (`+`).
#[must_use]
pub fn is_of_site(name: &str) -> bool {
    let of_partition = name.strip_prefix('@').is_some_and(|it| it.starts_with(&partition_feature("")));
    !of_partition && !name.starts_with(['#', '%', '+'])
}

/// Name of the number of cores that a job requested, where it was allocated another number.
pub const REQUESTED_CORES: &str = "#cpus";

/// Name of the number of nodes that a job requested, where it was allocated another number.
pub const REQUESTED_NODES: &str = "#requested-nodes";

/// Name of the number of different nodes of a job.
pub const DISTINCT_NODES: &str = "#nodes";

/// Name of the part of each device that a task of a job needs, in [`Share`] units.
pub const DEVICE_PART: &str = "#part";

/// Requests of all jobs: from the log, or drawn from a separate stream for each job, so that they
/// are independent of other jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demands {
    /// Random requests. The last one for a resource takes precedence.
    pub requests: Vec<Request>,
    /// Seed of the random requests.
    pub seed: Seed,
    /// Requests in the log. They take precedence over random requests.
    pub given: Asks,
}

impl Demands {
    /// Finds the first request for a resource, a part of a device or a feature that no class has, with
    /// the known names, or for more devices than any node has; returns it with the reason.
    pub fn find_unknown<'a>(&'a self, classes: &NodeClasses) -> Option<(&'a Request, String)> {
        let is_unknown = |request: &&Request| match &request.what {
            RequestTarget::Resource { name, .. } => {
                resource_index(classes, name).is_none()
                    && common_index(classes, name).is_none()
                    && classes.device_part(name).is_none()
            }
            RequestTarget::Feature { name } => {
                name.split('|').any(|name| !classes.features().iter().any(|known| known == name))
            }
        };
        let Some(found) = self.requests.iter().find(is_unknown) else {
            return self
                .requests
                .iter()
                .find_map(|request| Some((request, too_many_devices(classes, request)?)));
        };
        let profile = match &found.what {
            RequestTarget::Resource { name, .. } => Some(name.as_str()).filter(|name| is_profile(name)),
            RequestTarget::Feature { .. } => None,
        };
        Some((found, unknown_request(classes, profile)))
    }

    /// Finds the first profile of a MIG GPU in the log that is neither a part of a device nor a
    /// resource of these classes, with the reason.
    pub fn find_unknown_profile(&self, classes: &NodeClasses) -> Option<(&str, String)> {
        let names = self.given.distinct().iter().flatten().map(|(name, _)| name.as_str());
        let is_unknown = |name: &&str| {
            let profile = name.rsplit_once("gpu_").map_or(*name, |(_, of_type)| of_type);
            is_profile(profile)
                && classes.device_part(name).is_none()
                && resource_index(classes, name).is_none()
        };
        let found = { names }.find(is_unknown)?;
        Some((found, unknown_request(classes, Some(found))))
    }

    /// Returns the requests of a job's tasks, without those for resources and features that no class
    /// has.
    pub fn of(&self, classes: &NodeClasses, job: &Job) -> Demand {
        let mut demand = Demand::default();
        self.set(classes, job, &mut demand);
        demand
    }

    /// Sets the requests of another job to those of a job's tasks, as [`Demands::of`] returns them.
    pub fn set(&self, classes: &NodeClasses, job: &Job, demand: &mut Demand) {
        let Demand { mut resources, mut any_of, mut common, .. } = std::mem::take(demand);
        resources.clear();
        any_of.clear();
        common.clear();
        resources.resize(classes.resources().len(), ResourceRequest::default());
        *demand = Demand { resources, any_of, common, ..Demand::default() };
        // Amounts that the job requests itself, by index.
        let mut common: Vec<(usize, u64)> = Vec::new();
        for (number, request) in (0..).zip(&self.requests) {
            let mut rng = self.seed.fork("requests").numbered(number).numbered(job.id.original().0).rng();
            if rng.random::<f64>() >= request.probability || job.tasks > request.most_tasks {
                continue;
            }
            match &request.what {
                RequestTarget::Feature { name } => {
                    require_features(demand, classes, name);
                }
                RequestTarget::Resource { name, per_task, need: (least, most) } => {
                    let place = resource_index(classes, name);
                    let of_cluster = common_index(classes, name);
                    if place.is_none() && of_cluster.is_none() && classes.device_part(name).is_none() {
                        continue;
                    }
                    let count = per_task[rng.random_range(0..per_task.len())];
                    let Some(place) = place else {
                        common.extend(of_cluster.map(|place| (place, count.into())));
                        set_device_part(demand, classes, name, count);
                        continue;
                    };
                    // Rounding up to hundredths keeps the fractions readable.
                    let need = (rng.random_range(*least..=*most) * 100.0).ceil().clamp(1.0, 100.0);
                    let need = Share::from_ratio(need as u64, 100);
                    demand.resources[place] = ResourceRequest { count, need };
                    set_device_part(demand, classes, name, count);
                }
            }
        }
        let mut part = None;
        for (name, count) in self.given.get(&job.id).into_iter().flatten() {
            if let Some(feature) = name.strip_prefix('@') {
                require_features(demand, classes, feature);
            } else if name == REQUESTED_CORES {
                demand.requested_cores = Some(*count);
            } else if name == REQUESTED_NODES {
                demand.requested_nodes = Some(*count);
            } else if name == DISTINCT_NODES {
                // Tasks that are not those of the log may be anywhere.
                demand.needs_distinct_nodes = *count == job.tasks && job.tasks > 1;
            } else if name == DEVICE_PART {
                part = Share::try_from_units(*count);
            } else if let Some(place) = resource_index(classes, name) {
                let drawn = demand.resources[place];
                let need = if drawn.count > 0 { drawn.need } else { Share::ONE };
                let count = count.div_ceil(job.tasks.max(1));
                demand.resources[place] = ResourceRequest { count, need };
                set_device_part(demand, classes, name, count);
            } else if let Some(place) = common_index(classes, name.strip_prefix(LICENCE).unwrap_or(name)) {
                common.push((place, u64::from(*count)));
            } else {
                set_device_part(demand, classes, name, count.div_ceil(job.tasks.max(1)));
            }
        }
        // Where units are counted, a part of one counts as a whole.
        if let (Some(part), Some(place)) = (part, classes.devices()) {
            demand.resources[place].need = part;
        }
        if !classes.common().is_empty() {
            classes.set_common_amounts(job, demand, &common);
        }
    }
}

/// Requires a feature of the nodes, or one of several that are separated by `|`. Features that no
/// class has are left out; if no alternative is left, nothing is required.
fn require_features(demand: &mut Demand, classes: &NodeClasses, names: &str) {
    let bit =
        |name: &str| classes.features().iter().position(|other| other == name).map_or(0, |bit| 1 << bit);
    let some: u64 = names.split('|').fold(0, |all, name| all | bit(name));
    if some.is_power_of_two() {
        demand.features |= some;
    } else if some != 0 && !demand.any_of.contains(&some) {
        demand.any_of.push(some);
    }
}

/// Requests a number of named parts of devices for each task, if the platform has such parts.
fn set_device_part(demand: &mut Demand, classes: &NodeClasses, name: &str, count: u32) {
    if classes.device_parts().is_empty() {
        return;
    }
    let (Some(part), Some(place)) = (classes.device_part(name), classes.devices()) else { return };
    // Parts of one device that are more than a whole one are equal parts of several.
    let parts = u64::from(if part.of_one_device { count } else { 1 }) * part.units();
    let devices = if part.of_one_device { parts.div_ceil(WHOLE_DEVICE) } else { count.into() };
    let each = if part.of_one_device { parts.div_ceil(devices.max(1)) } else { parts };
    let need = Share::try_from_units(each as u32).unwrap_or(Share::ONE);
    demand.resources[place] = ResourceRequest { count: devices as u32, need };
}

/// Says that a task of a request has more devices than any node has; `None` if it has not.
fn too_many_devices(classes: &NodeClasses, request: &Request) -> Option<String> {
    let RequestTarget::Resource { name, per_task, .. } = &request.what else { return None };
    let place = classes.devices()?;
    let devices = &classes.resources()[place].name;
    let is_of_several = classes.device_part(name).is_some_and(|part| !part.of_one_device);
    let asked = per_task.iter().max().filter(|_| **devices == **name || is_of_several)?;
    let most = classes.classes().iter().map(|class| class.amounts[place]).max().unwrap_or(0);
    (*asked > most)
        .then(|| format!("a task requests {asked} of `{devices}`, and the largest node has {most}"))
}

/// Returns whether a name is that of a profile of a MIG GPU, such as `1g.5gb` or `1g_5gb`.
fn is_profile(name: &str) -> bool {
    let (slices, memory) = name.split_once(['.', '_']).unwrap_or((name, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    slices.strip_suffix('g').is_some_and(is_number)
        && memory.split(['+', '_']).next().and_then(|it| it.strip_suffix("gb")).is_some_and(is_number)
}

/// Says that no class has what is requested, with the names that they have. `profile` is the
/// requested profile of a MIG GPU, if it is one.
fn unknown_request(classes: &NodeClasses, profile: Option<&str>) -> String {
    let parts = classes.device_parts().iter().map(|part| part.name.clone());
    if let Some(profile) = profile {
        let known: Vec<String> = parts.collect();
        return match known.is_empty() {
            true => format!(
                "is a part of a GPU, of which the platform names none; expected `device_parts = [{{ name = \"{profile}\", share = ... }}]` beside `devices`"
            ),
            false => format!(
                "is no part of a GPU that the platform names; `device_parts` has {}",
                known.join(", ")
            ),
        };
    }
    let resources = classes.resources().iter().map(|resource| resource.name.to_string());
    let common =
        classes.common().iter().filter(|it| it.demand != CommonDemand::Draw).map(|it| it.name.to_string());
    let features = classes.features().iter().map(|name| format!("@{name}"));
    let known: Vec<String> = resources.chain(parts).chain(common).chain(features).collect();
    match &known[..] {
        [] => "no node class has this resource or feature; the platform defines none".to_owned(),
        known => format!("no node class has this resource or feature; known are {}", known.join(", ")),
    }
}

fn resource_index(classes: &NodeClasses, name: &str) -> Option<usize> {
    classes.resources().iter().position(|resource| &*resource.name == name)
}

/// Returns the index of a resource of the whole cluster that jobs request by its name.
fn common_index(classes: &NodeClasses, name: &str) -> Option<usize> {
    let is_it = |it: &CommonResource| &*it.name == name && it.demand != CommonDemand::Draw;
    classes.common().iter().position(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::classes::PlatformFields;
    use crate::{JobId, SimSpan};

    fn job(id: u64) -> Job {
        Job { id: JobId(id), tasks: 2, run_time: SimSpan::from_secs(1), ..Job::default() }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in [
            "",
            "gpu",
            "gpu:2:1",
            "gpu:0.5:0",
            "gpu:0.5:1:0",
            "gpu:0.5:1:0.9-0.1",
            ":0.5:1",
            "@x",
            "@x:0.1:1",
            "@:1",
            "gpu:1:1:max0",
            "max3",
        ] {
            assert!(text.parse::<Request>().is_err(), "{text}");
        }
    }

    /// Parts of a device have names, of MIG profiles or of shards.
    #[test]
    fn parts_of_devices_are_requested_by_name() {
        let text = "devices = 'gpu'
            device_parts = [{ name = '1g.5gb', share = 0.14285714 }, { name = 'shard', share = 0.125, of_one_device = true }]
            classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, resources = { gpu = 4 } }]";
        let classes = PlatformFields::parse("platform.toml", text).unwrap().classes().unwrap();
        let drawn = |text: &str| {
            let demands = Demands { requests: vec![text.parse().unwrap()], ..Demands::default() };
            assert_eq!(demands.find_unknown(&classes), None);
            demands.of(&classes, &job(1)).resources[0]
        };
        let seventh = u64::from(drawn("1g.5gb:1:2").need.units());
        assert_eq!(drawn("1g.5gb:1:2").count, 2);
        assert!(7 * seventh <= WHOLE_DEVICE && 7 * seventh + 100 > WHOLE_DEVICE);
        let eighths = |count, parts| ResourceRequest { count, need: Share::from_ratio(parts, 8) };
        assert_eq!((drawn("shard:1:3"), drawn("shard:1:8")), (eighths(1, 3), eighths(1, 8)));
        assert_eq!(drawn("shard:1:12"), eighths(2, 6), "more than a device has");
        let given = |name: &str| {
            let mut demands = Demands::default();
            demands.given.insert(JobId(1), vec![("gpu".into(), 2), (name.into(), 2)]);
            (
                demands.of(&classes, &job(1)).resources[0],
                demands.find_unknown_profile(&classes).map(|it| it.1),
            )
        };
        let part = ResourceRequest { count: 1, need: drawn("1g.5gb:1:1").need };
        assert_eq!((given("1g.5gb"), given("gpu_1g_5gb")), ((part, None), (part, None)));
        let known = "is no part of a GPU that the platform names; `device_parts` has 1g.5gb, shard";
        let wide = |text: &str| {
            let demands = Demands { requests: vec![text.parse().unwrap()], ..Demands::default() };
            demands.find_unknown(&classes).map(|it| it.1)
        };
        let reason = "a task requests 5 of `gpu`, and the largest node has 4";
        assert_eq!(
            [wide("gpu:1:1+5"), wide("1g.5gb:1:5"), wide("gpu:1:4")],
            [Some(reason.into()), Some(reason.into()), None]
        );
        for other in ["2g.10gb", "gpu_2g_10gb", "1g.10gb+me"] {
            assert_eq!(given(other).1.unwrap(), known, "{other}");
        }
        assert_eq!(given("gpu_a100").1, None);
    }

    /// The requests of a job are independent of other jobs; their frequency is about the
    /// probability; those of a log take precedence.
    #[test]
    fn demands_are_drawn_for_each_job_alone() {
        let text = "classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, resources = { gpu = 4 }, features = ['x'] }]";
        let classes = PlatformFields::parse("platform.toml", text).unwrap().classes().unwrap();
        let requests = ["gpu:0.25:1+2:0.5-1", "@x:0.5"].map(|text| text.parse().unwrap()).to_vec();
        let mut demands = Demands { requests, ..Demands::default() };
        assert_eq!(demands.find_unknown(&classes), None);
        let all: Vec<Demand> = (0..1000).map(|id| demands.of(&classes, &job(id))).collect();
        let with_gpus = all.iter().filter(|demand| demand.resources[0].count > 0);
        assert!((200..300).contains(&with_gpus.clone().count()));
        let half = Share::from_ratio(1, 2);
        assert!(with_gpus.clone().all(|it| it.resources[0].count <= 2 && it.resources[0].need >= half));
        assert!((400..600).contains(&all.iter().filter(|demand| demand.features == 1).count()));
        assert_eq!(demands.of(&classes, &job(7)), all[7]);
        demands.requests.clear();
        demands.given.insert(JobId(7), vec![("gpu".into(), 5), ("licence".into(), 1)]);
        assert_eq!(demands.of(&classes, &job(7)).resources[0].count, 3, "five for two tasks");
        demands.given.insert(JobId(8), vec![("@x".into(), 1), ("@y".into(), 1)]);
        assert_eq!(demands.of(&classes, &job(8)).features, 1, "a feature");
        let nodes = |number| {
            let all = [(DISTINCT_NODES, number), (REQUESTED_CORES, 3), (REQUESTED_NODES, 1)];
            all.map(|(name, number)| (name.to_owned(), number)).to_vec()
        };
        demands.given.insert(JobId(9), nodes(2));
        let demand = demands.of(&classes, &job(9));
        assert!(demand.needs_distinct_nodes && demand.requested_cores == Some(3) && !demand.is_empty());
        assert_eq!(demand.requested_nodes, Some(1));
        demands.given.insert(JobId(9), nodes(4));
        assert!(!demands.of(&classes, &job(9)).needs_distinct_nodes, "four nodes for two tasks");
    }
}
