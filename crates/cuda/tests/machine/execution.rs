//! The driver: memory, streams, kernels. Memory of a device is memory of this process, NaN until it is written. The work
//! of a stream is done as late as it may: when somebody waits for it. So a buffer that is used again too early is found out.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

use super::{fault, with};

const INVALID_VALUE: c_int = 1;
const OUT_OF_MEMORY: c_int = 2;
const INVALID_IMAGE: c_int = 200;
const NOT_FOUND: c_int = 500;

/// Parameters of a kernel that are looked at.
const ARGUMENTS_MAX: usize = 24;

/// Figures of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub launches: usize,
    pub uploads: usize,
    pub downloads: usize,
    /// Bytes of device memory that are taken now.
    pub bytes: usize,
    /// Contexts, streams, events, modules and pieces of memory that are there now.
    pub objects: isize,
    /// Compilations of programs.
    pub compilations: usize,
    /// Products of matrices by cuBLASLt.
    pub products: usize,
}

/// One piece of work of a stream.
pub(super) enum Work {
    Copy {
        to: u64,
        from: u64,
        bytes: usize,
    },
    Launch {
        function: usize,
        grid: [u32; 2],
        block: u32,
        arguments: Vec<u64>,
    },
    Mark(usize),
    Product(super::blas::Work),
}

thread_local! {
    static MEMORY: RefCell<BTreeMap<u64, Vec<u64>>> = const { RefCell::new(BTreeMap::new()) };
    static WORK: RefCell<VecDeque<Work>> = const { RefCell::new(VecDeque::new()) };
}

type Run = unsafe extern "C" fn(
    *const c_char,
    *const u32,
    u32,
    *mut *mut c_void,
    u32,
    u64,
) -> *const c_char;

struct Module {
    library: libloading::Library,
}

struct Function {
    name: CString,
    run: Run,
}

/// The functions by name.
pub(super) fn address(function: &str) -> Option<*const c_void> {
    Some(match function {
        "cuDevicePrimaryCtxRetain" => retain as *const c_void,
        "cuDevicePrimaryCtxRelease_v2" => release as *const c_void,
        "cuCtxSetCurrent" => set_context as *const c_void,
        "cuMemAlloc_v2" => allocate as *const c_void,
        "cuMemFree_v2" => free as *const c_void,
        "cuMemHostAlloc" => allocate_host as *const c_void,
        "cuMemFreeHost" => free_host as *const c_void,
        "cuMemcpyHtoDAsync_v2" => upload as *const c_void,
        "cuMemcpyDtoHAsync_v2" => download as *const c_void,
        "cuStreamCreate" => create_stream as *const c_void,
        "cuStreamDestroy_v2" => destroy_stream as *const c_void,
        "cuStreamSynchronize" => synchronize_stream as *const c_void,
        "cuEventCreate" => create_event as *const c_void,
        "cuEventDestroy_v2" => destroy_event as *const c_void,
        "cuEventRecord" => record as *const c_void,
        "cuEventSynchronize" => synchronize_event as *const c_void,
        "cuModuleLoadData" => load_module as *const c_void,
        "cuModuleUnload" => unload_module as *const c_void,
        "cuModuleGetFunction" => function_of as *const c_void,
        "cuLaunchKernel" => launch as *const c_void,
        _ => return None,
    })
}

fn count(change: impl FnOnce(&mut Counts)) {
    with(|machine| change(&mut machine.counts));
}

pub(super) fn enqueue(work: Work) {
    WORK.with_borrow_mut(|queue| queue.push_back(work));
}

/// Does what is to be done, up to a mark where one is given.
fn work_off(mark: Option<usize>) {
    loop {
        let Some(work) = WORK.with_borrow_mut(VecDeque::pop_front) else {
            return;
        };
        match work {
            Work::Mark(passed) if Some(passed) == mark => return,
            Work::Mark(_) => {}
            // SAFETY: both were looked at when the copy was asked for, and whoever asked keeps them.
            Work::Copy { to, from, bytes } => unsafe {
                std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes);
            },
            Work::Product(product) => product.run(),
            Work::Launch {
                function,
                grid,
                block,
                arguments,
            } => run(function, grid, block, arguments),
        }
    }
}

