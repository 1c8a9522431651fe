//! What jobs ask for beside CPU and memory.

use super::{Asked, Demand, NodeClasses};
use crate::{Job, JobId, Seed, Share};
use rand::RngExt as _;
use std::collections::BTreeMap;
use std::fmt;

/// What some jobs, which are drawn, ask for.
///
/// Written `gpu:0.3:1+2:0.5-1` (resource, probability, numbers for a task, the part of each that a task can use), or
/// `@feature:0.1` (feature and probability). With `:max8` at the end only jobs of at most 8 tasks are drawn.
///
/// ```
/// use dfrsim_model::platform::classes::Request;
/// for text in ["gpu:0.3:1", "gpu:0.3:1+2+4:0.5", "gpu:1:1:0.25-1", "gpu:0.3:1:max8", "@nvlink:0.1"] {
///     assert_eq!(text.parse::<Request>().unwrap().to_string(), text);
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What is asked for.
    pub what: Requested,
    /// How likely a job asks for it.
    pub probability: f64,
    /// The most tasks of a job that asks for it.
    pub most_tasks: u32,
}

/// What a job asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Requested {
    /// Units of a resource.
    Resource {
        /// The resource.
        name: String,
        /// The numbers that a task may ask for, each as likely; not empty.
        per_task: Vec<u32>,
        /// The least and the most part of each unit that a task can use; drawn uniformly.
        need: (f64, f64),
    },
    /// A feature of nodes.
    Feature {
        /// The feature.
        name: String,
    },
}

crate::parses!(
    Request,
    "unknown request `{text}`; expected RESOURCE:PROBABILITY:NUMBERS or RESOURCE:PROBABILITY:NUMBERS:NEED, as gpu:0.3:1+2:0.5-1, or \
     @FEATURE:PROBABILITY, with :maxTASKS at the end or without",
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
        let what = Requested::Feature { name: name.to_owned() };
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
    let what = Requested::Resource { name: name.to_owned(), per_task, need };
    let request = Request { what, probability: part(probability)?, most_tasks };
    (is_range && !name.is_empty()).then_some(request)
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { what, probability, most_tasks } = self;
        match what {
            Requested::Feature { name } => write!(f, "@{name}:{probability}")?,
            Requested::Resource { name, per_task, need: (least, most) } => {
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

/// What jobs ask for: given by a log, or drawn from a stream of each job's own, so that it depends on no other job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demands {
    /// What is drawn. Of two requests for the same resource the later one counts.
    pub requests: Vec<Request>,
    /// The seed of what is drawn.
    pub seed: Seed,
    /// What a log says of its jobs: numbers of units that all tasks of a job ask for together, by name. They count instead of what
    /// is drawn. A name with `@` before it is a feature that each of its nodes has.
    pub given: BTreeMap<JobId, Vec<(String, u32)>>,
}

impl Demands {
    /// The first request for what no class has.
    pub fn unknown<'a>(&'a self, classes: &NodeClasses) -> Option<&'a Request> {
        self.requests.iter().find(|request| match &request.what {
            Requested::Resource { name, .. } => place_of(classes, name).is_none(),
            Requested::Feature { name } => !classes.features().contains(name),
        })
    }

    /// What the tasks of a job ask for. What no class has is left out.
    pub fn of(&self, classes: &NodeClasses, job: &Job) -> Demand {
        let mut demand = Demand { resources: vec![Asked::default(); classes.resources().len()], features: 0 };
        for (number, request) in (0..).zip(&self.requests) {
            let mut rng = self.seed.fork("requests").numbered(number).numbered(job.id.0).rng();
            if rng.random::<f64>() >= request.probability || job.tasks > request.most_tasks {
                continue;
            }
            match &request.what {
                Requested::Feature { name } => {
                    demand.features |= feature_of(classes, name);
                }
                Requested::Resource { name, per_task, need: (least, most) } => {
                    let Some(place) = place_of(classes, name) else { continue };
                    let count = per_task[rng.random_range(0..per_task.len())];
                    // Hundredths, as people write them.
                    let need = (rng.random_range(*least..=*most) * 100.0).ceil().clamp(1.0, 100.0);
                    let need = Share::from_ratio(need as u64, 100);
                    demand.resources[place] = Asked { count, need };
                }
            }
        }
        for (name, count) in self.given.get(&job.id).into_iter().flatten() {
            if let Some(feature) = name.strip_prefix('@') {
                demand.features |= feature_of(classes, feature);
            } else if let Some(place) = place_of(classes, name) {
                let drawn = demand.resources[place];
                let need = if drawn.count > 0 { drawn.need } else { Share::ONE };
                demand.resources[place] = Asked { count: count.div_ceil(job.tasks.max(1)), need };
            }
        }
        demand
    }
}

/// The bit of a feature; none if no class has it.
fn feature_of(classes: &NodeClasses, name: &str) -> u64 {
    classes.features().iter().position(|other| other == name).map_or(0, |bit| 1 << bit)
}

fn place_of(classes: &NodeClasses, name: &str) -> Option<usize> {
    classes.resources().iter().position(|resource| &*resource.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimSpan;
    use crate::platform::classes::PlatformFields;

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

    /// What a job asks for depends on no other job; about as many ask as are to; what a log says counts first.
    #[test]
    fn demands_are_drawn_for_each_job_alone() {
        let text = "classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8, resources = { gpu = 4 }, features = ['x'] }]";
        let classes = PlatformFields::parse("platform.toml", text).unwrap().classes().unwrap();
        let requests = ["gpu:0.25:1+2:0.5-1", "@x:0.5"].map(|text| text.parse().unwrap()).to_vec();
        let mut demands = Demands { requests, ..Demands::default() };
        assert_eq!(demands.unknown(&classes), None);
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
    }
}
