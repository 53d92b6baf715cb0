//! Contenders: what a bench compares, each with the settings that its users would choose.

/// Implements methods of a bench's trait by the structure's own methods of the same name, since the crates
/// share names but no trait. A bench extends it by a macro of the same name.
#[macro_export]
macro_rules! own {
    (@ empty) => {
        fn empty() -> Self {
            Self::new()
        }
    };
    (@ with_room) => {
        fn with_room(count: usize) -> Self {
            Self::with_capacity(count)
        }
    };
    (@ clear) => {
        fn clear(&mut self) {
            Self::clear(self);
        }
    };
}

/// Defines an enum of contenders with a name and a type for each, and a method that runs a job with the type. The job
/// implements a trait of the bench, whose method `run` is generic over the bench's trait for contenders.
#[macro_export]
macro_rules! contenders {
    (
        $contender:ident by $job:ident $(<$element:ident: $bound:ident>)?;
        $($(#[doc = $doc:literal])+ $variant:ident: $array:ty, $name:literal;)+
    ) => {
        #[doc = "A contender."]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, clap::ValueEnum)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum $contender {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $contender {
            /// The name in tables.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Runs a job with the type of this contender.
            pub(crate) fn make<$($element: $bound,)? J: $job $(<$element>)?>(
                self,
                job: J,
            ) -> J::Outcome {
                match self {
                    $(Self::$variant => job.run::<$array>(),)+
                }
            }
        }
    };
}
