//! Sounds, playing sounds, and fades: weak references to values that may be removed.
//!
//! A sound can be unloaded while it plays, and a playing sound can end while it fades. No notification is
//! needed: references are weak pointers or keys, which then find nothing.
//!
//!     cargo run --example sound_system

use stayput::{SecondaryMap, SlotMap, Weak, new_key_type};

new_key_type! {
    struct SoundKey;
    struct PlayingKey;
}

/// A loaded sound.
struct Sound {
    name: String,
    samples: Vec<f32>,
}

/// A sound on its way to the loudspeaker.
struct Playing {
    sound: Weak<SoundKey, Sound>,
    position: usize,
    volume: f32,
}

/// A change of a playing sound's volume over time.
struct Fade {
    target: Weak<PlayingKey, Playing>,
    to: f32,
    frames_left: u16,
}

#[derive(Default)]
struct SoundSystem {
    sounds: SlotMap<SoundKey, Sound>,
    playing: SlotMap<PlayingKey, Playing>,
    fades: SlotMap<stayput::DefaultKey, Fade>,
    /// How often each sound was started; sounds that never were have no entry.
    starts: SecondaryMap<SoundKey, u32>,
}

impl SoundSystem {
    /// The number of samples mixed in a frame.
    const FRAME: usize = 64;

    fn load(&mut self, name: &str, frames: usize) -> SoundKey {
        let samples = vec![0.5; frames * Self::FRAME];
        self.sounds.insert(Sound { name: name.to_owned(), samples })
    }

    fn unload(&mut self, sound: SoundKey) -> Option<String> {
        self.sounds.remove(sound).map(|sound| sound.name)
    }

    fn play(&mut self, sound: SoundKey) -> Option<PlayingKey> {
        let weak = self.sounds.downgrade(sound)?;
        *self.starts.entry(sound)?.or_insert(0) += 1;
        Some(self.playing.insert(Playing { sound: weak, position: 0, volume: 1.0 }))
    }

    fn fade(&mut self, playing: PlayingKey, to: f32, frames_left: u16) {
        if let Some(target) = self.playing.downgrade(playing) {
            self.fades.insert(Fade { target, to, frames_left });
        }
    }

    /// Mixes one frame, and returns its loudest sample.
    fn frame(&mut self) -> f32 {
        self.fades.retain(|_, fade| {
            let Some(playing) = self.playing.upgrade_mut(&fade.target) else { return false };
            playing.volume += (fade.to - playing.volume) / f32::from(fade.frames_left);
            fade.frames_left -= 1;
            fade.frames_left > 0
        });

        let mut mix = [0.0_f32; Self::FRAME];
        self.playing.retain(|_, playing| {
            // A sound that was unloaded ends at once.
            let Some(sound) = self.sounds.upgrade(&playing.sound) else { return false };
            let samples = &sound.samples[playing.position..][..Self::FRAME];
            for (mixed, sample) in mix.iter_mut().zip(samples) {
                *mixed += sample * playing.volume;
            }
            playing.position += Self::FRAME;
            playing.position < sound.samples.len()
        });
        mix.into_iter().fold(0.0, f32::max)
    }
}

fn main() {
    let mut system = SoundSystem::default();
    let wind = system.load("wind", 100);
    let bang = system.load("bang", 10);

    let howl = system.play(wind).expect("loaded");
    system.play(bang).expect("loaded");
    system.play(bang).expect("loaded");
    system.fade(howl, 0.0, 20);
    assert_eq!(system.starts.get(bang), Some(&2));

    let loud = system.frame();
    (0..10).for_each(|_| _ = system.frame());
    assert_eq!(system.playing.len(), 1, "only the wind still plays");

    // Unloaded while it plays and fades: in the next frame its playback ends, and in the one after that the
    // fade, whose target is gone.
    assert_eq!(system.unload(wind).as_deref(), Some("wind"));
    system.frame();
    assert_eq!((system.playing.len(), system.fades.len()), (0, 1));
    let quiet = system.frame();
    assert_eq!(system.fades.len(), 0);

    // Another sound in its slot is not mistaken for it.
    let rain = system.load("rain", 1);
    assert!(system.play(wind).is_none());
    assert!(system.play(rain).is_some());
    println!("from {loud:.2} to {quiet:.2}, without a notification");
}
