//! NVRTC, where it is: a shared library that compiles for GPUs and needs none.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::{Library, Symbol};

type Program = *mut c_void;
type Options = *const *const c_char;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    Options,
    Options,
) -> c_int;
type Compile = unsafe extern "C" fn(Program, c_int, Options) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
type List = unsafe extern "C" fn(*mut c_int) -> c_int;

pub struct Nvrtc {
    library: Library,
    /// The library that it opens by its bare name, held open so that it is found.
    _builtins: Option<Library>,
}

impl Nvrtc {
    /// The library that `PELORUS_NVRTC` names, that of `npm run nvrtc`, or one of the system's.
    ///
    /// Panics if the one that is named cannot be opened.
    pub fn find() -> Option<Self> {
        if let Some(named) = std::env::var_os("PELORUS_NVRTC") {
            let opened = Self::open(Path::new(&named));
            return Some(opened.expect("the library that PELORUS_NVRTC names opens"));
        }
        let fetched = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("nvrtc");
        let places = [
            fetched.join("libnvrtc.so.12"),
            "libnvrtc.so.13".into(),
            "libnvrtc.so.12".into(),
        ];
        places
            .iter()
            .find_map(|place: &PathBuf| Self::open(place).ok())
    }

    fn open(path: &Path) -> Result<Self, libloading::Error> {
        let beside = path.parent().and_then(|folder| {
            let mut files = std::fs::read_dir(folder)
                .ok()?
                .filter_map(|entry| Some(entry.ok()?.path()));
            files.find(|file| {
                let name = file
                    .file_name()
                    .and_then(|name| name.to_str())
                    .unwrap_or_default();
                name.starts_with("libnvrtc-builtins.so")
            })
        });
        // SAFETY: NVIDIA's libraries may be opened anywhere; what they run at that moment asks for nothing.
        unsafe {
            let builtins = beside.map(|path| Library::new(path)).transpose()?;
            Ok(Self {
                library: Library::new(path)?,
                _builtins: builtins,
            })
        }
    }

    pub fn version(&self) -> (i32, i32) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the function of this name has this type; it writes two numbers.
        let code = unsafe { self.function::<Version>(c"nvrtcVersion")(&mut major, &mut minor) };
        assert_eq!(code, 0);
        (major, minor)
    }

    /// The compute capabilities that it compiles for, `75` being 7.5.
    pub fn capabilities(&self) -> Vec<u32> {
        let mut count = 0;
        // SAFETY: the functions of these names have these types; the second writes as many numbers as the first says.
        let capabilities = unsafe {
            assert_eq!(
                self.function::<Count>(c"nvrtcGetNumSupportedArchs")(&mut count),
                0
            );
            let mut all = vec![0; usize::try_from(count).expect("a count")];
            assert_eq!(
                self.function::<List>(c"nvrtcGetSupportedArchs")(all.as_mut_ptr()),
                0
            );
            all
        };
        capabilities
            .into_iter()
            .filter_map(|one| u32::try_from(one).ok())
            .collect()
    }

    /// Compiles a program and answers the log of it, and the size of the machine code.
    ///
    /// Panics if the program does not compile.
    pub fn compile(&self, name: &str, source: &str, options: &[&str]) -> (String, usize) {
        let strings = |texts: &[&str]| -> Vec<CString> {
            texts
                .iter()
                .map(|text| CString::new(*text).expect("texts have no zero byte"))
                .collect()
        };
        let (texts, options) = (strings(&[source, name]), strings(options));
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = ptr::null_mut();
        let mut bytes = 0;
        // SAFETY: the functions of these names have these types; texts end in a zero byte, and stay until the last call.
        let (code, log) = unsafe {
            let create = self.function::<Create>(c"nvrtcCreateProgram");
            let (text, name) = (texts[0].as_ptr(), texts[1].as_ptr());
            assert_eq!(
                create(&mut program, text, name, 0, ptr::null(), ptr::null()),
                0
            );
            let count = c_int::try_from(options.len()).expect("few options");
            let code =
                self.function::<Compile>(c"nvrtcCompileProgram")(program, count, options.as_ptr());
            let mut length = 0;
            assert_eq!(
                self.function::<Size>(c"nvrtcGetProgramLogSize")(program, &mut length),
                0
            );
            let mut log = vec![0_u8; length.max(1)];
            assert_eq!(
                self.function::<Text>(c"nvrtcGetProgramLog")(program, log.as_mut_ptr().cast()),
                0
            );
            if code == 0 {
                assert_eq!(
                    self.function::<Size>(c"nvrtcGetCUBINSize")(program, &mut bytes),
                    0
                );
            }
            self.function::<Destroy>(c"nvrtcDestroyProgram")(&mut program);
            let log =
                CStr::from_bytes_until_nul(&log).map(|log| log.to_string_lossy().into_owned());
            (code, log.unwrap_or_default())
        };
        assert_eq!(code, 0, "{name} compiles with {options:?}:\n{log}");
        (log, bytes)
    }

    /// A function of the library.
    ///
    /// # Safety
    /// It must have this type.
    unsafe fn function<T>(&self, name: &CStr) -> Symbol<'_, T> {
        // SAFETY: as the caller says.
        unsafe { self.library.get(name.to_bytes_with_nul()) }
            .expect("the library has its functions")
    }
}
