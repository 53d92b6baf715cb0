//! The arrays under test: arrays in files, each in its best form, and an array in memory.

#![expect(unsafe_code, reason = "maps files that no other process uses")]
#![expect(clippy::cast_ptr_alignment, reason = "mappings are page-aligned")]

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use bench_common::contenders;
use memmap2::MmapMut;
use memvec::{MemVec, VecFile};
use mmap_vec::{DefaultSegmentBuilder, MmapVec, MmapVecBuilder};
use stayput::file::{Advice, Space};
use stayput::{FileVec, HugePages, VmVec};

/// A cache line.
pub(crate) type Element = [u64; 8];

pub(crate) const ELEMENT_BYTES: usize = size_of::<Element>();

pub(crate) const fn element(number: usize) -> Element {
    [number as u64; 8]
}

contenders! {
    Contender by Job;
    /// stayput's array in a file
    FileVec: InFile<PLAIN>, "FileVec";
    /// stayput's array in a file, whose space on the disk is allocated by use
    FileVecSparse: InFile<SPARSE>, "FileVec, sparse";
    /// stayput's array in a file, where each page takes its own fault
    FileVecByPages: InFile<BY_PAGES>, "FileVec, page by page";
    /// stayput's array in memory, in small pages
    VmVec: VmVec<Element>, "VmVec, small pages";
    /// A file that is mapped again when it doubles, by hand over memmap2
    Remapping: Remapping, "memmap2, remapping";
    /// The crate mmap-vec
    MmapVec: ByMmapVec, "mmap-vec";
    /// The crate memvec
    Memvec: ByMemvec, "memvec";
    /// A `BufWriter`, and `read_to_end`
    BufWriter: Stream, "BufWriter";
}

/// Work that is done with each type of array.
pub(crate) trait Job {
    type Outcome;
    fn run<A: Array>(self) -> Self::Outcome;
}

/// An array that grows.
pub(crate) trait Array: Sized {
    /// Creates an array in a folder that may grow to `most` elements.
    fn new(folder: &Path, most: usize) -> io::Result<Self>;
    fn push(&mut self, element: Element);
    /// Returns all elements, if the array can be read.
    fn elements(&self) -> Option<&[Element]>;
}

/// An array that can be opened again.
pub(crate) trait Reopened: Array {
    /// Opens the array left in the folder and reads the number of elements; then reads the last one.
    fn look(folder: &Path) -> io::Result<(usize, Instant, Element)>;
    /// Leaves the array in the folder.
    fn leave(self);
}

fn file(folder: &Path) -> PathBuf {
    folder.join("array")
}

/// The settings of stayput's array.
pub(crate) const PLAIN: u8 = 0;
pub(crate) const SPARSE: u8 = 1;
pub(crate) const BY_PAGES: u8 = 2;

pub(crate) struct InFile<const HOW: u8>(FileVec<Element>);

impl<const HOW: u8> Array for InFile<HOW> {
    fn new(folder: &Path, most: usize) -> io::Result<Self> {
        let space = if HOW == SPARSE { Space::Sparse } else { Space::Allocated };
        // SAFETY: no other process uses the folder.
        let vec = unsafe { FileVec::builder().space(space).max_len(most).create(file(folder)) }?;
        if HOW == BY_PAGES {
            vec.advise(Advice::Random)?;
        }
        Ok(Self(vec))
    }

    fn push(&mut self, element: Element) {
        self.0.push(element);
    }

    fn elements(&self) -> Option<&[Element]> {
        Some(&self.0)
    }
}

impl Reopened for InFile<PLAIN> {
    fn look(folder: &Path) -> io::Result<(usize, Instant, Element)> {
        // SAFETY: no other process uses the folder.
        let vec = unsafe { FileVec::<Element>::open(file(folder)) }?;
        let (len, opened) = (vec.len(), Instant::now());
        Ok((len, opened, vec[len - 1]))
    }

    fn leave(self) {}
}

impl Array for VmVec<Element> {
    fn new(_: &Path, most: usize) -> io::Result<Self> {
        let builder = Self::builder().max_len(most).huge_pages(HugePages::Never);
        Ok(builder.try_build()?)
    }

    fn push(&mut self, element: Element) {
        self.push(element);
    }

    fn elements(&self) -> Option<&[Element]> {
        Some(self)
    }
}

/// An array by hand over memmap2: the length in front, and the file twice as long when it is full.
pub(crate) struct Remapping {
    file: File,
    map: MmapMut,
    len: usize,
    capacity: usize,
}

impl Remapping {
    fn over(file: File) -> io::Result<Self> {
        // SAFETY: no other process uses the file.
        let map = unsafe { MmapMut::map_mut(&file) }?;
        let capacity = map.len() / ELEMENT_BYTES - 1;
        let (count, _) = map.split_first_chunk().expect("the file holds a length");
        let len = usize::try_from(u64::from_le_bytes(*count)).expect("lengths fit into a usize");
        Ok(Self { file, map, len, capacity })
    }

