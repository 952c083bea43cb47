//! Plans of calls.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The plan for the rows of a call, with its cost: `Engine.explain`, or `Verdicts.plan`.
///
/// Prints as a table.
#[pyclass(frozen, module = "sigmill", name = "Plan")]
pub(crate) struct Plan(pub(crate) sigmill::bulk::Plan);

#[pymethods]
impl Plan {
    /// The groups of rows that share curve, strategy and window: dictionaries of `curve`,
    /// `strategy`, `window` (bits; 0 without tables), `keys`, `rows`, `estimated` and `actual`
    /// (seconds on one thread; `actual` is `None` if the plan was not carried out).
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let groups = self.0.groups().iter();
        let dictionaries = groups.map(|group| {
            let dictionary = PyDict::new(py);
            dictionary.set_item("curve", group.curve.as_str())?;
            dictionary.set_item("strategy", group.strategy.to_string())?;
            dictionary.set_item("window", group.window)?;
            dictionary.set_item("keys", group.keys)?;
            dictionary.set_item("rows", group.rows)?;
            dictionary.set_item("estimated", group.estimated.as_secs_f64())?;
            let actual = group.actual.map(|actual| actual.as_secs_f64());
            dictionary.set_item("actual", actual)?;
            Ok(dictionary)
        });
        dictionaries.collect()
    }

    /// The number of rows of the call.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// The estimated cost of all rows, in seconds on one thread.
    #[getter]
    fn estimated(&self) -> f64 {
        self.0.estimated().as_secs_f64()
    }

    /// The actual cost, in seconds summed over the threads; `None` if the plan was not carried out.
    #[getter]
    fn actual(&self) -> Option<f64> {
        self.0.actual().map(|actual| actual.as_secs_f64())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let (groups, rows) = (self.0.groups().len(), self.0.rows());
        format!("<Plan of {rows} rows in {groups} groups>")
    }

    fn _repr_html_(&self) -> String {
        let time = |seconds: std::time::Duration| format!("{seconds:.2?}");
        let groups = self.0.groups().iter();
        // Names and numbers are our own, without characters that are special in HTML.
        let lines: String = groups
            .map(|group| {
                let actual = group.actual.map_or(String::new(), time);
                let (curve, strategy) = (group.curve, group.strategy);
                let (window, keys, rows) = (group.window, group.keys, group.rows);
                let estimated = time(group.estimated);
                format!(
                    "<tr><td>{curve}</td><td>{strategy}</td><td>{window}</td><td>{keys}</td>\
                     <td>{rows}</td><td>{estimated}</td><td>{actual}</td></tr>"
                )
            })
            .collect();
        format!(
            "<table><thead><tr><th>curve</th><th>strategy</th><th>window</th><th>keys</th>\
             <th>rows</th><th>estimated</th><th>actual</th></tr></thead><tbody>{lines}</tbody>\
             </table>"
        )
    }
}
