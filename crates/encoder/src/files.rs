//! The files of a model: its weights, and what lies beside them.

use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::model::{self, Architecture};
use crate::onnx::{self, Beside, Graph};
use crate::{Refusal, safetensors};

/// The file beside weights that says what they are for.
const CONFIG: &str = "config.json";
/// Most bytes of it.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Most bytes of a file of weights.
const WEIGHTS_BYTES_MAX: u64 = 16 << 30;

/// Most bytes of memory for each byte of the files: that of halves is two. Layers may have their weights in common, and a
/// short file of many of them would take all memory.
const MEMORY_MAX: usize = 8;

/// A file as it was when it was opened.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct FileState {
    path: PathBuf,
    bytes: u64,
    changed: Option<SystemTime>,
}

impl FileState {
    /// The state of a calibration.
    pub(crate) fn of(path: &Path) -> Result<Self, Refusal> {
        let state = path.metadata();
        let state = state.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Refusal::Uncalibrated,
            _ => Refusal::calibration(error.to_string()),
        })?;
        Ok(Self {
            path: path.to_owned(),
            bytes: state.len(),
            changed: state.modified().ok(),
        })
    }
}

/// The open files of a model, of an ONNX file or of weights in safetensors with their configuration.
///
/// They are read and not mapped: a file that is cut in its place meanwhile would end the process.
pub(crate) struct ModelFiles {
    main: Vec<u8>,
    kind: Kind,
    /// States of all files: others in their places are another model.
    pub(crate) states: Vec<FileState>,
}

enum Kind {
    Onnx { beside: Vec<(String, Vec<u8>)> },
    Safetensors { config: Vec<u8> },
}

impl ModelFiles {
    /// Opens the files of the model that begins at `path`.
    ///
    /// # Errors
    /// [`Refusal`] when one of them cannot be read, or is not where files of a model are.
    pub(crate) fn open(path: &Path) -> Result<Self, Refusal> {
        let mut states = Vec::new();
        let main = read(path, WEIGHTS_BYTES_MAX, &mut states)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let is_safetensors = path.extension().is_some_and(|end| end == "safetensors");
        let kind = if is_safetensors {
            Kind::Safetensors {
                config: read(&folder.join(CONFIG), CONFIG_BYTES_MAX, &mut states)?,
            }
        } else {
            let names = onnx::files_beside(&main)?;
            let all = names.into_iter().map(|name| {
                let path = beside(folder, name)?;
                let bytes = read(&path, WEIGHTS_BYTES_MAX, &mut states)?;
                Ok((name.to_owned(), bytes))
            });
            Kind::Onnx {
                beside: all.collect::<Result<_, _>>()?,
            }
        };
        Ok(Self { main, kind, states })
    }

    /// The layers of the model.
    ///
    /// # Errors
    /// [`Refusal`] when it is damaged, or none that is known here.
    pub(crate) fn architecture(&self) -> Result<Architecture<'_>, Refusal> {
        let architecture = match &self.kind {
            Kind::Safetensors { config } => safetensors::architecture(&self.main, config),
            Kind::Onnx { .. } => model::architecture(&self.graph()?),
        }?;
        let (asked, most) = (architecture.floats(), self.floats_max());
        if asked > most {
            return Err(Refusal::damaged(format!(
                "its layers ask for {asked} weights, its bytes are enough for {most}"
            )));
        }
        Ok(architecture)
    }

    /// Most floats that the weights of these files may become.
    pub(crate) fn floats_max(&self) -> usize {
        let bytes: u64 = self.states.iter().map(|state| state.bytes).sum();
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        bytes.saturating_mul(MEMORY_MAX) / size_of::<f32>()
    }

    /// The graph of an ONNX file.
    ///
    /// # Errors
    /// [`Refusal`] when it is damaged, or there is none.
    pub(crate) fn graph(&self) -> Result<Graph<'_>, Refusal> {
        let Kind::Onnx { beside } = &self.kind else {
            return Err(Refusal::not_ours("its weights have no graph"));
        };
        let beside: Beside<'_> = beside
            .iter()
            .map(|(name, map)| (name.as_str(), &map[..]))
            .collect();
        onnx::read(&self.main, &beside)
    }
}

/// The path of a file beside a model, which may be nowhere else: a graph is data from anywhere.
fn beside(folder: &Path, name: &str) -> Result<PathBuf, Refusal> {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_plain = name.bytes().all(is_known) && name.len() < 256 && !name.starts_with('.');
    let path = folder.join(name);
    let is_file = is_plain && path.symlink_metadata().is_ok_and(|state| state.is_file());
    if is_file {
        return Ok(path);
    }
    Err(Refusal::damaged(format!(
        "its weights lie in {name:?}, which is no file beside it"
    )))
}

/// The bytes of a file, all that it had when it was opened.
fn read(path: &Path, bytes_max: u64, states: &mut Vec<FileState>) -> Result<Vec<u8>, Refusal> {
    let unreadable = |error| unreadable(path, error);
    let file = File::open(path).map_err(unreadable)?;
    let state = file.metadata().map_err(unreadable)?;
    let len = state.len();
    if len > bytes_max {
        let name = name(path);
        return Err(Refusal::damaged(format!(
            "{name} has {len} bytes, more than {bytes_max}"
        )));
    }
    states.push(FileState {
        path: path.to_owned(),
        bytes: len,
        changed: state.modified().ok(),
    });
    let mut bytes = Vec::new();
    let room = usize::try_from(len).unwrap_or(usize::MAX);
    bytes
        .try_reserve_exact(room)
        .map_err(|_| unreadable(ErrorKind::OutOfMemory.into()))?;
    file.take(len).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() < room {
        return Err(Refusal::damaged(format!(
            "{} was cut while it was read",
            name(path)
        )));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, error: std::io::Error) -> Refusal {
    Refusal::Unreadable {
        reason: format!("{}: {error}", name(path)),
    }
}

fn name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}
