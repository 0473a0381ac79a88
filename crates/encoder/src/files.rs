//! The files of a model: its weights, and what lies beside them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::bytes::{Bytes, FileState, OpenFile};
use crate::model::{self, Architecture};
use crate::onnx::{self, Beside, Graph, Outline};
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

/// The state of the file of a calibration.
///
/// # Errors
/// [`Refusal::Uncalibrated`] where there is none.
pub(crate) fn calibration_state(path: &Path) -> Result<FileState, Refusal> {
    let found = path.metadata().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Refusal::Uncalibrated,
        _ => Refusal::calibration(error.to_string()),
    })?;
    Ok(FileState::of(path, &found))
}

/// The open files of a model, of an ONNX file or of weights in safetensors with their configuration.
pub(crate) struct ModelFiles {
    main: OpenFile,
    kind: Kind,
    /// States of all files: others in their places are another model.
    pub(crate) states: Vec<FileState>,
}

enum Kind {
    Onnx {
        outline: Outline,
        beside: Vec<(String, FileBeside)>,
    },
    Safetensors {
        header: Vec<u8>,
        config: Vec<u8>,
    },
}

/// A file beside a model.
struct FileBeside {
    file: OpenFile,
    /// All of it, where it was read.
    bytes: Option<Vec<u8>>,
}

/// The way in which files are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Weights are read when they are needed, each once.
    Outline,
    /// All is read at once, for those who need weights value by value.
    All,
}

impl ModelFiles {
    /// Opens the files of the model that begins at `path`.
    ///
    /// # Errors
    /// [`Refusal`] when one of them cannot be read, or is not where files of a model are.
    pub(crate) fn open(path: &Path, opening: Opening) -> Result<Self, Refusal> {
        let main = OpenFile::open(path, WEIGHTS_BYTES_MAX)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut states = vec![main.state.clone()];
        let is_safetensors = path.extension().is_some_and(|end| end == "safetensors");
        let kind = if is_safetensors {
            let config = OpenFile::open(&folder.join(CONFIG), CONFIG_BYTES_MAX)?;
            states.push(config.state.clone());
            let mut bytes = Vec::new();
            config.add(0, config.len(), &mut bytes)?;
            Kind::Safetensors {
                header: safetensors::header(&main)?,
                config: bytes,
            }
        } else {
            let outline = match opening {
                Opening::Outline => Outline::read(&main)?,
                Opening::All => Outline::all(&main)?,
            };
            let names = onnx::files_beside(outline.message(&main))?;
            let all = names.into_iter().map(|name| {
                let file = OpenFile::open(&beside(folder, name)?, WEIGHTS_BYTES_MAX)?;
                states.push(file.state.clone());
                let mut bytes = None;
                if opening == Opening::All {
                    file.add(0, file.len(), bytes.insert(Vec::new()))?;
                }
                Ok((name.to_owned(), FileBeside { file, bytes }))
            });
            let beside = all.collect::<Result<_, _>>()?;
            Kind::Onnx { outline, beside }
        };
        Ok(Self { main, kind, states })
    }

    /// Refuses files that were written to since they were opened: the weights may be of two models.
    pub(crate) fn check_unchanged(&self) -> Result<(), Refusal> {
        self.main.check_unchanged()?;
        if let Kind::Onnx { beside, .. } = &self.kind {
            for (_, beside) in beside {
                beside.file.check_unchanged()?;
            }
        }
        Ok(())
    }

    /// The layers of the model.
    ///
    /// # Errors
    /// [`Refusal`] when it is damaged, or none that is known here.
    pub(crate) fn architecture(&self) -> Result<Architecture<'_>, Refusal> {
        let architecture = match &self.kind {
            Kind::Safetensors { header, config } => {
                safetensors::architecture(&self.main, header, config)
            }
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
        let Kind::Onnx { outline, beside } = &self.kind else {
            return Err(Refusal::not_ours("its weights have no graph"));
        };
        let beside: Beside<'_> = beside
            .iter()
            .map(|(name, file)| (name.as_str(), file.bytes()))
            .collect();
        onnx::read(outline.message(&self.main), &beside)
    }
}

impl FileBeside {
    fn bytes(&self) -> Bytes<'_> {
        match &self.bytes {
            Some(bytes) => Bytes::Here(bytes),
            None => self.file.bytes(),
        }
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
