//! The twelve steps of a turn, in order, and what the report has of each: events with their causes, gains of strength, and
//! the flags of Botzone's log.

mod end;
mod fruit;
mod lights;
mod moves;
