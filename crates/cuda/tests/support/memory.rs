//! Memory that a kernel may not leave.

use std::io::Error;

use bytemuck::Pod;

/// A buffer between two pages that cannot be read or written; it ends where the second of them begins, on 16 bytes.
pub struct Memory {
    map: *mut u8,
    map_bytes: usize,
    start: *mut u8,
    bytes: usize,
}

const ALIGNMENT: usize = 16;

impl Memory {
    /// The bytes of some values.
    pub fn of<T: Pod>(values: &[T]) -> Self {
        let memory = Self::new(size_of_val(values));
        memory.fill(bytemuck::cast_slice(values));
        memory
    }

    /// Room for so many values, each byte of it 255: floats of any width are NaN.
    pub fn for_output<T: Pod>(count: usize) -> Self {
        let memory = Self::new(count * size_of::<T>());
        memory.fill(&vec![0xff; count * size_of::<T>()]);
        memory
    }

    fn new(bytes: usize) -> Self {
        // SAFETY: it only asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) })
            .expect("pages have a size");
        let readable = bytes.next_multiple_of(ALIGNMENT).next_multiple_of(page);
        let map_bytes = readable + 2 * page;
        // SAFETY: a mapping of its own, wherever the system likes.
        let map = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                map_bytes,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert!(map != libc::MAP_FAILED, "{}", Error::last_os_error());
        let map: *mut u8 = map.cast();
        // SAFETY: the pages between the first and the last of the mapping; the sum stays within it.
        let start = unsafe {
            let first = map.add(page);
            if readable > 0 {
                let access = libc::PROT_READ | libc::PROT_WRITE;
                assert_eq!(
                    libc::mprotect(first.cast(), readable, access),
                    0,
                    "{}",
                    Error::last_os_error()
                );
            }
            first.add(readable - bytes.next_multiple_of(ALIGNMENT))
        };
        Self {
            map,
            map_bytes,
            start,
            bytes,
        }
    }

    pub fn address(&self) -> u64 {
        self.start as u64
    }

    /// Its bytes now.
    pub fn bytes(&self) -> Vec<u8> {
        // SAFETY: so many bytes are mapped from the start on, and no kernel is running.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }.to_vec()
    }

    /// Its values now.
    pub fn values<T: Pod>(&self) -> Vec<T> {
        self.bytes()
            .chunks_exact(size_of::<T>())
            .map(bytemuck::pod_read_unaligned)
            .collect()
    }

    /// Writes bytes from the start on.
    pub fn fill(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.bytes, "the bytes fit");
        // SAFETY: so many bytes are mapped from the start on, and no kernel is running.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start, bytes.len()) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, which nothing else has.
        unsafe { libc::munmap(self.map.cast(), self.map_bytes) };
    }
}
