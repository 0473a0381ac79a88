//! The end of the process whatever hangs in it: Node's own waits for every thread that it started, and one may be in a
//! call of another library that takes minutes or never returns.

use std::thread;
use std::time::Duration;

use napi_derive::napi;

/// Ends the process at once: what it does on another way out may wait for the thread that hangs.
#[cfg(target_os = "linux")]
pub fn end_process(code: i32) -> ! {
    // SAFETY: it takes no memory and does not return.
    unsafe { libc::_exit(code) }
}

#[cfg(not(target_os = "linux"))]
pub fn end_process(code: i32) -> ! {
    std::process::exit(code)
}

/// Ends the process with `code` in so many milliseconds, where it has not ended by itself before.
#[napi(catch_unwind)]
pub fn end_process_after(code: i32, milliseconds: u32) {
    let wait = move || {
        thread::sleep(Duration::from_millis(u64::from(milliseconds)));
        end_process(code);
    };
    let started = thread::Builder::new()
        .name(String::from("process-end"))
        .spawn(wait);
    if let Err(error) = started {
        log::warn!("no thread watches over the end of the process: {error}");
    }
}
