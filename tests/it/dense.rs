//! DenseSlotMap.
