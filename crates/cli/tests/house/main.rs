//! Tests rules of this project: its layout, and the words of its comments.

mod architecture;
mod map;
mod sources;
mod words;
