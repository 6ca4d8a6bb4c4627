//! Tests in which bots must meet real deadlines, or in which the test itself relies on the clock.

mod arena;
mod check;
mod elsewhere;
mod job_faults;
mod jobs;
mod misbehaviour;
mod serve;
mod tournament;
