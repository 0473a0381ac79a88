use std::fs::File;
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

/// The directory that `path` lies in; the current one for a bare name.
fn parent_of(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_lies_in_the_current_directory() {
        assert_eq!(parent_of(Path::new("file")), Path::new("."));
        assert_eq!(parent_of(Path::new("a/file")), Path::new("a"));
        assert_eq!(parent_of(Path::new("/file")), Path::new("/"));
    }
}
