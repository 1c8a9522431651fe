//! Requests of jobs for resources other than CPU and memory.

use super::{Asks, Demand, NodeClasses, ResourceRequest};
use crate::platform::common::{CommonDemand, CommonResource, LICENCE};
use crate::platform::devices::WHOLE_DEVICE;
use crate::site::partition_feature;
use crate::{Job, Seed, Share};
use rand::RngExt as _;
use rand_distr::StandardNormal;
use std::fmt;

/// Request of randomly drawn jobs.
///
/// The text form is `gpu:0.3:1+2:0.5-1` (resource, probability, possible numbers per task, fraction
/// of each unit that a task can use; of a resource of the whole cluster, possible numbers per job), or `@feature:0.1` (feature and probability; `@v100|a100:0.1`
/// requests one of two features). With `:max8` at the end only jobs of at most 8 tasks are drawn, and with
/// `:over120` only those that request more than 120 s. Units of a resource of the whole cluster may have a
/// [distribution](RandomAmount).
///
/// ```
/// use dfrsim_model::platform::classes::Request;
/// for text in ["gpu:0.3:1", "gpu:0.3:1+2+4:0.5", "gpu:1:1:0.25-1", "gpu:0.3:1:max8", "@nvlink:0.1", "@v100|a100:0.1",
///     "bb:1:lognormal(3,1)", "bb:0.5:tasks*lognormal(7.93,1.0973,-154,100,40000):over120:max8"] {
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
    /// Jobs with the request ask for more than this time, in seconds; the run time counts for those that
    /// ask for none. 0 for all jobs.
    pub over_s: u32,
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
    /// Units of a resource of the whole cluster, from a distribution.
    Amount {
        /// Name of the resource.
        name: String,
        /// Distribution of the units.
        amount: RandomAmount,
    },
    /// Feature of nodes, or alternatives.
    Feature {
        /// Name of the feature; names of alternatives are separated by `|`.
        name: String,
    },
}

/// Log-normal distribution of the units of a job: `lognormal(MU,SIGMA)`, `lognormal(MU,SIGMA,SHIFT)` or
/// `lognormal(MU,SIGMA,SHIFT,LEAST,MOST)`; with `tasks*` before it, of the units for each task of the job,
/// of which all tasks have the same number.
///
/// SHIFT is added to e to the power of a normal variate of mean MU and standard deviation SIGMA. The sum
/// is at least LEAST and at most MOST. It is rounded to a whole number of units, after its product with
/// the number of tasks. What exceeds the amount of the cluster is cut, and [told](super::Misfits).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomAmount {
    /// True if the distribution is of the units for each task.
    pub per_task: bool,
    /// Mean and standard deviation of the logarithm.
    pub mu: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// Units that are added.
    pub shift: f64,
    /// Smallest number of units.
    pub least: f64,
    /// Largest number of units.
    pub most: f64,
}

/// Largest number of units in a distribution.
const MOST_UNITS: f64 = 1e12;

impl RandomAmount {
    fn parse(text: &str) -> Option<RandomAmount> {
        let (per_task, text) = match text.strip_prefix("tasks*") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let inner = text.strip_prefix("lognormal(")?.strip_suffix(')')?;
        let number = |word: &str| word.trim().parse::<f64>().ok().filter(|it| it.abs() <= MOST_UNITS);
        let numbers = inner.split(',').map(number).collect::<Option<Vec<f64>>>()?;
        let (mu, sigma, shift, least, most) = match numbers[..] {
            [mu, sigma] => (mu, sigma, 0.0, 0.0, MOST_UNITS),
            [mu, sigma, shift] => (mu, sigma, shift, 0.0, MOST_UNITS),
            [mu, sigma, shift, least, most] => (mu, sigma, shift, least, most),
            _ => return None,
        };
        let is_valid = sigma >= 0.0 && least >= 0.0 && least <= most;
        is_valid.then_some(RandomAmount { per_task, mu, sigma, shift, least, most })
    }

    /// Draws the units of a job with this number of tasks.
    fn draw(&self, tasks: u32, rng: &mut impl rand::Rng) -> u64 {
        let normal: f64 = rng.sample(StandardNormal);
        let units = self.shift + libm::exp(self.mu + self.sigma * normal);
        let times = if self.per_task { f64::from(tasks) } else { 1.0 };
        (units.clamp(self.least, self.most) * times).round() as u64
    }
}

