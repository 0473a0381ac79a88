//! Programs as the compiler makes them for a kind of device, kept in a folder.
//!
//! A file is named by a digest of all that it depends on, and holds a checksum of its own: one that is damaged, cut short or
//! of another program is compiled anew. The folder holds a bounded number of files; it may be deleted at any time.

use std::ffi::{CStr, CString, c_char, c_int};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pelorus_files::Durability;
use pelorus_random::fnv1a;

use crate::system::nvrtc::{self, Nvrtc};
use crate::system::{Libraries, LibraryName};
use crate::{Cuda, DeviceError, OPTIONS, Program};

/// Files that are kept, and bytes of one.
const FILES_MAX: usize = 128;
const BYTES_MAX: usize = 64 << 20;

/// The begin of a file: its kind, and the version of its form.
const MAGIC: [u8; 8] = *b"PELKERN1";
/// The begin, the digest, the checksum of what follows.
const HEAD_BYTES: usize = 8 + 8 + 4;

const SUFFIX: &str = "kernels";

/// Names of temporary files differ by the process and by this.
static DRAFTS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// A compiled program.
pub(crate) struct Image {
    bytes: Vec<u8>,
    is_kept: bool,
}

impl Image {
    /// Its bytes, and behind them a nought, which ends the text of one that the driver compiles further.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Tells whether it was compiled before.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }
}

/// A program for a compute capability: the one in the folder, or compiled.
pub(crate) fn image(
    cuda: &Cuda,
    program: Program,
    capability: u32,
    folder: Option<&Path>,
) -> Result<Image, DeviceError> {
    let source = program.source();
    let digest = digest(&source, capability);
    let kept = folder.and_then(|folder| read(&path_of(folder, digest), digest));
    match kept {
        Some(bytes) => Ok(Image {
            bytes,
            is_kept: true,
        }),
        None => compiled(cuda, program, capability, folder),
    }
}

/// A program, compiled, and kept in the folder.
pub(crate) fn compiled(
    cuda: &Cuda,
    program: Program,
    capability: u32,
    folder: Option<&Path>,
) -> Result<Image, DeviceError> {
    let source = program.source();
    let libraries = cuda.libraries.as_ref();
    let nvrtc = Nvrtc::load(libraries.open(LibraryName::Nvrtc, Some(cuda.release))?)?;
    let bytes = compile(&nvrtc, program, &source, capability)?;
    if let Some(folder) = folder {
        // Without a folder it is compiled at each start.
        let _ = keep(folder, digest(&source, capability), &bytes);
    }
    Ok(Image {
        bytes,
        is_kept: false,
    })
}

/// Compiles all programs for some kinds of device, all that NVRTC knows and they run on where none is named, and keeps them in
/// a folder, from which machines without NVRTC take them. Needs no device. Answers the compute capabilities, ten times.
///
/// # Errors
/// [`DeviceError`] where there is no NVRTC, a program does not compile, or the folder cannot be written.
pub fn precompile(
    libraries: &dyn Libraries,
    wanted: &[u32],
    folder: &Path,
) -> Result<Vec<u32>, DeviceError> {
    let nvrtc = Nvrtc::load(libraries.open(LibraryName::Nvrtc, None)?)?;
    let mut capabilities = if wanted.is_empty() {
        architectures(&nvrtc)?
    } else {
        wanted.to_vec()
    };
    capabilities.retain(|&one| Program::ALL.iter().any(|program| program.runs_on(one)));
    for &capability in &capabilities {
        for program in Program::ALL {
            if !program.runs_on(capability) {
                continue;
            }
            let source = program.source();
            let bytes = compile(&nvrtc, program, &source, capability)?;
            keep(folder, digest(&source, capability), &bytes).map_err(|error| {
                DeviceError::Refused {
                    call: "keeping a compiled program",
                    reason: format!("{}: {error}", folder.display()),
                }
            })?;
        }
    }
    Ok(capabilities)
}

fn digest(source: &str, capability: u32) -> u64 {
    let mut text = format!("{capability} {} ", OPTIONS.join(" "));
    text.push_str(source);
    fnv1a(text.as_bytes())
}

fn path_of(folder: &Path, digest: u64) -> PathBuf {
    folder.join(format!("{digest:016x}.{SUFFIX}"))
}

