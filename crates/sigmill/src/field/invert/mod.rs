//! Inverses of one or many values, in constant and in variable time; Legendre symbols, powers and
//! roots.

pub(super) mod binary_gcd;
#[cfg(feature = "comparisons")]
mod binary_gcd_inverse;
#[cfg(target_arch = "x86_64")]
mod binary_gcd_x86;
mod divsteps;
#[cfg(target_arch = "x86_64")]
mod divsteps_x86;
#[cfg(feature = "comparisons")]
mod fermat;
#[cfg(feature = "comparisons")]
pub mod for_proofs;
mod many;
mod many_vartime;
pub(super) mod one;
pub(super) mod one_vartime;
#[cfg(target_arch = "x86_64")]
mod one_vartime_x86;
mod power;
pub(super) mod power_vartime;
mod roots;
mod signed_62;

#[cfg(feature = "comparisons")]
pub use binary_gcd_inverse::binary_gcd_inverse;
#[cfg(feature = "comparisons")]
pub use fermat::{euler_symbol, fermat_inverse};
pub(crate) use many::invert_lanes;
pub use many::{ConstantTime, Denominators, Inversion, TOGETHER, invert_all};
pub use many_vartime::{VariableTime, invert_all_vartime};
pub use one::invert_two;
pub use power_vartime::inverse_square_root_vartime;
#[cfg(feature = "bulk")]
pub use roots::operations_of_root;
pub use roots::roots_of_all;
