//! Tests the simulated cluster under scripted policies: the order of events, rejected decisions, and
//! metrics.

mod event_loop;
mod fifty_years;
mod figures;
mod followers;
mod needs;
mod outside;
mod rules;
mod support;
