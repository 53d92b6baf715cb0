// Runs the frames without a page. Fails if the picture does not change, or the memory grows.
//
//     node run.mjs target/wasm32-unknown-unknown/release/fountain.wasm
import { readFile } from 'node:fs/promises';

const FRAMES = 300;
const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]));
const { memory, frame, particles, width, height } = instance.exports;
const check = (holds, text) => {
    if (!holds) throw new Error(text);
};

let place, bytes, before, time = 0, worst = 0;
for (let number = 0; number < FRAMES; number++) {
    const start = performance.now();
    const pixels = frame(2_000);
    const took = performance.now() - start;
    [time, worst] = [time + took, Math.max(worst, took)];

    place ??= pixels;
    bytes ??= memory.buffer.byteLength;
    check(pixels === place, `frame ${number}: the pixels have moved`);
    check(memory.buffer.byteLength === bytes, `frame ${number}: the memory has grown`);
    const picture = Buffer.from(memory.buffer, pixels, 4 * width() * height());
    check(!before?.equals(picture), `frame ${number}: nothing has moved`);
    before = Buffer.from(picture);
}

// Particles live for 80 to 120 frames.
check(particles() > 180_000 && particles() < 220_000, `${particles()} particles`);
const lit = before.filter((byte, index) => index % 4 !== 3 && byte > 0).length / 3;
check(lit > 0.05 * width() * height(), `only ${lit} pixels are lit`);
check(before.every((byte, index) => index % 4 !== 3 || byte === 255), 'pixels are not opaque');
for (let number = 0; number < 125; number++) frame(0);
check(particles() === 0, `${particles()} particles are left`);
for (let number = 0; number < 125; number++) frame(-1); // the most that it allows
check(particles() > 900_000, `${particles()} particles at most`);
check(memory.buffer.byteLength === bytes, 'the memory has grown');
console.log(`${FRAMES} frames in ${(bytes / 2 ** 20).toFixed(1)} MiB, ${(time / FRAMES).toFixed(1)} ms in the mean, `
    + `${worst.toFixed(1)} ms at worst`);
