//! A proof that a computation was done: twenty numbers that are mixed again and again, a row of the trace each time.

use bench_common::harness::Result;
use winterfell::crypto::hashers::Blake3_256;
use winterfell::crypto::{DefaultRandomCoin, MerkleTree};
use winterfell::math::fields::f64::BaseElement;
use winterfell::math::{FieldElement, ToElements};
use winterfell::matrix::ColMatrix;
use winterfell::{
    AcceptableOptions, Air, AirContext, Assertion, AuxRandElements, BatchingMethod,
    CompositionPoly, CompositionPolyTrace, ConstraintCompositionCoefficients,
    DefaultConstraintCommitment, DefaultConstraintEvaluator, DefaultTraceLde, EvaluationFrame,
    FieldExtension, PartitionOptions, ProofOptions, Prover, StarkDomain, Trace, TraceInfo,
    TracePolyTable, TraceTable, TransitionConstraintDegree, verify,
};

use crate::checksum::Checksum;

pub(crate) const COLUMNS: usize = 20;

type Hasher = Blake3_256<BaseElement>;
type Commitment = MerkleTree<Hasher>;
type Coin = DefaultRandomCoin<Hasher>;

/// Proves a computation of as many steps, verifies the proof, and returns its checksum.
pub(crate) fn prove(rows: usize) -> Result<u64> {
    let prover = MixProver {
        options: ProofOptions::new(
            28,
            8,
            0,
            FieldExtension::Quadratic,
            8,
            31,
            BatchingMethod::Linear,
            BatchingMethod::Linear,
        ),
    };
    let mut trace = TraceTable::new(COLUMNS, rows);
    trace.fill(
        |state| (3_u64..).zip(state).for_each(|(n, number)| *number = BaseElement::new(n)),
        |_, state| {
            let mixed: [BaseElement; COLUMNS] = std::array::from_fn(|at| mixed(state, at));
            state.copy_from_slice(&mixed);
        },
    );
    let ends = prover.get_pub_inputs(&trace);
    let proof = prover.prove(trace)?;
    let checksum = Checksum::of(&proof.to_bytes());
    let accepted = AcceptableOptions::OptionSet(vec![prover.options]);
    verify::<MixAir, Hasher, Coin, Commitment>(proof, ends, &accepted)?;
    Ok(checksum)
}

/// Returns the next number of a column: its cube and the next column's number.
fn mixed<E: FieldElement>(state: &[E], at: usize) -> E {
    state[at] * state[at] * state[at] + state[(at + 1) % COLUMNS]
}

/// The first number of each column, and the last.
#[derive(Clone, Debug)]
struct Ends {
    first: [BaseElement; COLUMNS],
    last: [BaseElement; COLUMNS],
}

impl ToElements<BaseElement> for Ends {
    fn to_elements(&self) -> Vec<BaseElement> {
        [self.first, self.last].concat()
    }
}

struct MixAir {
    context: AirContext<BaseElement>,
    ends: Ends,
}

impl Air for MixAir {
    type BaseField = BaseElement;
    type PublicInputs = Ends;

    fn new(trace: TraceInfo, ends: Ends, options: ProofOptions) -> Self {
        let degrees = vec![TransitionConstraintDegree::new(3); COLUMNS];
        Self { context: AirContext::new(trace, degrees, 2 * COLUMNS, options), ends }
    }

    fn context(&self) -> &AirContext<BaseElement> {
        &self.context
    }

    fn evaluate_transition<E: FieldElement<BaseField = BaseElement>>(
        &self,
        frame: &EvaluationFrame<E>,
        _: &[E],
        result: &mut [E],
    ) {
        for (at, result) in result.iter_mut().enumerate() {
            *result = frame.next()[at] - mixed(frame.current(), at);
        }
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        let last_step = self.trace_length() - 1;
        let ends = [(0, &self.ends.first), (last_step, &self.ends.last)];
        let assertions = ends.into_iter().flat_map(|(step, numbers)| {
            numbers.iter().enumerate().map(move |(at, number)| Assertion::single(at, step, *number))
        });
        assertions.collect()
    }
}

struct MixProver {
    options: ProofOptions,
}

impl Prover for MixProver {
    type BaseField = BaseElement;
    type Air = MixAir;
    type Trace = TraceTable<BaseElement>;
    type HashFn = Hasher;
    type VC = Commitment;
    type RandomCoin = Coin;
    type TraceLde<E: FieldElement<BaseField = BaseElement>> =
        DefaultTraceLde<E, Hasher, Commitment>;
    type ConstraintCommitment<E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintCommitment<E, Hasher, Commitment>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintEvaluator<'a, MixAir, E>;

    fn get_pub_inputs(&self, trace: &Self::Trace) -> Ends {
        let at_step = |step| std::array::from_fn(|at| trace.get(at, step));
        Ends { first: at_step(0), last: at_step(trace.length() - 1) }
    }

    fn options(&self) -> &ProofOptions {
        &self.options
    }

    fn new_trace_lde<E: FieldElement<BaseField = BaseElement>>(
        &self,
        info: &TraceInfo,
        trace: &ColMatrix<BaseElement>,
        domain: &StarkDomain<BaseElement>,
        partition: PartitionOptions,
    ) -> (Self::TraceLde<E>, TracePolyTable<E>) {
        DefaultTraceLde::new(info, trace, domain, partition)
    }

    fn new_evaluator<'a, E: FieldElement<BaseField = BaseElement>>(
        &self,
        air: &'a MixAir,
        random: Option<AuxRandElements<E>>,
        coefficients: ConstraintCompositionCoefficients<E>,
    ) -> Self::ConstraintEvaluator<'a, E> {
        DefaultConstraintEvaluator::new(air, random, coefficients)
    }

    fn build_constraint_commitment<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace: CompositionPolyTrace<E>,
        columns: usize,
        domain: &StarkDomain<BaseElement>,
        partition: PartitionOptions,
    ) -> (Self::ConstraintCommitment<E>, CompositionPoly<E>) {
        DefaultConstraintCommitment::new(trace, columns, domain, partition)
    }
}