    #[cold]
    fn grow(&mut self) -> io::Result<()> {
        self.file.set_len(self.map.len() as u64 * 2)?;
        // SAFETY: no other process uses the file.
        self.map = unsafe { MmapMut::map_mut(&self.file) }?;
        self.capacity = self.map.len() / ELEMENT_BYTES - 1;
        Ok(())
    }
}

impl Array for Remapping {
    fn new(folder: &Path, _: usize) -> io::Result<Self> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(file(folder))?;
        file.set_len(64 << 10)?;
        Self::over(file)
    }

    fn push(&mut self, element: Element) {
        if self.len == self.capacity {
            self.grow().expect("the file can grow");
        }
        let first = self.map.as_mut_ptr().cast::<Element>();
        // SAFETY: `self.len` is less than the capacity, and the first place holds the length.
        let place = unsafe { first.add(1 + self.len) };
        // SAFETY: the place is mapped, and aligned because mappings are page-aligned.
        unsafe { place.write(element) };
        self.len += 1;
        self.map[..8].copy_from_slice(&(self.len as u64).to_le_bytes());
    }

    fn elements(&self) -> Option<&[Element]> {
        let first = self.map.as_ptr().cast::<Element>().wrapping_add(1);
        // SAFETY: the first `self.len` elements were written.
        Some(unsafe { std::slice::from_raw_parts(first, self.len) })
    }
}

impl Reopened for Remapping {
    fn look(folder: &Path) -> io::Result<(usize, Instant, Element)> {
        let this = Self::over(File::options().read(true).write(true).open(file(folder))?)?;
        let elements = this.elements().expect("it can be read");
        let opened = Instant::now();
        Ok((this.len, opened, elements[this.len - 1]))
    }

    fn leave(self) {}
}

/// Removes its file when it is dropped.
pub(crate) struct ByMmapVec(MmapVec<Element>);

impl Array for ByMmapVec {
    fn new(folder: &Path, _: usize) -> io::Result<Self> {
        let segments = DefaultSegmentBuilder::with_path(folder);
        Ok(Self(MmapVecBuilder::new().segment_builder(segments).try_build()?))
    }

    fn push(&mut self, element: Element) {
        self.0.push(element).expect("the file can grow");
    }

    fn elements(&self) -> Option<&[Element]> {
        Some(&self.0)
    }
}

pub(crate) struct ByMemvec(MemVec<'static, Element, VecFile<'static>>);

impl ByMemvec {
    fn over(memory: VecFile<'static>) -> io::Result<Self> {
        // SAFETY: the file holds such elements, and no other process uses it.
        let vec = unsafe { MemVec::try_from_memory(memory) };
        Ok(Self(vec.map_err(|(_, error)| io::Error::other(format!("{error:?}")))?))
    }
}

impl Array for ByMemvec {
    fn new(folder: &Path, _: usize) -> io::Result<Self> {
        Self::over(VecFile::open_or_create(file(folder), |_| Ok(()))?)
    }

    fn push(&mut self, element: Element) {
        self.0.push(element);
    }

    fn elements(&self) -> Option<&[Element]> {
        Some(&self.0)
    }
}

impl Reopened for ByMemvec {
    fn look(folder: &Path) -> io::Result<(usize, Instant, Element)> {
        let this = Self::over(VecFile::open(file(folder))?)?;
        let (len, opened) = (this.0.len(), Instant::now());
        Ok((len, opened, this.0[len - 1]))
    }

    fn leave(self) {}
}

/// A stream: its elements cannot be read while it is written.
pub(crate) struct Stream(BufWriter<File>);

impl Array for Stream {
    fn new(folder: &Path, _: usize) -> io::Result<Self> {
        Ok(Self(BufWriter::with_capacity(64 << 10, File::create(file(folder))?)))
    }

    fn push(&mut self, element: Element) {
        let mut bytes = [0; ELEMENT_BYTES];
        for (to, word) in bytes.chunks_exact_mut(8).zip(element) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        self.0.write_all(&bytes).expect("the file can grow");
    }

    fn elements(&self) -> Option<&[Element]> {
        None
    }
}

impl Reopened for Stream {
    fn look(folder: &Path) -> io::Result<(usize, Instant, Element)> {
        let mut bytes = Vec::new();
        File::open(file(folder))?.read_to_end(&mut bytes)?;
        let (_, last) = bytes.split_last_chunk::<8>().expect("the file has elements");
        let opened = Instant::now();
        Ok((bytes.len() / ELEMENT_BYTES, opened, [u64::from_ne_bytes(*last); 8]))
    }

    fn leave(mut self) {
        self.0.flush().expect("the file can grow");
    }
}

/// Creates a file of `count` elements that are zero, none of which has been written.
pub(crate) fn leave_sparse(folder: &Path, count: usize, contender: Contender) -> io::Result<()> {
    if contender == Contender::Remapping {
        let mut file = File::create(file(folder))?;
        file.set_len((count + 1) as u64 * ELEMENT_BYTES as u64)?;
        return file.write_all(&(count as u64).to_le_bytes());
    }
    let builder = FileVec::<Element>::builder().space(Space::Sparse).max_len(count);
    // SAFETY: no other process uses the folder.
    let vec = unsafe { builder.create(file(folder)) };
    vec?.try_extend_zeroed(count)?;
    Ok(())
}