fn run(function: usize, grid: [u32; 2], block: u32, mut arguments: Vec<u64>) {
    // SAFETY: functions live as long as the process.
    let function = unsafe { &*(function as *const Function) };
    let mut places: Vec<*mut c_void> = arguments
        .iter_mut()
        .map(|value| std::ptr::from_mut(value).cast())
        .collect();
    // SAFETY: as many places as told, each of eight bytes; the emulation holds the number against that of the kernel.
    let failure = unsafe {
        let (name, places_at) = (function.name.as_ptr(), places.as_mut_ptr());
        (function.run)(
            name,
            grid.as_ptr(),
            block,
            places_at,
            places.len() as u32,
            0,
        )
    };
    if !failure.is_null() {
        // SAFETY: failures are texts of the library.
        let failure = unsafe { CStr::from_ptr(failure) };
        panic!("{:?} {grid:?} of {block}: {failure:?}", function.name);
    }
}

/// Tells whether so many bytes from an address on are memory of the device.
pub(super) fn is_memory(address: u64, bytes: usize) -> bool {
    MEMORY.with_borrow(|memory| {
        let before = memory.range(..=address).next_back();
        before
            .is_some_and(|(start, words)| address + bytes as u64 <= start + 8 * words.len() as u64)
    })
}

unsafe extern "system" fn retain(out: *mut *mut c_void, _: c_int) -> c_int {
    // SAFETY: the caller's place, here and below.
    unsafe { out.write(0x10 as *mut c_void) };
    count(|counts| counts.objects += 1);
    fault("cuDevicePrimaryCtxRetain")
}

extern "system" fn release(_: c_int) -> c_int {
    count(|counts| counts.objects -= 1);
    fault("cuDevicePrimaryCtxRelease_v2")
}

extern "system" fn set_context(context: *mut c_void) -> c_int {
    assert_eq!(context.addr(), 0x10, "the context of the device");
    fault("cuCtxSetCurrent")
}

unsafe extern "system" fn allocate(out: *mut u64, bytes: usize) -> c_int {
    let has_room = with(|machine| {
        let bytes = bytes.next_multiple_of(512);
        let has_room = machine.counts.bytes + bytes <= machine.room;
        if has_room {
            machine.counts.bytes += bytes;
            machine.counts.objects += 1;
        }
        has_room
    });
    if !has_room {
        return OUT_OF_MEMORY;
    }
    // Room to begin at a multiple of 256 within it.
    let words = vec![u64::MAX; bytes.next_multiple_of(512) / 8 + 32];
    let start = (words.as_ptr().addr() as u64).next_multiple_of(256);
    let shift = (start - words.as_ptr().addr() as u64) as usize / 8;
    MEMORY.with_borrow_mut(|memory| {
        let mut words = words;
        // The buffer stays where it is; what is not to be used of its end is cut off.
        words.truncate(words.len() - (32 - shift));
        memory.insert(start, words);
    });
    // SAFETY: as above.
    unsafe { out.write(start) };
    fault("cuMemAlloc_v2")
}

extern "system" fn free(address: u64) -> c_int {
    work_off(None);
    let Some(words) = MEMORY.with_borrow_mut(|memory| memory.remove(&address)) else {
        return INVALID_VALUE;
    };
    let shift = (address - words.as_ptr().addr() as u64) as usize / 8;
    let bytes = (words.len() - shift) * 8;
    count(|counts| {
        counts.bytes -= bytes;
        counts.objects -= 1;
    });
    fault("cuMemFree_v2")
}

unsafe extern "system" fn allocate_host(out: *mut *mut c_void, bytes: usize, _: c_uint) -> c_int {
    let memory = vec![u64::MAX; bytes.div_ceil(8)].leak();
    // SAFETY: as above.
    unsafe { out.write(memory.as_mut_ptr().cast()) };
    count(|counts| counts.objects += 1);
    fault("cuMemHostAlloc")
}

extern "system" fn free_host(_: *mut c_void) -> c_int {
    work_off(None);
    // A test is over soon, and its memory with it.
    count(|counts| counts.objects -= 1);
    fault("cuMemFreeHost")
}

extern "system" fn upload(to: u64, from: *const c_void, bytes: usize, _: *mut c_void) -> c_int {
    assert!(
        is_memory(to, bytes),
        "an upload stays in the memory that was taken"
    );
    let from = from.addr() as u64;
    enqueue(Work::Copy { to, from, bytes });
    count(|counts| counts.uploads += 1);
    fault("cuMemcpyHtoDAsync_v2")
}

