// Calls every function that a WebAssembly module exports, each in an instance of its own. It prints what
// `cargo test` does, and fails if one traps.
import { readFile } from 'node:fs/promises';

const module = await WebAssembly.compile(await readFile(process.argv[2]));
const names = WebAssembly.Module.exports(module)
    .filter(({ name, kind }) => kind === 'function' && !name.startsWith('__') && name !== 'tell_panics')
    .map(({ name }) => name);
if (names.length === 0) throw new Error('there is nothing to call');
for (const name of names) {
    const say = (start, length) => {
        const bytes = new Uint8Array(instance.exports.memory.buffer, start, length);
        console.error(new TextDecoder().decode(bytes));
    };
    const instance = await WebAssembly.instantiate(module, { host: { say } });
    instance.exports.tell_panics();
    instance.exports[name]();
    console.log(`test ${name} ... ok`);
}
console.log(`test result: ok. ${names.length} passed`);
