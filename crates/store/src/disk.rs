//! The operations of the medium under the store: a file, or a simulated disk whose power is cut.

use std::fmt::Debug;
use std::fs::File;
use std::io;

/// Bytes that are read and written at an offset, without a shared cursor.
pub(crate) trait Disk: Debug + Send + Sync + 'static {
    fn len(&self) -> io::Result<u64>;
    /// Added bytes read as zeros.
    fn set_len(&self, len: u64) -> io::Result<()>;
    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()>;
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()>;
    /// Returns once all bytes written and the length are on stable storage.
    fn sync(&self) -> io::Result<()>;
    /// Lets other processes have it.
    fn unlock(&self) -> io::Result<()>;
}

impl Disk for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }

    fn read_exact_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        pelorus_files::read_exact_at(self, out, offset)
    }

    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        pelorus_files::write_all_at(self, data, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn unlock(&self) -> io::Result<()> {
        File::unlock(self)
    }
}
