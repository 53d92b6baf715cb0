// Prints the cost of arrays in WebAssembly: time, the module's memory, and the resident memory of the process.
//
//     cargo build --release --example cost --target wasm32-unknown-unknown
//     node cost.mjs target/wasm32-unknown-unknown/release/examples/cost.wasm
import { readFile } from 'node:fs/promises';

const module = await WebAssembly.compile(await readFile(process.argv[2]));
const instance = async () => (await WebAssembly.instantiate(module, {})).exports;
const MIB = 2 ** 20;
const ROUNDS = 9;
const kept = []; // keeps instances alive, so that no memory is returned during a measurement

function line(name, rounds) {
    const median = (what) => rounds.map((round) => round[what]).sort((a, b) => a - b)[ROUNDS >> 1];
    console.log(name.padEnd(52), `${median('time').toFixed(3).padStart(9)} ms`,
        `${(median('bytes') / MIB).toFixed(2).padStart(8)} MiB`,
        `${(median('resident') / MIB).toFixed(2).padStart(8)} MiB resident`);
}

function measure(exports, run) {
    const resident = process.memoryUsage.rss();
    const bytes = exports.memory.buffer.byteLength;
    const start = performance.now();
    const result = run();
    return {
        time: performance.now() - start,
        bytes: exports.memory.buffer.byteLength - bytes,
        resident: process.memoryUsage.rss() - resident,
        result,
    };
}

async function tell(name, run) {
    const rounds = [];
    for (let round = -2; round < ROUNDS; round++) {
        const exports = await instance();
        kept.push(exports);
        const measured = measure(exports, () => run(exports));
        if (round >= 0) rounds.push(measured);
    }
    line(name, rounds);
    kept.length = 0;
}

for (const count of [1, 1000]) {
    await tell(`${count} Vec of one u64`, ({ vecs }) => vecs(count));
    await tell(`${count} VmVec`, ({ vm_vecs }) => vm_vecs(count));
    await tell(`${count} VmVec, max_len 1,000`, ({ vm_vecs_with_max_len }) => vm_vecs_with_max_len(count, 1000));
    await tell(`${count} BlockVec`, ({ block_vecs }) => block_vecs(count));
    await tell(`${count} BlockVec, doubling from 64 bytes`, ({ doubling_block_vecs }) => doubling_block_vecs(count));
}
await tell('1 VmVec, max_len 1,048,576', ({ vm_vecs_with_max_len }) => vm_vecs_with_max_len(1, MIB));

await tell('Vec, 1,048,576 pushed', ({ filled_vec }) => filled_vec(MIB));
await tell('Vec::with_capacity, 1,048,576 pushed', (e) => e.filled_vec_with_capacity(MIB));
await tell('VmVec::with_max_len, 1,048,576 pushed', ({ filled_vm_vec }) => filled_vm_vec(MIB));
await tell('BlockVec, 1,048,576 pushed', ({ filled_block_vec }) => filled_block_vec(MIB));

const steps = { reserve: [], commit: [], 'commit again': [], decommit: [], 'commit after decommit': [] };
for (let round = 0; round < ROUNDS; round++) {
    const exports = await instance();
    kept.push(exports);
    const reserved = measure(exports, () => exports.reserve(16 * MIB));
    const range = reserved.result;
    steps.reserve.push(reserved);
    steps.commit.push(measure(exports, () => exports.commit(range)));
    steps['commit again'].push(measure(exports, () => exports.commit(range)));
    steps.decommit.push(measure(exports, () => exports.decommit(range)));
    steps['commit after decommit'].push(measure(exports, () => exports.commit(range)));
}
for (const [name, rounds] of Object.entries(steps)) line(`16 MiB: ${name}`, rounds);