impl fmt::Display for RandomAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RandomAmount { per_task, mu, sigma, shift, least, most } = self;
        write!(f, "{}lognormal({mu},{sigma}", if *per_task { "tasks*" } else { "" })?;
        let is_bounded = (*least, *most) != (0.0, MOST_UNITS);
        if *shift != 0.0 || is_bounded {
            write!(f, ",{shift}")?;
        }
        if is_bounded { write!(f, ",{least},{most})") } else { f.write_str(")") }
    }
}

crate::parses!(
    Request,
    "invalid request `{text}`; expected RESOURCE:PROBABILITY:NUMBERS or RESOURCE:PROBABILITY:NUMBERS:NEED such as gpu:0.3:1+2:0.5-1, \
     RESOURCE:PROBABILITY:lognormal(MU,SIGMA), or @FEATURE:PROBABILITY, optionally followed by :overSECONDS and :maxTASKS",
    parse
);

fn parse(text: &str) -> Option<Request> {
    let part = |word: &str| word.parse::<f64>().ok().filter(|part| (0.0..=1.0).contains(part));
    let mut words: Vec<&str> = text.split(':').collect();
    let mut suffix = |begin: &str| {
        let number = words.last().and_then(|word| word.strip_prefix(begin))?;
        let number = number.parse::<u32>().ok().filter(|number| *number > 0);
        words.pop();
        Some(number)
    };
    let most_tasks = suffix("max").unwrap_or(Some(u32::MAX))?;
    let over_s = suffix("over").unwrap_or(Some(0))?;
    if let Some(name) = words.first()?.strip_prefix('@').filter(|name| !name.is_empty()) {
        let [_, probability] = words[..] else { return None };
        let what = RequestTarget::Feature { name: name.to_owned() };
        return Some(Request { what, probability: part(probability)?, most_tasks, over_s });
    }
    if let [name, probability, amount] = words[..]
        && let Some(amount) = RandomAmount::parse(amount)
    {
        let what = RequestTarget::Amount { name: name.to_owned(), amount };
        let request = Request { what, probability: part(probability)?, most_tasks, over_s };
        return (!name.is_empty()).then_some(request);
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
    let request = Request { what, probability: part(probability)?, most_tasks, over_s };
    (is_range && !name.is_empty()).then_some(request)
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { what, probability, most_tasks, over_s } = self;
        match what {
            RequestTarget::Feature { name } => write!(f, "@{name}:{probability}")?,
            RequestTarget::Amount { name, amount } => write!(f, "{name}:{probability}:{amount}")?,
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
        if *over_s > 0 {
            write!(f, ":over{over_s}")?;
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
            RequestTarget::Amount { name, .. } => common_index(classes, name).is_none(),
            RequestTarget::Feature { name } => {
                name.split('|').any(|name| !classes.features().iter().any(|known| known == name))
            }
        };
        let Some(found) = self.requests.iter().find(is_unknown) else {
            return self
                .requests
                .iter()
                .find_map(|request| Some((request, has_no_effect(classes, request)?)));
        };
        let profile = match &found.what {
            RequestTarget::Resource { name, .. } => Some(name.as_str()).filter(|name| is_profile(name)),
            RequestTarget::Amount { name, .. } if resource_index(classes, name).is_some() => {
                let reason = format!("{name} is a resource of nodes; expected numbers of units such as 1+2");
                return Some((found, reason));
            }
            RequestTarget::Amount { .. } | RequestTarget::Feature { .. } => None,
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
        demand.clear();
        demand.resources.resize(classes.resources().len(), ResourceRequest::default());
        // Amounts that the job requests itself, by index.
        let mut common: Vec<(usize, u64)> = Vec::new();
        for (number, request) in (0..).zip(&self.requests) {
            let mut rng = self.seed.fork("requests").numbered(number).numbered(job.id.original().0).rng();
            let asked_time = job.requested_time.unwrap_or(job.run_time).micros();
            let is_short = request.over_s > 0 && asked_time <= u64::from(request.over_s) * 1_000_000;
            if rng.random::<f64>() >= request.probability || job.tasks > request.most_tasks || is_short {
                continue;
            }
            match &request.what {
                RequestTarget::Feature { name } => {
                    require_features(demand, classes, name);
                }
                RequestTarget::Amount { name, amount } => {
                    let Some(place) = common_index(classes, name) else { continue };
                    let (drawn, has) =
                        (amount.draw(job.tasks, &mut rng), classes.common()[place].lasting_amount());
                    demand.is_cut |= drawn > has;
                    common.push((place, drawn.min(has)));
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

/// Says which part of a request cannot be met or has no effect; `None` if there is none.
fn has_no_effect(classes: &NodeClasses, request: &Request) -> Option<String> {
    let is_common =
        |name: &str| resource_index(classes, name).is_none() && common_index(classes, name).is_some();
    match &request.what {
        RequestTarget::Resource { name, need, .. } if *need != (1.0, 1.0) && is_common(name) => {
            Some(format!(
                "`{name}` is a resource of the whole cluster, of which jobs hold whole units: leave the fraction out"
            ))
        }
        _ => too_many_devices(classes, request),
    }
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
        [] => "no node class has this resource or feature, and the cluster as a whole has no such resource; the platform defines none".to_owned(),
        known => format!("no node class has this resource or feature, nor has the cluster as a whole; known are {}", known.join(", ")),
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
            "bb:1:lognormal(1)",
            "bb:1:lognormal(1,-1)",
            "bb:1:lognormal(1,1,0,5,4)",
            "bb:1:lognormal(NaN,1)",
            "bb:1:lognormal(1,inf)",
            "bb:1:task*lognormal(1,1)",
            ":1:lognormal(1,1)",
            "bb:1:lognormal(1,1):over0",
            "bb:1:lognormal(1,1):max8:over9",
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

    /// Amounts of the whole cluster follow their distribution. They are cut to what the cluster has, which
    /// is told.
    #[test]
    fn amounts_are_drawn_from_a_distribution() {
        let text = "common = { bb = { amount = 100, per_task = 1 } }
            classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, resources = { gpu = 4 } }]";
        let classes = PlatformFields::parse("platform.toml", text).unwrap().classes().unwrap();
        let drawn = |text: &str| -> Vec<Demand> {
            let demands = Demands { requests: vec![text.parse().unwrap()], ..Demands::default() };
            assert_eq!(demands.find_unknown(&classes), None);
            (0..2000).map(|id| demands.of(&classes, &job(id))).collect()
        };
        let median = |all: &[Demand]| {
            let mut amounts: Vec<u64> = all.iter().map(|it| it.common[0]).collect();
            amounts.sort_unstable();
            amounts[1000]
        };
        // e to the power of 3 is 20.1.
        let plain = drawn("bb:1:lognormal(3,0.5)");
        assert!((18..=22).contains(&median(&plain)), "{}", median(&plain));
        let is_within = |sigmas: f64| {
            let bounds = [3.0 - 0.5 * sigmas, 3.0 + 0.5 * sigmas].map(f64::exp);
            plain.iter().filter(|it| (bounds[0]..bounds[1]).contains(&(it.common[0] as f64))).count()
        };
        assert!((1300..1430).contains(&is_within(1.0)), "{}", is_within(1.0));
        assert!(plain.iter().filter(|it| it.is_cut).count() < 10, "100 is 3.2 deviations above the mean");
        let each = drawn("bb:1:tasks*lognormal(3,0.5)");
        assert!((36..=44).contains(&median(&each)), "two tasks: {}", median(&each));
        assert!(each.iter().any(|it| it.is_cut) && each.iter().all(|it| it.is_cut <= (it.common[0] == 100)));
        let bounded = drawn("bb:1:lognormal(3,0.5,-10,5,15)");
        assert!(bounded.iter().all(|it| (5..=15).contains(&it.common[0])));
        assert!((9..=11).contains(&median(&bounded)), "{}", median(&bounded));
        assert!(drawn("bb:1:lognormal(3,0.5):over1").iter().all(|it| it.common == [2]), "jobs of 1 s");
        let wrong = |text: &str| {
            let demands = Demands { requests: vec![text.parse().unwrap()], ..Demands::default() };
            demands.find_unknown(&classes).map(|it| it.1)
        };
        assert_eq!(
            wrong("gpu:1:lognormal(1,1)").unwrap(),
            "gpu is a resource of nodes; expected numbers of units such as 1+2"
        );
        assert!(wrong("fpga:1:lognormal(1,1)").unwrap().ends_with("known are gpu, bb"));
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
