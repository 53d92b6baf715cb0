# Replaces the mapping of an index of commitlog: its file grows where it is mapped, rather than being mapped anew.

s/use memmap2::MmapMut;\n// or die;
s/(use page_size;\n)/$1use stayput::{file::Advice, FileVec};\n/ or die;
s/fs::\{self, File, OpenOptions\},\n    io::\{self, Write\},/fs,\n    io,/ or die;
s/(use log::\{trace, info), warn\}/$1}/ or die;
s/(pub const INDEX_FILE_NAME_LEN.*?\n)/$1\/\/\/ Most bytes in an index: a segment has at most 4 GiB, and a message 20 bytes or more.\nconst INDEX_MAX_BYTES: usize = 1 << 31;\n/ or die;
s/    file: File,\n// or die;
s/    mmap: MmapMut,\n/    mmap: FileVec<u8>,\n/ or die;
s/            file: index_file,\n//g == 2 or die;

# In `new` and in `open`.
my $safe = '// SAFETY: only the log writes to its files.';
my $options = 'FileVec::builder().max_len(INDEX_MAX_BYTES)';
my $advice = "mmap.advise(Advice::Random)?;";
s/let index_file = OpenOptions.*?create_new.*?MmapMut::map_mut\(&index_file\)\? \};\n/$safe
        let mut mmap = unsafe { $options.create_new(&index_path)? };
        $advice
        mmap.try_extend_zeroed(file_bytes)?;\n/s or die;
s/let index_file =\n.*?\.open\(&index_path\)\?;\n\n        (let filename)/$1/s or die;
s/let mmap = unsafe \{ MmapMut::map_mut\(&index_file\)\? \};\n/$safe
        let mmap: FileVec<u8> = unsafe { $options.open(&index_path)? };
        $advice
/ or die;

# In `resize`.
s/    \/\/ TODO: use memremap on linux\n// or die;
s/        \/\/ unmap the file.*?map_mut\(&self\.file\)\? \};\n/        self.mmap.try_resize_zeroed(new_len)?;\n/s or die;

# In `set_readonly` and `flush_sync`. The length is flushed with the entries.
s/            \/\/ trim un-used .*?\n            \}\n\n            self\.flush_sync\(\)/            self.mmap.truncate(self.next_write_pos);\n            Ok(self.mmap.flush()?)/s or die;
s/self\.mmap\.flush_range\(start, end - start\)\?/self.mmap.flush()?/ or die;
s/self\.file\.flush\(\)/Ok(())/ or die;

# After a restart of the system, only what was flushed counts.
s/(impl Index \{\n)/impl Drop for Index {
    fn drop(&mut self) {
        if self.mode == AccessMode::ReadWrite {
            let _ = self.mmap.flush();
        }
    }
}

$1/ or die;
