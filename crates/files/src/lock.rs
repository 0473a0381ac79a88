use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// Opens a file and locks it until it is closed: no other process, and no other opening in this
/// one, gets it meanwhile.
///
/// # Errors
/// [`TryLockError::WouldBlock`] where another holds it, else what the system ran into.
pub fn open_locked(path: &Path, options: &OpenOptions) -> Result<File, TryLockError> {
    let file = options.open(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_locked_for_as_long_as_it_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let missing = open_locked(&path, &options).unwrap_err();
        assert!(matches!(missing, TryLockError::Error(_)));
        options.create(true);
        let held = open_locked(&path, &options).unwrap();
        let refused = open_locked(&path, &options).unwrap_err();
        assert!(matches!(refused, TryLockError::WouldBlock));
        drop(held);
        open_locked(&path, &options).unwrap();
    }
}