extern "system" fn download(to: *mut c_void, from: u64, bytes: usize, _: *mut c_void) -> c_int {
    assert!(
        is_memory(from, bytes),
        "a download stays in the memory that was taken"
    );
    let to = to.addr() as u64;
    enqueue(Work::Copy { to, from, bytes });
    count(|counts| counts.downloads += 1);
    fault("cuMemcpyDtoHAsync_v2")
}

/// Gives a new number out.
unsafe fn object(out: *mut *mut c_void) {
    thread_local! {
        static NEXT: RefCell<usize> = const { RefCell::new(0x100) };
    }
    let number = NEXT.with_borrow_mut(|next| {
        *next += 1;
        *next
    });
    // SAFETY: as above.
    unsafe { out.write(number as *mut c_void) };
    count(|counts| counts.objects += 1);
}

unsafe extern "system" fn create_stream(out: *mut *mut c_void, _: c_uint) -> c_int {
    // SAFETY: as above.
    unsafe { object(out) };
    fault("cuStreamCreate")
}

extern "system" fn destroy_stream(_: *mut c_void) -> c_int {
    count(|counts| counts.objects -= 1);
    fault("cuStreamDestroy_v2")
}

extern "system" fn synchronize_stream(_: *mut c_void) -> c_int {
    work_off(None);
    fault("cuStreamSynchronize")
}

unsafe extern "system" fn create_event(out: *mut *mut c_void, _: c_uint) -> c_int {
    // SAFETY: as above.
    unsafe { object(out) };
    fault("cuEventCreate")
}

extern "system" fn destroy_event(_: *mut c_void) -> c_int {
    count(|counts| counts.objects -= 1);
    fault("cuEventDestroy_v2")
}

extern "system" fn record(event: *mut c_void, _: *mut c_void) -> c_int {
    enqueue(Work::Mark(event.addr()));
    fault("cuEventRecord")
}

extern "system" fn synchronize_event(event: *mut c_void) -> c_int {
    work_off(Some(event.addr()));
    fault("cuEventSynchronize")
}

/// An image is the path of a library, as the compiler of this machine makes them.
unsafe extern "system" fn load_module(out: *mut *mut c_void, image: *const c_void) -> c_int {
    // SAFETY: images end in nought.
    let path = unsafe { CStr::from_ptr(image.cast()) }
        .to_string_lossy()
        .into_owned();
    // SAFETY: libraries of this compiler start nothing.
    let Ok(library) = (unsafe { libloading::Library::new(path) }) else {
        return INVALID_IMAGE;
    };
    let module = Box::leak(Box::new(Module { library }));
    // SAFETY: as above.
    unsafe { out.write(std::ptr::from_mut(module).cast()) };
    count(|counts| counts.objects += 1);
    fault("cuModuleLoadData")
}

extern "system" fn unload_module(_: *mut c_void) -> c_int {
    count(|counts| counts.objects -= 1);
    fault("cuModuleUnload")
}

unsafe extern "system" fn function_of(
    out: *mut *mut c_void,
    module: *mut c_void,
    name: *const c_char,
) -> c_int {
    // SAFETY: modules live as long as the process, and names end in nought.
    let (module, name) = unsafe { (&*module.cast::<Module>(), CStr::from_ptr(name)) };
    // SAFETY: the emulation defines it with this type.
    let Ok(run) = (unsafe { module.library.get::<Run>("pelorus_run") }) else {
        return NOT_FOUND;
    };
    let function = Box::leak(Box::new(Function {
        name: name.to_owned(),
        run: *run,
    }));
    // SAFETY: as above.
    unsafe { out.write(std::ptr::from_mut(function).cast()) };
    fault("cuModuleGetFunction")
}

#[allow(
    clippy::too_many_arguments,
    reason = "the driver's function has so many"
)]
unsafe extern "system" fn launch(
    function: *mut c_void,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    _: *mut c_void,
    arguments: *mut *mut c_void,
    _: *mut *mut c_void,
) -> c_int {
    assert_eq!(
        [grid_z, block_y, block_z, shared],
        [1, 1, 1, 0],
        "kernels ask for no more"
    );
    // SAFETY: the caller ends its list in null, and each value has eight bytes.
    let arguments = (0..ARGUMENTS_MAX)
        .map(|at| unsafe { *arguments.add(at) })
        .take_while(|place| !place.is_null())
        .map(|place| unsafe { place.cast::<u64>().read_unaligned() })
        .collect();
    enqueue(Work::Launch {
        function: function.addr(),
        grid: [grid_x, grid_y],
        block: block_x,
        arguments,
    });
    count(|counts| counts.launches += 1);
    fault("cuLaunchKernel")
}
