//! Views of many games at once, from lanes.
