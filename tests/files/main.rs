//! Arrays in files, as their users see them.
