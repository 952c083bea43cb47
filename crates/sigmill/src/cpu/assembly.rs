//! Text of assembly.

/// Lines of assembly. The literals of a line are joined: names of registers come as arguments.
macro_rules! lines {
    ($($($part:literal)+;)+) => {
        concat!($($($part,)+ "\n",)+)
    };
}

pub(crate) use lines;
