//! What a page may ask, and what it is answered.

mod queries;