fn read(path: &Path, digest: u64) -> Option<Vec<u8>> {
    if fs::metadata(path).ok()?.len() > BYTES_MAX as u64 {
        return None;
    }
    let mut file = fs::read(path).ok()?;
    let (head, bytes) = file.split_at_checked(HEAD_BYTES)?;
    (head == self::head(digest, bytes)).then(|| file.split_off(HEAD_BYTES))
}

fn head(digest: u64, bytes: &[u8]) -> [u8; HEAD_BYTES] {
    // A slice never fails to be read.
    let (_, sum) = pelorus_files::checksum(bytes).unwrap_or_default();
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&MAGIC);
    head[8..16].copy_from_slice(&digest.to_le_bytes());
    head[16..].copy_from_slice(&sum.to_le_bytes());
    head
}

fn keep(folder: &Path, digest: u64, bytes: &[u8]) -> std::io::Result<()> {
    if bytes.len() + HEAD_BYTES > BYTES_MAX {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let mut file = head(digest, bytes).to_vec();
    file.extend_from_slice(bytes);
    // Other processes may keep the same one at this moment: each writes a file of its own first.
    let number = DRAFTS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let draft = folder.join(format!("{digest:016x}-{}-{number}.new", std::process::id()));
    pelorus_files::replace(&draft, &file, Durability::None)?;
    let renamed = fs::rename(&draft, path_of(folder, digest));
    if renamed.is_err() {
        let _ = fs::remove_file(&draft);
    }
    renamed?;
    bound(folder);
    Ok(())
}

/// Deletes the oldest files beyond those that are kept, and what processes left that ended on the way.
fn bound(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.ends_with(&format!(".{SUFFIX}")) || name.ends_with(".new")
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    for (_, path) in files.iter().rev().skip(FILES_MAX) {
        let _ = fs::remove_file(path);
    }
}

fn compile(
    nvrtc: &Nvrtc,
    program: Program,
    source: &str,
    capability: u32,
) -> Result<Vec<u8>, DeviceError> {
    let architectures = architectures(nvrtc)?;
    // A device that is newer than the compiler takes what the compiler knows, translated by the driver.
    let architecture = architectures
        .iter()
        .copied()
        .filter(|&architecture| architecture <= capability)
        .max();
    let Some(architecture) = architecture else {
        return Err(DeviceError::Compilation {
            reason: format!(
                "NVRTC knows no compute capability up to {}.{}",
                capability / 10,
                capability % 10
            ),
        });
    };
    let is_exact = architecture == capability;
    let target = if is_exact { "sm" } else { "compute" };
    let target = format!("--gpu-architecture={target}_{architecture}");
    let compilation = Compilation::new(nvrtc, source, program.name())?;
    compilation.run(&[&target])?;
    if is_exact {
        compilation.output(nvrtc.cubin_size, nvrtc.cubin)
    } else {
        compilation.output(nvrtc.ptx_size, nvrtc.ptx)
    }
}

fn architectures(nvrtc: &Nvrtc) -> Result<Vec<u32>, DeviceError> {
    let mut count: c_int = 0;
    // SAFETY: the place lives as long as the call.
    checked(nvrtc, unsafe { (nvrtc.architecture_count)(&mut count) })?;
    let mut list = vec![0; usize::try_from(count).unwrap_or(0).min(1024)];
    if list.len() == usize::try_from(count).unwrap_or(0) {
        // SAFETY: the list has as many places as there are architectures.
        checked(nvrtc, unsafe { (nvrtc.architectures)(list.as_mut_ptr()) })?;
    }
    Ok(list
        .into_iter()
        .filter_map(|one: c_int| u32::try_from(one).ok())
        .collect())
}

fn checked(nvrtc: &Nvrtc, code: nvrtc::Code) -> Result<(), DeviceError> {
    if code == nvrtc::SUCCESS {
        return Ok(());
    }
    // SAFETY: texts of the library live as long as it.
    let reason = unsafe {
        let text = (nvrtc.error_string)(code);
        if text.is_null() {
            format!("error {code}")
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    };
    Err(DeviceError::Compilation { reason })
}

/// A program in the compiler's hands.
struct Compilation<'n> {
    nvrtc: &'n Nvrtc,
    program: nvrtc::Program,
}

/// Asks for the size of a text of a program, and for the text.
type Size = unsafe extern "system" fn(nvrtc::Program, *mut usize) -> nvrtc::Code;
type Text = unsafe extern "system" fn(nvrtc::Program, *mut c_char) -> nvrtc::Code;

impl<'n> Compilation<'n> {
    fn new(nvrtc: &'n Nvrtc, source: &str, name: &str) -> Result<Self, DeviceError> {
        let [source, name] = [source, name].map(c_text);
        let mut program = std::ptr::null_mut();
        // SAFETY: both texts end in nought; there are no headers.
        let code = unsafe {
            let none = std::ptr::null();
            (nvrtc.create)(&mut program, source.as_ptr(), name.as_ptr(), 0, none, none)
        };
        checked(nvrtc, code)?;
        Ok(Self { nvrtc, program })
    }

    fn run(&self, options: &[&str]) -> Result<(), DeviceError> {
        let options = options.iter().chain(&OPTIONS);
        let options: Vec<CString> = options.map(|option| c_text(option)).collect();
        let places: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(places.len()).unwrap_or(0);
        // SAFETY: as many texts as told, each ending in nought.
        let code = unsafe { (self.nvrtc.compile)(self.program, count, places.as_ptr()) };
        let Err(error) = checked(self.nvrtc, code) else {
            return Ok(());
        };
        let log = self.output(self.nvrtc.log_size, self.nvrtc.log)?;
        let log = String::from_utf8_lossy(&log)
            .trim_matches(['\0', '\n', ' '])
            .to_owned();
        if log.is_empty() {
            return Err(error);
        }
        Err(DeviceError::Compilation { reason: log })
    }

    /// A text of the program, and a nought behind it.
    fn output(&self, size: Size, text: Text) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = 0;
        // SAFETY: the place lives as long as the call.
        checked(self.nvrtc, unsafe { size(self.program, &mut bytes) })?;
        if bytes > BYTES_MAX {
            return Err(DeviceError::Compilation {
                reason: format!("NVRTC made {bytes} bytes of the kernels"),
            });
        }
        let mut output = vec![0; bytes + 1];
        // SAFETY: it has more than the bytes that were told.
        checked(self.nvrtc, unsafe {
            text(self.program, output.as_mut_ptr().cast())
        })?;
        Ok(output)
    }
}

