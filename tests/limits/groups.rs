//! Control groups that limit memory.

use crate::child::{argument, child, passes, test_of};
use crate::effort::wait_until;
use crate::linux::under_sanitizer;
use crate::{GIB, MIB};
use stayput::{CommitAhead, VmVec, region_cache, service};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, process, thread};

const LIMIT: usize = 256 * MIB;

/// A control group with a memory limit, removed when it is dropped.
pub(crate) struct Group(PathBuf);

impl Group {
    pub(crate) fn new(name: &str, limit_bytes: usize) -> Option<Self> {
        let name = format!("stayput-test-{name}-{}", process::id());
        let kinds =
            [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        kinds.into_iter().find_map(|(root, limit)| {
            let path = Path::new(root).join(&name);
            fs::create_dir(&path).ok()?;
            let this = Self(path);
            // The directory may be a plain one, or a group without a memory controller.
            let is_limited = this.0.join("cgroup.procs").exists()
                && this.0.join(limit).exists()
                && fs::write(this.0.join(limit), limit_bytes.to_string()).is_ok();
            is_limited.then_some(this)
        })
    }

    /// Makes this process join a group.
    pub(crate) fn joined(path: &Path) -> Self {
        // 0 stands for the writing process.
        fs::write(path.join("cgroup.procs"), "0").expect("the group is its own");
        Self(path.to_owned())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns how much the processes in it use, and have left in caches.
    pub(crate) fn used_bytes(&self) -> Option<usize> {
        let files = ["memory.usage_in_bytes", "memory.current"];
        let text = files.iter().find_map(|name| fs::read_to_string(self.0.join(name)).ok())?;
        text.trim().parse().ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // An empty group that remains does no harm.
        let _ = fs::remove_dir(&self.0);
    }
}

/// Runs a test in a child that is in a group of its own, if one can be made.
fn in_group<F: FnOnce()>(name: &str, run: F) {
    match argument() {
        None => match Group::new(name, LIMIT) {
            Some(group) => passes(test_of::<F>(), group.path().as_os_str()),
            None => eprintln!("SKIPPED: no control group with a memory limit can be made here"),
        },
        Some(_) if under_sanitizer("a control group") => {}
        Some(group) => {
            let _group = Group::joined(Path::new(&group));
            run();
        }
    }
}

#[test]
fn a_process_that_exceeds_what_a_control_group_allows_is_killed_and_leaves_nothing() {
    let grow = || {
        let mut vec = VmVec::<u64>::with_max_len(GIB / 8);
        vec.try_reserve(2 * LIMIT / 8).expect("no commit is refused");
        vec.extend(0..(2 * LIMIT / 8) as u64);
    };
    if argument().is_some() {
        return in_group("killed", grow);
    }
    let Some(group) = Group::new("killed", LIMIT).filter(|_| !under_sanitizer("a group")) else {
        eprintln!("SKIPPED: no control group with a memory limit can be made here");
        return;
    };
    let ended = child(
        "groups::a_process_that_exceeds_what_a_control_group_allows_is_killed_and_leaves_nothing",
        group.path(),
    );
    let ended = { ended }.output().expect("it runs");
    assert_eq!(ended.status.signal(), Some(libc::SIGKILL), "{ended:?}");
    let tasks = fs::read_to_string(group.path().join("cgroup.procs")).expect("it is there");
    let used = group.used_bytes().expect("it says");
    assert!(tasks.is_empty() && used < 16 * MIB, "{tasks}, {used} bytes");
}

/// What a step of the thread can add to a limit.
const STEP: usize = 2 * MIB;

#[test]
fn a_quarter_of_what_a_control_group_allows_is_ahead_at_most() {
    in_group("ahead", || {
        let builder = VmVec::builder().max_len(4 * GIB / 8).commit_ahead(CommitAhead::Bytes(GIB));
        let mut vec: VmVec<u64> = builder.build();
        vec.push(0);
        let mut most = 0;
        wait_until("an eighth remains while the array does not grow", || {
            let ahead = service::stats().ahead_bytes;
            most = most.max(ahead);
            most > LIMIT / 8 + STEP && ahead <= LIMIT / 8
        });
        assert!(most <= LIMIT / 4 + STEP, "{most} bytes are ahead");
        let wakeups = service::stats().wakeups;
        thread::sleep(Duration::from_secs(2));
        assert!(service::stats().wakeups < wakeups + 10, "the thread is quiet");
    });
}

#[test]
fn an_array_grows_up_to_what_a_control_group_allows() {
    in_group("grown", || {
        let most = LIMIT / 8 * 7;
        for ahead in [CommitAhead::Auto, CommitAhead::Bytes(GIB)] {
            let builder = VmVec::builder().max_len(4 * GIB / 8).commit_ahead(ahead);
            let mut vec: VmVec<u64> = builder.build();
            for n in 0..(most / 8) as u64 {
                vec.push(n);
            }
            assert!(vec.iter().copied().eq(0..(most / 8) as u64));
            drop(vec);
            service::drain();
            region_cache::trim();
        }
    });
}

#[test]
fn idle_arrays_share_what_is_ahead_in_a_control_group() {
    in_group("idle", || {
        let builder = VmVec::builder().max_len(GIB).commit_ahead(CommitAhead::Auto);
        let mut vecs: Vec<VmVec<u8>> = (0..100).map(|_| builder.build()).collect();
        for vec in &mut vecs {
            vec.push(1);
        }
        wait_until("what is ahead shrinks", || {
            let stats = service::stats();
            assert!(stats.ahead_bytes <= LIMIT / 4 + STEP, "{stats:?}");
            thread::sleep(Duration::from_millis(50));
            stats.ahead_bytes > 0 && stats.ahead_bytes <= LIMIT / 8
        });
        // Three quarters of the limit are there for the rest of the program.
        let other = vec![1_u8; LIMIT / 8 * 5];
        assert_eq!(other.iter().map(|byte| usize::from(*byte)).sum::<usize>(), other.len());
    });
}

#[test]
fn an_eighth_of_what_a_control_group_allows_is_cached_at_most() {
    in_group("cached", || {
        let arrays = || (0..32).map(|_| VmVec::<u8>::with_capacity(2 * MIB)).collect::<Vec<_>>();
        drop(arrays());
        let kept = region_cache::stats().kept_bytes;
        assert!(kept > 0 && kept <= LIMIT / 8, "{kept} bytes are cached");
    });
}
