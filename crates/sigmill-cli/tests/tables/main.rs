//! `sigmill verify`, `sigmill sample` and a bare `sigmill`, through the command.

mod demo;
mod effort;
mod encodings;
mod files;
mod output;
mod rows;
mod sample;
mod streams;
mod support;
