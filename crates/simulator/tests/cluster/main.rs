//! The simulated cluster under scripted policies: what happens when, what is refused, what is measured.

mod event_loop;
mod fifty_years;
mod figures;
mod followers;
mod needs;
mod outside;
mod rules;
mod support;
