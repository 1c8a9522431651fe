//! Policies that are Python objects, and Ctrl-C while any policy runs.

use crate::view::Form;
use crate::wrong;
use dfrsim::external::protocol::{Answer, Greeting, Message, Partner, ProtocolScheduler};
use dfrsim::prelude::*;
use pyo3::prelude::*;
use pythonize::depythonize;
use std::sync::{Arc, Mutex, PoisonError};

/// What Python raised during a simulation, which ends because of it.
#[derive(Clone, Default)]
pub(crate) struct Stopped(Arc<Mutex<Option<PyErr>>>);

impl Stopped {
    fn set(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// An object with a method `decide`, and perhaps `begin` and `end`.
pub(crate) struct PythonPolicy {
    name: String,
    object: Py<PyAny>,
    form: Form,
    stopped: Stopped,
}

/// What is to be simulated.
pub(crate) enum Chosen {
    Known(Policy, Box<PolicyOptions>),
    Python(PythonPolicy),
}

impl Chosen {
    /// Its name and scheduler.
    pub(crate) fn scheduler(self, nodes: u32) -> (String, Box<dyn Scheduler>) {
        match self {
            Chosen::Known(policy, options) => (policy.to_string(), policy.scheduler(nodes, &options)),
            Chosen::Python(policy) => (policy.name.clone(), Box::new(ProtocolScheduler::new(policy, nodes))),
        }
    }
}

impl PythonPolicy {
    pub(crate) fn new(object: &Bound<'_, PyAny>, stopped: &Stopped) -> PyResult<PythonPolicy> {
        if !object.getattr_opt("decide")?.is_some_and(|found| found.is_callable()) {
            let found = object.repr()?;
            return Err(wrong(format_args!(
                "the policy is {found}, expected the name of a policy or an object with a method decide"
            )));
        }
        let name = object.get_type().name()?.to_string();
        let wants_arrays = object.getattr_opt("arrays")?.map_or(Ok(false), |arrays| arrays.is_truthy())?;
        let form = Form::new(object.py(), wants_arrays)?;
        Ok(PythonPolicy { name, object: object.clone().unbind(), form, stopped: stopped.clone() })
    }

    /// What a method makes of a message; the default if there is no such method, or it returns None.
    fn call<T: Default + for<'a> serde::Deserialize<'a>>(
        &self,
        name: &str,
        message: &Message,
    ) -> Result<T, String> {
        Python::attach(|py| {
            let object = self.object.bind(py);
            let call = || -> PyResult<T> {
                // What a policy keeps under the name of a method that it need not have is no method.
                let Some(method) = object.getattr_opt(name)?.filter(|found| found.is_callable()) else {
                    return Ok(T::default());
                };
                let answer = method.call1((self.form.view(py, message)?,))?;
                if answer.is_none() {
                    return Ok(T::default());
                }
                depythonize(&answer).map_err(|error| wrong(format_args!("what {name} returns: {error}")))
            };
            call().map_err(|error| {
                let text = error.to_string();
                self.stopped.set(error);
                text
            })
        })
    }
}

impl Partner for PythonPolicy {
    fn begin(&mut self, message: &Message) -> Result<Greeting, String> {
        self.call("begin", message)
    }
    fn decide(&mut self, message: &Message) -> Result<Answer, String> {
        self.call("decide", message)
    }
    fn end(&mut self, message: &Message) {
        // Its fault is kept, and raised.
        let _ = self.call::<Option<bool>>("end", message);
    }
}

/// Looks for Ctrl-C now and then.
pub(crate) struct Watched {
    scheduler: Box<dyn Scheduler>,
    stopped: Stopped,
    decisions: u32,
}

/// How many decisions are made between two looks.
const BETWEEN: u32 = 4096;

impl Watched {
    pub(crate) fn new(scheduler: Box<dyn Scheduler>, stopped: &Stopped) -> Watched {
        Watched { scheduler, stopped: stopped.clone(), decisions: 0 }
    }
}

impl Scheduler for Watched {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.decisions += 1;
        if self.decisions.is_multiple_of(BETWEEN)
            && let Err(error) = Python::attach(|py| py.check_signals())
        {
            self.stopped.set(error);
            return decision.fail("interrupted");
        }
        self.scheduler.decide(situation, decision);
    }
}
