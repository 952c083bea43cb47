//! sigmill
