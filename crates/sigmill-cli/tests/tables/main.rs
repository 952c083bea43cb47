//! `sigmill verify`, `sigmill sample` and a bare `sigmill`, through the command.

mod costs;
mod demo;
mod effort;
mod encodings;
mod files;
mod key_store;
mod meaning;
mod memory;
mod output;
mod proportion;
mod rows;
mod same_file;
mod sample;
mod streams;
mod support;
mod threads;
