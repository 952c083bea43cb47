//! The machine of the measurement: the CPU's name, and the core this process is pinned to.

use anyhow::{Context as _, Result, bail};

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The CPU's own name if the system reports it, otherwise the architecture.
pub(crate) fn model() -> String {
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| model_in(&text))
        .unwrap_or_else(|| format!("unknown {} CPU", std::env::consts::ARCH))
}

fn model_in(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|l| l.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    // Some machines hide the name; family and model numbers still identify the core.
    let number = |key: &str| {
        let line = cpuinfo
            .lines()
            .find(|l| l.split(':').next().map(str::trim) == Some(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let detail = match (number("cpu family"), number("model")) {
        (Some(family), Some(model)) => format!(", family {family} model {model}"),
        _ => String::new(),
    };
    Some(format!("{}{detail}", name.trim()))
}

/// Pins this thread to `core`, or to the last core it may use, and returns the core's number. If
/// the system cannot pin, returns `None` without `core`, and an error with it.
pub(crate) fn pin(core: Option<usize>) -> Result<Option<usize>> {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let id = match core {
        None => cores.last().copied(),
        Some(wish) => {
            let list: Vec<usize> = cores.iter().map(|c| c.id).collect();
            Some(
                cores
                    .iter()
                    .find(|c| c.id == wish)
                    .copied()
                    .with_context(|| format!("--core {wish}: expected one of {list:?}"))?,
            )
        }
    };
    match id {
        Some(id) if core_affinity::set_for_current(id) => Ok(Some(id.id)),
        Some(id) if core.is_some() => bail!("--core {}: cannot pin to this core", id.id),
        _ => Ok(None),
    }
}

/// Runs `body` on any core this process may use, although this thread is [pinned](pin). Threads
/// started there inherit the cores of their parent. If the system cannot do this, all stay on the
/// core.
#[cfg(target_os = "linux")]
pub(crate) fn on_every_core<T>(body: impl FnOnce() -> T) -> T {
    let Ok(pinned) = sched_getaffinity(None) else {
        return body();
    };
    // The kernel ignores cores that do not exist or that the process may not use.
    let mut all = CpuSet::new();
    (0..CpuSet::MAX_CPU).for_each(|core| all.set(core));
    let is_free = sched_setaffinity(None, &all).is_ok();
    let result = body();
    if is_free {
        // Restores the previous cores, which are still allowed.
        let _ = sched_setaffinity(None, &pinned);
    }
    result
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn on_every_core<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// The number of other processes that wanted a core during the last minute, if the system reports
/// it.
pub(crate) fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_with_its_numbers() {
        let text = "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Xeon  \n";
        assert_eq!(model_in(text).unwrap(), "Xeon, family 6 model 143");
        assert_eq!(model_in("model name\t: Core\n").unwrap(), "Core");
        assert_eq!(model_in("Hardware: none\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn threads_leave_the_core_of_their_parent_and_it_stays() {
        let cores = || sched_getaffinity(None).unwrap().count();
        let child = move || std::thread::spawn(cores).join().unwrap();
        // A separate thread, so that no other test is pinned.
        std::thread::spawn(move || {
            let free = cores();
            pin(None).unwrap();
            assert_eq!((cores(), child()), (1, 1));
            assert_eq!(on_every_core(child), free);
            assert_eq!(cores(), 1);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_core_that_is_not_there_is_an_error_that_names_it() {
        let error = pin(Some(usize::MAX)).unwrap_err().to_string();
        assert!(error.contains(&usize::MAX.to_string()), "{error}");
    }
}
