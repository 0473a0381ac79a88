//! The number of files that the process may have open at once, and the share that indexes may use.

use crate::error::{EngineError, Result};

/// Fewer descriptors than this leave no room for a server beside its indexes.
const LIMIT_MIN: u64 = 128;

/// The number of descriptors that open indexes may hold together: half of what the process may
/// have. The rest is for connections, models and files that are open for a moment.
///
/// # Errors
/// `server_configuration_error` when the limit is too low to serve at all.
pub(crate) fn budget() -> Result<usize> {
    budget_of(limit())
}

fn budget_of(limit: Option<u64>) -> Result<usize> {
    match limit {
        None => Ok(usize::MAX),
        Some(limit) if limit < LIMIT_MIN => Err(EngineError::OpenFiles {
            limit,
            limit_min: LIMIT_MIN,
        }),
        Some(limit) => Ok(usize::try_from(limit / 2).unwrap_or(usize::MAX)),
    }
}

/// The limit in force; `None` where there is none, or where it is not known.
fn limit() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn indexes_get_half_of_the_limit_and_too_low_a_limit_is_refused() {
        assert_eq!(budget_of(None).unwrap(), usize::MAX);
        assert_eq!(budget_of(Some(1_024)).unwrap(), 512);
        let error = budget_of(Some(127)).unwrap_err();
        assert_eq!(error.code(), "server_configuration_error");
        assert!(error.to_string().contains("is 127"), "{error}");
    }
}
