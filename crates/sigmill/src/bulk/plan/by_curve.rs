//! A value for every curve.

#[cfg(feature = "serde")]
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

#[cfg(feature = "serde")]
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::CurveName;

const CURVES: usize = CurveName::ALL.len();

/// A value for every curve, in the order of [`CurveName::ALL`]. Serializes as an object with one
/// member per curve; an object with a missing or an unknown member is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bulk) struct ByCurve<T>(pub(super) [T; CURVES]);

impl<T> ByCurve<T> {
    /// Creates the values by calling `of` for every curve.
    pub(in crate::bulk) fn of_every(mut of: impl FnMut(CurveName) -> T) -> Self {
        Self(std::array::from_fn(|place| of(CurveName::ALL[place])))
    }

    /// Returns the values.
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

fn place(curve: CurveName) -> usize {
    let place = CurveName::ALL.iter().position(|&other| other == curve);
    place.unwrap_or_else(|| unreachable!("ALL has every curve"))
}

impl<T> Index<CurveName> for ByCurve<T> {
    type Output = T;

    fn index(&self, curve: CurveName) -> &T {
        &self.0[place(curve)]
    }
}

impl<T> IndexMut<CurveName> for ByCurve<T> {
    fn index_mut(&mut self, curve: CurveName) -> &mut T {
        &mut self.0[place(curve)]
    }
}

#[cfg(feature = "serde")]
impl<T: Serialize> Serialize for ByCurve<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = CurveName::ALL.iter().map(|curve| curve.as_str());
        serializer.collect_map(names.zip(&self.0))
    }
}

#[cfg(feature = "serde")]
impl<'de, T: Deserialize<'de> + Copy> Deserialize<'de> for ByCurve<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = BTreeMap::<String, T>::deserialize(deserializer)?;
        let mut values = Vec::with_capacity(CURVES);
        for curve in CurveName::ALL {
            let value = members.remove(curve.as_str());
            values.push(value.ok_or_else(|| D::Error::custom(format!("{curve} is missing")))?);
        }
        if let Some(other) = members.keys().next() {
            return Err(D::Error::custom(format!("unknown curve {other:?}")));
        }
        match values.try_into() {
            Ok(values) => Ok(Self(values)),
            Err(_) => unreachable!("a value was found for every curve"),
        }
    }
}
