const path = 'target/wasm32-unknown-unknown/release/fountain.wasm';
const { instance } = await WebAssembly.instantiate(await (await fetch(path)).arrayBuffer());
const { memory, frame, particles, width, height } = instance.exports;

const canvas = document.querySelector('canvas');
[canvas.width, canvas.height] = [width(), height()];
const context = canvas.getContext('2d', { alpha: false });
const spawned = document.querySelector('input'); // as a power of ten
const text = document.querySelector('#text');

let shown = -Infinity;
let usual = 0;
function draw(now) {
    requestAnimationFrame(draw);
    if (now - shown < 15) return; // 60 frames a second, also on faster screens
    shown = now;

    const start = performance.now();
    const pixels = frame(10 ** spawned.value);
    // The pixels never move, but a view becomes invalid when the memory grows, so each frame creates one. It copies nothing.
    const view = new Uint8ClampedArray(memory.buffer, pixels, 4 * canvas.width * canvas.height);
    context.putImageData(new ImageData(view, canvas.width, canvas.height), 0, 0);
    const time = performance.now() - start;

    usual = usual ? 0.95 * usual + 0.05 * time : time;
    text.textContent = `${particles().toLocaleString('en')} particles, `
        + `${(memory.buffer.byteLength / 2 ** 20).toFixed(1)} MiB of memory, ${usual.toFixed(1)} ms a frame`;
}
requestAnimationFrame(draw);
