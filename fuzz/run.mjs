#!/usr/bin/env node
// npm run fuzz -- [--seconds N] [--seed N] [--keep] [TARGET...]
// Runs each target on inputs that are changed until they reach new code. An input that breaks a property is written to
// .data/fuzz and fails the run; --keep adds the smallest inputs that reached something to fuzz/corpus.
//   npm run fuzz -- --seconds 60 strict
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkNames, numberOf, readOptions } from '../scripts/setup/options.mjs';
import { bundleTargets } from './bundle.mjs';
import { Counters } from './counters.mjs';
import { createRandom, mutate } from './mutate.mjs';

const root = join(import.meta.dirname, '..');
const { values, positionals } = readOptions(import.meta.filename, {
  options: {
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    keep: { type: 'boolean' },
  },
  allowPositionals: true,
});
const seconds = numberOf(values, 'seconds');
const seed = numberOf(values, 'seed');
/** Maximum inputs of a target that are kept, and maximum bytes of each. */
const KEPT = 40;
const KEPT_BYTES = 2048;

const out = join(root, '.data', 'fuzz');
mkdirSync(out, { recursive: true });
// Beside node_modules, where the packages that are not bundled are found.
const bundle = join(out, `targets-${process.pid}.mjs`);
await bundleTargets(bundle);
const { TARGETS } = await import(pathToFileURL(bundle));
rmSync(bundle);

// An error that a library throws in a callback ends the process, so the input is saved first.
let current = Buffer.alloc(0);
process.on('uncaughtException', (error) => {
  const file = join(out, `uncaught-${createHash('sha256').update(current).digest('hex').slice(0, 16)}`);
  writeFileSync(file, current);
  console.log(`${error.stack}\n  input: ${file}`);
  process.exit(1);
});

const chosen = positionals.length > 0 ? positionals : Object.keys(TARGETS);
checkNames(chosen, Object.keys(TARGETS), 'target');
for (const name of chosen) await fuzz(name, TARGETS[name]);

async function fuzz(name, { seeds, dictionary = [''], maxBytes = 16_384, operationsPerByte, run }) {
  const random = createRandom(seed);
  const counters = new Counters(globalThis.__counters__);
  const folder = join(root, 'fuzz', 'corpus', name);
  const stored = existsSync(folder) ? readdirSync(folder).map((file) => readFileSync(join(folder, file))) : [];
  const pool = [];
  let [executions, findings, most] = [0, 0, 0];
  const attempt = async (input) => {
    counters.reset();
    current = input;
    executions += 1;
    let fault = null;
    try {
      await run(input);
    } catch (error) {
      fault = error;
    }
    const { fresh, operations } = counters.take();
    most = Math.max(most, operations / (input.length + 256));
    if (fault === null && operations > operationsPerByte * (input.length + 256)) {
      fault = new Error(`${operations} operations for ${input.length} bytes`);
    }
    if (fault !== null) {
      findings += 1;
      const file = join(out, `${name}-${createHash('sha256').update(input).digest('hex').slice(0, 16)}`);
      writeFileSync(file, input);
      if (findings <= 5) console.log(`${name}: ${fault.stack}\n  input: ${file}`);
    } else if (fresh > 0) pool.push(input);
  };
  for (const input of [...seeds(), ...stored]) await attempt(input);
  const seedInputs = pool.length;
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    // Half of the choices are among the newest inputs.
    const recent = Math.min(pool.length, 32);
    const index = random(2) === 0 ? pool.length - 1 - random(recent) : random(pool.length);
    await attempt(mutate(pool[index], pool, dictionary, random, maxBytes));
  }
  const cost = `${most.toFixed(1)} of ${operationsPerByte} operations per byte`;
  console.log(
    `${name}: ${executions} executions, ${counters.reached} statements and branches, ${pool.length} inputs (${seedInputs} at the start), ${cost}, ${findings} findings, seed ${seed}`,
  );
  if (findings > 0) process.exitCode = 1;
  if (values.keep === true) keep(folder, pool.slice(seedInputs));
}

function keep(folder, found) {
  mkdirSync(folder, { recursive: true });
  const smallest = found.filter(({ length }) => length <= KEPT_BYTES).sort((a, b) => a.length - b.length);
  for (const input of smallest.slice(0, KEPT - readdirSync(folder).length)) {
    writeFileSync(join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16)), input);
  }
}
