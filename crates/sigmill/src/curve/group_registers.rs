//! The group over a field in registers, for the bodies of loops.

use super::{AffinePoint, Curve, ExtendedPoint, Group};
use crate::field::Registers;

impl<C: Curve, R: Registers> Group<C, R> {
    /// Loads a point from memory.
    #[inline(always)]
    pub fn load(&self, p: &AffinePoint<R::Stored>) -> AffinePoint<R::Element> {
        AffinePoint {
            x: self.field().load(&p.x),
            y: self.field().load(&p.y),
        }
    }

    /// Stores a point to memory.
    #[inline(always)]
    pub fn store(&self, p: &AffinePoint<R::Element>) -> AffinePoint<R::Stored> {
        AffinePoint {
            x: self.field().store(&p.x),
            y: self.field().store(&p.y),
        }
    }

    /// Loads a point in extended coordinates from memory.
    #[inline(always)]
    pub fn load_extended(&self, p: &ExtendedPoint<R::Stored>) -> ExtendedPoint<R::Element> {
        ExtendedPoint {
            x: self.field().load(&p.x),
            y: self.field().load(&p.y),
            zz: self.field().load(&p.zz),
            zzz: self.field().load(&p.zzz),
        }
    }

    /// Stores a point in extended coordinates to memory.
    #[inline(always)]
    pub fn store_extended(&self, p: &ExtendedPoint<R::Element>) -> ExtendedPoint<R::Stored> {
        ExtendedPoint {
            x: self.field().store(&p.x),
            y: self.field().store(&p.y),
            zz: self.field().store(&p.zz),
            zzz: self.field().store(&p.zzz),
        }
    }
}
