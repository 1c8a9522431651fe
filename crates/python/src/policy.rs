//! Policies that are Python objects, and handling of Ctrl-C while any policy runs.

use crate::value_error;
use crate::view::Views;
use dfrsim::external::protocol::{Answer, Greeting, Message, Partner, ProtocolScheduler};
use dfrsim::policies::fractional::PolicySetting;
use dfrsim::policies::{CustomPolicy, PolicyFamily};
use dfrsim::prelude::*;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use pythonize::depythonize;
use std::sync::{Arc, Mutex, PoisonError};

/// Exception that Python raised during a simulation, which ends because of it.
#[derive(Clone, Default)]
pub(crate) struct RaisedException(Arc<Mutex<Option<PyErr>>>);

impl RaisedException {
    fn set(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Policy that calls a Python object with a method `decide`, and optionally `begin` and `end`.
pub(crate) struct PythonPolicy {
    object: Py<PyAny>,
    views: Views,
    wants_lists: bool,
    stopped: RaisedException,
}

impl PythonPolicy {
    pub(crate) fn new(object: &Bound<'_, PyAny>, stopped: &RaisedException) -> PyResult<PythonPolicy> {
        check(object)?;
        let is_true = |name: &str| -> PyResult<bool> {
            object.getattr_opt(name)?.map_or(Ok(false), |value| value.is_truthy())
        };
        let views = Views::new(object.py(), is_true("arrays")?)?;
        let wants_lists = is_true("lists")?;
        Ok(PythonPolicy { object: object.clone().unbind(), views, wants_lists, stopped: stopped.clone() })
    }

    /// Calls a method with a message and parses the result; returns the default if there is no such
    /// method, or it returns None.
    fn call<T: Default>(
        &mut self,
        name: &str,
        message: &Message<'_>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, String> {
        Python::attach(|py| {
            let object = self.object.bind(py);
            let views = &mut self.views;
            let call = || -> PyResult<T> {
                let view = views.view(py, message)?;
                // The methods other than `decide` are optional, and an attribute that is not
                // callable is not treated as one.
                let Some(method) = object.getattr_opt(name)?.filter(|found| found.is_callable()) else {
                    return Ok(T::default());
                };
                let answer = method.call1((view,))?;
                if answer.is_none() {
                    return Ok(T::default());
                }
                read(&answer).map_err(|error| {
                    value_error(format_args!("the value that {name} returns is invalid: {error}"))
                })
            };
            call().map_err(|error| {
                if let Message::Decide { now, .. } = message {
                    // Python 3.10 has no notes, so that the exception lacks this detail there.
                    let _ = error.value(py).call_method1("add_note", (format!("in {name} at {now} s"),));
                }
                let text = describe_error(py, &error);
                self.stopped.set(error);
                text
            })
        })
    }
}

/// Formats an exception with the place in which it was raised.
pub(crate) fn describe_error(py: Python<'_>, error: &PyErr) -> String {
    let last = error.traceback(py).and_then(|mut traceback| {
        while let Ok(next) = traceback.getattr("tb_next").and_then(|next| Ok(next.cast_into()?)) {
            traceback = next;
        }
        let code = traceback.getattr("tb_frame").and_then(|frame| frame.getattr("f_code")).ok()?;
        let (file, name) = (code.getattr("co_filename").ok()?, code.getattr("co_name").ok()?);
        Some(format!(" ({file}, line {}, in {name})", traceback.getattr("tb_lineno").ok()?))
    });
    format!("{error}{}", last.unwrap_or_default())
}

fn check(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if object.getattr_opt("decide")?.is_some_and(|found| found.is_callable()) {
        return Ok(());
    }
    let found = object.repr()?;
    Err(value_error(format_args!(
        "the policy is {found}, expected the name of a policy or an object with a method decide"
    )))
}

fn read<T: for<'a> serde::Deserialize<'a>>(answer: &Bound<'_, PyAny>) -> PyResult<T> {
    Ok(depythonize(answer)?)
}

/// Parses an answer; one that only starts jobs takes a fast path.
pub(crate) fn answer(answer: &Bound<'_, PyAny>) -> PyResult<Answer> {
    if let Ok(fields) = answer.cast::<PyDict>()
        && fields.len() == 1
        && let Some(start) = fields.get_item(intern!(answer.py(), "start"))?
        && let Ok(start) = start.extract()
    {
        return Ok(Answer { start, ..Answer::default() });
    }
    read(answer)
}

impl Partner for PythonPolicy {
    fn begin(&mut self, message: &Message<'_>) -> Result<Greeting, String> {
        let greeting: Greeting = self.call("begin", message, read)?;
        Ok(Greeting { lists: greeting.lists || self.wants_lists, ..greeting })
    }
    fn decide(&mut self, message: &Message<'_>) -> Result<Answer, String> {
        self.call("decide", message, answer)
    }
    fn end(&mut self, message: &Message<'_>) {
        // The exception is stored, and raised after the simulation.
        let _ = self.call("end", message, |_| Ok(()));
    }
}

/// Creates a policy. If `maker` is a class or a function it is called for each simulation; otherwise
/// it is an object that all simulations share.
pub(crate) fn custom(
    name: &str,
    version: &str,
    maker: &Bound<'_, PyAny>,
    stopped: &RaisedException,
) -> PyResult<CustomPolicy> {
    let is_maker =
        maker.is_instance_of::<PyType>() || maker.getattr_opt("decide")?.is_none() && maker.is_callable();
    if !is_maker {
        check(maker)?;
    }
    let (maker, stopped) = (maker.clone().unbind(), stopped.clone());
    let make = move |nodes, _: &PolicyOptions, site: Option<&_>| -> Box<dyn Scheduler> {
        let made = Python::attach(|py| {
            let maker = maker.bind(py);
            let object = if is_maker { maker.call0() } else { Ok(maker.clone()) };
            object.and_then(|object| PythonPolicy::new(&object, &stopped)).map_err(|error| {
                let text = describe_error(py, &error);
                stopped.set(error);
                text
            })
        });
        match made {
            Ok(policy) => Box::new(ProtocolScheduler::new(policy, nodes).at_site(site)),
            Err(fault) => Box::new(FailedPolicy(fault)),
        }
    };
    Ok(CustomPolicy::new(name, version, make).reading([PolicySetting::Site]))
}

/// Policy whose object could not be created, with the reason.
struct FailedPolicy(String);

impl Scheduler for FailedPolicy {
    fn decide(&mut self, _: &Situation<'_>, decision: &mut Decision) {
        decision.fail(self.0.clone());
    }
}

/// Returns the family of policies in files: `python:FILE:CLASS`.
pub(crate) fn family() -> PolicyFamily {
    PolicyFamily {
        prefix: "python",
        form: "python:FILE.py:CLASS",
        description: "a class of a Python file with a method decide",
        create: |name| {
            let (file, class) = name
                .strip_prefix("python:")
                .and_then(|rest| rest.rsplit_once(':'))
                .ok_or("expected python:FILE.py:CLASS")?;
            Python::attach(|py| {
                let found = py.import("dfrsim._policies")?.call_method1("load", (file, class))?;
                let (maker, version): (Bound<'_, PyAny>, String) = found.extract()?;
                let policy = custom(name, &version, &maker, &RaisedException::default())?;
                Ok(policy.described(format!("{class} of {file}")).running_command(vec![file.to_owned()]))
            })
            .map_err(|error: PyErr| Python::attach(|py| describe_error(py, &error)))
        },
    }
}

/// Scheduler that checks for Ctrl-C at regular intervals.
pub(crate) struct Interruptible {
    scheduler: Box<dyn Scheduler>,
    stopped: RaisedException,
    decisions: u32,
}

/// Number of decisions between two checks for signals.
const SIGNAL_INTERVAL: u32 = 4096;

impl Interruptible {
    pub(crate) fn new(scheduler: Box<dyn Scheduler>, stopped: &RaisedException) -> Interruptible {
        Interruptible { scheduler, stopped: stopped.clone(), decisions: 0 }
    }
}

impl Scheduler for Interruptible {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.decisions += 1;
        if self.decisions.is_multiple_of(SIGNAL_INTERVAL)
            && let Err(error) = Python::attach(|py| py.check_signals())
        {
            self.stopped.set(error);
            return decision.fail("interrupted");
        }
        self.scheduler.decide(situation, decision);
    }
}
