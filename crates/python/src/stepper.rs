//! Simulation in steps, which waits for the answer to each view.

use crate::result::Simulated;
use crate::view::Views;
use crate::workload::Workload;
use crate::{SimulationError, options, policy, value_error};
use dfrsim::external::protocol::{Answer, Greeting, Message, Partner, ProtocolScheduler};
use dfrsim::policies::Policy;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Simulation that advances with each answer; views and answers are those of a policy's `decide`.
#[pyclass(module = "dfrsim", frozen)]
pub(crate) struct Stepper(Mutex<State>);

struct State {
    /// True if `begin` was called.
    has_begun: bool,
    /// Channel of the answers; `None` once the simulation is over.
    to: Option<SyncSender<Answer>>,
    from: Receiver<Py<PyAny>>,
    thread: Option<JoinHandle<Result<Simulated, String>>>,
    result: Option<Py<Simulated>>,
}

/// End of the channels in the thread of the simulation.
struct StepPartner {
    views: Views,
    lists: bool,
    to: SyncSender<Py<PyAny>>,
    from: Receiver<Answer>,
}

impl Partner for StepPartner {
    fn begin(&mut self, _: &Message<'_>) -> Result<Greeting, String> {
        Ok(Greeting { lists: self.lists, ..Greeting::default() })
    }
    fn decide(&mut self, message: &Message<'_>) -> Result<Answer, String> {
        let abandoned = || "the caller has stopped answering".to_owned();
        let view = Python::attach(|py| self.views.view(py, message).map(Bound::unbind));
        self.to.send(view.map_err(|error| error.to_string())?).map_err(|_| abandoned())?;
        self.from.recv().map_err(|_| abandoned())
    }
    fn end(&mut self, _: &Message<'_>) {}
}

impl State {
    /// Waits for the next view; returns `None` at the end.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let from = Mutex::new(&mut self.from);
        let view = py.detach(|| from.lock().ok().and_then(|from| from.recv().ok()));
        if view.is_some() {
            return Ok(view);
        }
        self.to = None;
        let thread = self.thread.take().ok_or_else(|| value_error("the simulation is over"))?;
        match py.detach(|| thread.join()) {
            Ok(Ok(result)) => self.result = Some(Py::new(py, result)?),
            Ok(Err(fault)) => return Err(SimulationError::new_err(fault)),
            Err(_) => return Err(SimulationError::new_err("the simulation stopped unexpectedly")),
        }
        Ok(None)
    }
}

#[pymethods]
impl Stepper {
    #[new]
    #[pyo3(signature = (workload, *, arrays=false, lists=false, **options))]
    fn new(
        py: Python<'_>,
        workload: &Workload,
        arrays: bool,
        lists: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Stepper> {
        // The decisions come from the caller; this policy is one that reads no settings of a site.
        let setup = options::setup(Policy::Equipartition, options, workload)?;
        let mut views = Views::new(py, arrays)?;
        views.set_nodes(py, setup.nodes);
        let (to_views, from) = sync_channel(0);
        let (to, answers) = sync_channel(0);
        let jobs = workload.jobs.clone();
        let thread = thread::spawn(move || {
            let caller = StepPartner { views, lists, to: to_views, from: answers };
            let scheduler = ProtocolScheduler::new(caller, setup.nodes);
            let mut scheduler = scheduler.at_site(setup.site.as_ref());
            Simulated::run("Stepper", &setup, &jobs, &mut scheduler, false)
        });
        Ok(Stepper(Mutex::new(State {
            has_begun: false,
            to: Some(to),
            from,
            thread: Some(thread),
            result: None,
        })))
    }

    /// Begins the simulation and returns the first view; None if there are no jobs.
    fn begin(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let mut state = self.state()?;
        if std::mem::replace(&mut state.has_begun, true) {
            return Err(value_error("the simulation has already begun; use step to answer its last view"));
        }
        state.next(py)
    }

    /// Answers the last view and returns the next one, or None at the end.
    #[pyo3(signature = (answer=None))]
    fn step(&self, py: Python<'_>, answer: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
        let read = |answer| {
            policy::answer(answer).map_err(|error| value_error(format_args!("invalid answer: {error}")))
        };
        let answer: Answer = answer.map(read).transpose()?.unwrap_or_default();
        let mut state = self.state()?;
        if !state.has_begun {
            return Err(value_error("there is no view to answer; begin returns the first one"));
        }
        let to = state.to.as_ref().ok_or_else(|| value_error("the simulation is over"))?;
        // If the simulation is over, waiting for the next view reports the reason.
        let _ = py.detach(|| to.send(answer));
        state.next(py)
    }

    /// Returns the result, once the simulation is over.
    #[getter]
    fn result(&self, py: Python<'_>) -> PyResult<Option<Py<Simulated>>> {
        Ok(self.state()?.result.as_ref().map(|result| result.clone_ref(py)))
    }
}

impl Stepper {
    fn state(&self) -> PyResult<std::sync::MutexGuard<'_, State>> {
        self.0.try_lock().map_err(|_| value_error("another thread is stepping this simulation"))
    }
}
