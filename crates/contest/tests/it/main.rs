//! A contest from the outside.

mod server;
