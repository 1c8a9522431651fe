//! The off-line study through the frame.
