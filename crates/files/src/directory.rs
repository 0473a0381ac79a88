use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes names created, changed and removed in `directory` survive power loss.
///
/// # Errors
/// Errors of the system. Windows has no such call and orders directory changes itself.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// [`sync_directory`] of the directory that `path` lies in.
///
/// # Errors
/// Errors of the system.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    sync_directory(parent_of(path))
}

/// Makes `directory` and those above it that are missing, each of which then survives power loss.
///
/// # Errors
/// Errors of the system; some of the directories may be there then.
pub fn create_directories(directory: &Path) -> io::Result<()> {
    let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let made: Vec<&Path> = directory.ancestors().take_while(missing).collect();
    fs::create_dir_all(directory)?;
    made.into_iter().try_for_each(sync_parent)
}

/// The directory that `path` lies in; the current one for a bare name.
fn parent_of(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn directories_are_made_as_far_as_they_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        for _ in 0..2 {
            create_directories(&deep).unwrap();
            assert!(deep.is_dir());
        }
        File::create(folder.path().join("file")).unwrap();
        assert!(create_directories(&folder.path().join("file/a")).is_err());
    }

    #[test]
    fn a_bare_name_lies_in_the_current_directory() {
        assert_eq!(parent_of(Path::new("file")), Path::new("."));
        assert_eq!(parent_of(Path::new("a/file")), Path::new("a"));
        assert_eq!(parent_of(Path::new("/file")), Path::new("/"));
    }
}
