//! Runs `pictures.py` on Pillow and `tensors.py` on Kaldi's filter bank, `detections.py` on OpenCV. They come from PyPI
//! into environments beside the build, once, as for the end-to-end tests.

#![allow(dead_code, reason = "each test binary compares with one of them")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use tempfile::TempDir;

/// The last release before 13, which resizes some pictures in another order of passes than all before it, those that
/// models were trained on among them.
const PILLOW: &str = "pillow==12.3.0";

const KALDI: [&str; 2] = ["kaldi-native-fbank==1.22.3", "numpy==2.4.6"];

const OPENCV: [&str; 2] = ["opencv-python-headless==5.0.0.93", "numpy==2.4.6"];

/// A folder with what `pictures.py` says.
pub fn pictures() -> TempDir {
    folder_of("pictures.py", &[PILLOW])
}

/// A folder with what `tensors.py` says.
pub fn tensors() -> TempDir {
    folder_of("tensors.py", &KALDI)
}

/// A folder with what `detections.py` says.
pub fn detections() -> TempDir {
    folder_of("detections.py", &OPENCV)
}

fn folder_of(script: &str, packages: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/oracle")
        .join(script);
    run(Command::new(python_with(packages))
        .args(["-W", "ignore"])
        .arg(script)
        .arg(folder.path()));
    folder
}

/// The interpreter of a virtual environment with packages of PyPI in it, made once, in the folder and in the way of the
/// end-to-end tests.
fn python_with(packages: &[&str]) -> PathBuf {
    // Tests of one binary run beside each other.
    static MAKING: Mutex<()> = Mutex::new(());
    let _alone = MAKING.lock().unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target
        .join("python")
        .join(packages.join("-").replace("==", "-"));
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let complete = folder.join("complete");
    if !complete.exists() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let system = if cfg!(windows) { "python" } else { "python3" };
        run(Command::new(system).args(["-m", "venv"]).arg(&folder));
        let install = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
        ];
        run(Command::new(&python).args(install).args(packages));
        fs::write(complete, "").unwrap();
    }
    python
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
