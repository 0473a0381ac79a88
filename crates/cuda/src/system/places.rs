//! The names that libraries have on each system, and the folders that they are in.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::LibraryName;

/// The releases of CUDA that are known, the newest first.
const RELEASES: [u32; 2] = [13, 12];

/// Folders that are looked through at most.
const FOLDERS_MAX: usize = 64;

/// Files of a folder that are looked at, at most.
const ENTRIES_MAX: usize = 4096;

/// The names of a library's file, the best first.
pub(super) fn file_names(library: LibraryName, newest: Option<u32>) -> Vec<String> {
    let releases = RELEASES
        .into_iter()
        .filter(|&release| newest.is_none_or(|newest| release <= newest));
    let of_releases = |name: fn(u32) -> String| releases.map(name).collect();
    match library {
        LibraryName::Driver if cfg!(windows) => vec!["nvcuda.dll".to_owned()],
        LibraryName::Driver => vec!["libcuda.so.1".to_owned()],
        LibraryName::Nvml if cfg!(windows) => vec!["nvml.dll".to_owned()],
        LibraryName::Nvml => vec!["libnvidia-ml.so.1".to_owned()],
        LibraryName::Nvrtc if cfg!(windows) => {
            of_releases(|release| format!("nvrtc64_{release}0_0.dll"))
        }
        LibraryName::Nvrtc => of_releases(|release| format!("libnvrtc.so.{release}")),
        LibraryName::CublasLt if cfg!(windows) => {
            of_releases(|release| format!("cublasLt64_{release}.dll"))
        }
        LibraryName::CublasLt => of_releases(|release| format!("libcublasLt.so.{release}")),
    }
}

/// Folders where the toolkit and the Python packages of NVIDIA put their libraries: those that variables name first.
pub(super) fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(paths) = env::var_os("PELORUS_CUDA_LIBRARY_PATH") {
        folders.extend(env::split_paths(&paths).filter(|path| path.is_absolute()));
    }
    let toolkits = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(folder_of);
    for toolkit in toolkits.chain([PathBuf::from("/usr/local/cuda")]) {
        folders.extend(["lib64", "lib", "bin", "bin/x64"].map(|name| toolkit.join(name)));
    }
    let pythons = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .filter_map(folder_of);
    let systems = ["/usr/local", "/usr"].into_iter().map(PathBuf::from);
    for python in pythons.chain(systems) {
        folders.extend(of_python(&python));
    }
    folders.retain(|folder| folder.is_dir());
    folders.truncate(FOLDERS_MAX);
    folders
}

fn folder_of(variable: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env::var_os(variable)?);
    path.is_absolute().then_some(path)
}

/// The folders of NVIDIA's packages below a Python, `lib/python3.N/site-packages/nvidia/PACKAGE/lib`.
fn of_python(prefix: &Path) -> Vec<PathBuf> {
    let libraries = prefix.join("lib");
    let versions = entries(&libraries).into_iter().filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("python3"))
    });
    let mut found = Vec::new();
    let sites = ["site-packages", "dist-packages"];
    let packages = versions.flat_map(|version| sites.map(|site| version.join(site).join("nvidia")));
    for package in packages.flat_map(|packages| entries(&packages)) {
        found.extend(
            ["lib", "bin"]
                .map(|name| package.join(name))
                .into_iter()
                .filter(|it| it.is_dir()),
        );
    }
    found
}

/// The files that a library opens by their bare names, which lie beside it.
pub(super) fn companions(library: LibraryName, path: &Path) -> Vec<PathBuf> {
    if library != LibraryName::Nvrtc {
        return Vec::new();
    }
    let beside = path.parent().map(entries).unwrap_or_default();
    let is_companion = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| {
            name.starts_with("libnvrtc-builtins.so") || name.starts_with("nvrtc-builtins")
        })
    };
    beside.into_iter().filter(is_companion).collect()
}

/// The entries of a folder, in the order of names; nothing where there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.take(ENTRIES_MAX).filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = paths.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_a_newer_release_than_the_driver_is_not_looked_for() {
        let names = |newest| file_names(LibraryName::Nvrtc, newest);
        assert_eq!(names(None).len(), 2);
        assert_eq!(names(Some(13)), names(None));
        assert_eq!(names(Some(12)), names(None)[1..]);
        assert!(names(Some(11)).is_empty());
    }

    #[test]
    fn the_libraries_of_python_packages_are_found_by_their_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let packages = folder.path().join("lib/python3.12/site-packages/nvidia");
        let library = packages.join("cuda_nvrtc/lib");
        fs::create_dir_all(&library).expect("folders");
        fs::create_dir_all(packages.join("cublas/include")).expect("folders");
        fs::create_dir_all(folder.path().join("lib/perl5")).expect("folders");
        assert_eq!(of_python(folder.path()), std::slice::from_ref(&library));
        fs::write(library.join("libnvrtc.so.12"), "").expect("a file");
        fs::write(library.join("libnvrtc-builtins.so.12.9"), "").expect("a file");
        let path = library.join("libnvrtc.so.12");
        assert_eq!(
            companions(LibraryName::Nvrtc, &path),
            [library.join("libnvrtc-builtins.so.12.9")]
        );
        assert!(companions(LibraryName::CublasLt, &path).is_empty());
    }

    #[test]
    fn a_python_that_is_not_there_has_no_libraries() {
        assert!(of_python(Path::new("/nowhere/at/all")).is_empty());
    }
}
