// Calls every exported function of a WebAssembly module, each in an instance of its own. Prints results like
// `cargo test`, and fails if a function traps.
import { readFile } from 'node:fs/promises';

const module = await WebAssembly.compile(await readFile(process.argv[2]));
const names = WebAssembly.Module.exports(module)
    .filter(({ name, kind }) => kind === 'function' && !name.startsWith('__') && name !== 'tell_panics')
    .map(({ name }) => name);
if (names.length === 0) throw new Error('the module exports no tests');
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