impl Drop for Compilation<'_> {
    fn drop(&mut self) {
        // SAFETY: made once, and given back once.
        unsafe { (self.nvrtc.destroy)(&mut self.program) };
    }
}

/// A text without noughts, which neither sources nor options have, with one at its end.
fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_only_whole_and_under_its_own_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = b"compiled".to_vec();
        keep(folder.path(), 7, &bytes).expect("it is kept");
        let path = path_of(folder.path(), 7);
        assert_eq!(read(&path, 7), Some(bytes.clone()));
        assert_eq!(read(&path, 8), None);
        let whole = fs::read(&path).expect("the file");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).expect("written");
            assert_eq!(read(&path, 7), None, "byte {at}");
            fs::write(&path, &whole[..at]).expect("written");
            assert_eq!(read(&path, 7), None, "cut at {at}");
        }
        keep(folder.path(), 7, &bytes).expect("it is kept again");
        assert_eq!(read(&path, 7), Some(bytes));
    }

    #[test]
    fn a_folder_holds_a_bounded_number_of_files() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("note.txt"), "not ours").expect("written");
        for digest in 0..FILES_MAX as u64 + 5 {
            keep(folder.path(), digest, b"compiled").expect("it is kept");
        }
        let names = fs::read_dir(folder.path()).expect("the folder");
        let names: Vec<_> = names
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(names.len(), FILES_MAX + 1);
        assert!(names.iter().any(|name| name == "note.txt"));
    }

    #[test]
    fn programs_and_kinds_of_device_have_digests_of_their_own() {
        let mut digests: Vec<u64> = Program::ALL
            .iter()
            .flat_map(|program| [80, 90].map(|kind| digest(&program.source(), kind)))
            .collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), 2 * Program::ALL.len());
    }
}
