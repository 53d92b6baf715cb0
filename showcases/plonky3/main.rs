//! Commits to one trace after the other, as a prover does that makes one proof after the other.

use p3_commit::Mmcs;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{Field, PrimeCharacteristicRing, PrimeField64};
use p3_keccak::{KeccakF, VECTOR_LEN};
use p3_koala_bear::KoalaBear;
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher};
use showcase::Frames;
use std::{array, fs};

#[cfg(feature = "stayput")]
#[global_allocator]
static GLOBAL: stayput::alloc::GlobalVm = stayput::alloc::GlobalVm::new();

#[cfg(feature = "mimalloc")]
#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static GLOBAL: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const COMMITMENTS: u64 = 20;
const ROWS: usize = 1 << 18;
const COLUMNS: usize = 32;
const OPENED_ROWS: usize = 100;

// The field, the transform and the hash of the example in Plonky3's README.
type Hash = PaddingFreeSponge<KeccakF, 25, 17, 4>;
type Compression = CompressionFunctionFromHasher<Hash, 2, 4>;
type Packed<T> = [T; VECTOR_LEN];
type Tree =
    MerkleTreeMmcs<Packed<KoalaBear>, Packed<u64>, SerializingHasher<Hash>, Compression, 2, 4>;

fn main() {
    let hash = Hash::new(KeccakF);
    let tree = Tree::new(SerializingHasher::new(hash), Compression::new(hash), 0);
    let transform = Radix2DitParallel::default();
    let mut frames = Frames::new();
    let mut sum = 0;
    for number in 0..COMMITMENTS {
        sum ^= frames.time(|| commit(&transform, &tree, trace(number)).rotate_left(number as u32));
    }
    frames.finish(sum);
    eprintln!("{} page faults", page_faults());
}

/// A row of numbers that is mixed again and again: the matrix to commit to.
fn trace(number: u64) -> RowMajorMatrix<KoalaBear> {
    let mut values = Vec::with_capacity(ROWS * COLUMNS);
    let mut row: [_; COLUMNS] =
        array::from_fn(|column| KoalaBear::from_u64(number * 1000 + column as u64));
    for _ in 0..ROWS {
        values.extend_from_slice(&row);
        row = array::from_fn(|column| row[column].cube() + row[(column + 1) % COLUMNS]);
    }
    RowMajorMatrix::new(values, COLUMNS)
}

/// Extends the columns to twice their length, hashes the rows into a tree, and opens some of them.
fn commit(
    transform: &Radix2DitParallel<KoalaBear>,
    tree: &Tree,
    trace: RowMajorMatrix<KoalaBear>,
) -> u64 {
    let extended = transform
        .coset_lde_batch(trace, 1, KoalaBear::GENERATOR)
        .bit_reverse_rows()
        .to_row_major_matrix();
    let dimensions = [extended.dimensions()];
    let (root, hashed) = tree.commit_matrix(extended);
    let mut sum = root[0].iter().fold(0_u64, |sum, word| sum.rotate_left(5) ^ word);
    for _ in 0..OPENED_ROWS {
        let row = sum as usize % (2 * ROWS);
        let opened = tree.open_batch(row, &hashed);
        tree.verify_batch(&root, &dimensions, row, (&opened).into())
            .expect("it is a row of the tree");
        let value = opened.opened_values[0][0].as_canonical_u64();
        sum = sum.rotate_left(5).wrapping_add(opened.opening_proof[0][0] ^ value);
    }
    sum
}

/// The page faults of this process that read no file.
fn page_faults() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux has this file");
    // The second field is the name, in parentheses, and this is the tenth.
    let (_, fields) = stat.rsplit_once(") ").expect("Linux writes a name");
    let faults = fields.split(' ').nth(7).and_then(|field| field.parse().ok());
    faults.expect("Linux writes this field")
}
