//! The labels of rows that pandas keeps with its columns.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;

/// An argument with its name, if it was passed.
pub(crate) type Argument<'a, 'py> = (&'a str, Option<&'a Bound<'py, PyAny>>);

/// The index that all pandas columns share; `None` if no column is from pandas.
///
/// Rows are matched by position here, and by label in pandas: the two must agree. Columns of
/// different lengths form no rows, and are refused later.
///
/// # Errors
/// `ColumnError` for a column whose labels differ from those of the columns before it.
pub(crate) fn common(
    py: Python<'_>,
    arguments: &[Argument<'_, '_>],
) -> PyResult<Option<Py<PyAny>>> {
    let mut common: Option<(&str, Bound<'_, PyAny>)> = None;
    for (name, object) in arguments {
        let Some(object) = object else { continue };
        let Some(index) = index(object)? else {
            continue;
        };
        let Some((first, before)) = &common else {
            common = Some((name, index));
            continue;
        };
        let equals = intern!(py, "equals");
        if before.len()? == index.len()? && !before.call_method1(equals, (&index,))?.is_truthy()? {
            let rule = format!(
                "index must equal that of {first}; to match rows by position, call \
                 reset_index(drop=True) on both"
            );
            return Err(errors::column(py, name, &rule));
        }
    }
    Ok(common.map(|(_, index)| index.unbind()))
}

/// The index of an object, if it is a Series or DataFrame of pandas.
fn index<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    // If nothing has imported pandas, no object is from pandas.
    let modules = py.import(intern!(py, "sys"))?;
    let modules = modules.getattr(intern!(py, "modules"))?;
    let Some(pandas) = modules
        .cast_into::<PyDict>()?
        .get_item(intern!(py, "pandas"))?
    else {
        return Ok(None);
    };
    for class in [intern!(py, "Series"), intern!(py, "DataFrame")] {
        if let Some(class) = pandas.getattr_opt(class)?
            && object.is_instance(&class)?
        {
            return object.getattr(intern!(py, "index")).map(Some);
        }
    }
    Ok(None)
}
