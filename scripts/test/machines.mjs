#!/usr/bin/env node
// npm run test:machines -- [MACHINE...] [--short] [--sketch NAME] [--list]
// Draws the gallery on every machine that this one can simulate, and compares each picture with its one pin. `--short`
// draws the sketches that differ first; `--list` names the machines.
//   npm run test:machines -- skia-avx2 skia-sse --short
import { loadavg } from 'node:os';
import { checkNames, readOptions } from '../setup/options.mjs';
import { GALLERY, SHORT } from './machines/gallery.mjs';
import { ROWS } from './machines/rows.mjs';

const { values, positionals } = readOptions(import.meta.filename, {
  allowPositionals: true,
  options: { short: { type: 'boolean' }, sketch: { type: 'string', multiple: true }, list: { type: 'boolean' } },
});
const names = GALLERY.map(({ name }) => name);
checkNames(values.sketch ?? [], names, 'sketch');
const sketches = GALLERY.filter(({ name }) => (values.sketch ?? (values.short ? SHORT : [name])).includes(name));
const machines = ROWS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name));
if (values.list || unknown.length > 0) {
  for (const { name, what } of ROWS) console.log(`${name.padEnd(16)}${what}`);
  if (unknown.length > 0) console.error(`unknown: ${unknown.join(', ')}`);
  process.exit(values.list ? 0 : 3);
}

let [passed, failed] = [0, 0];
const differences = [];
console.log('| machine | version | portable | chromium-native | seconds |\n| --- | --- | --- | --- | --- |');
for (const { name, what, open } of machines) {
  const startedAt = performance.now();
  const cells = await drawnOn(name, open);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`| ${[`${name}: ${what}`, ...cells, seconds].join(' | ')} |`);
}
for (const line of differences) console.log(line);
console.log(`load ${loadavg()[0].toFixed(1)}`);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;

/** @returns the cells of a row: version, and a count for each engine */
async function drawnOn(name, open) {
  let machine;
  try {
    machine = await open();
  } catch (error) {
    failed += 1;
    return [`FAILED: ${error.message}`, '', ''];
  }
  if (typeof machine === 'string') return [`not run: ${machine}`, '', ''];
  try {
    const cells = [];
    for (const engine of ['portable', 'chromium-native'])
      cells.push(machine.engines.includes(engine) ? await compared(name, machine, engine) : '');
    return [machine.version, ...cells];
  } finally {
    await machine.close();
  }
}

async function compared(name, machine, engine) {
  let same = 0;
  const version = /^Chromium ([\d.]+)/.exec(machine.version)?.[1];
  const drawn = sketches.filter(({ pins }) => pins[engine === 'portable' ? engine : version] !== undefined);
  for (const sketch of drawn) {
    const pin = sketch.pins[engine === 'portable' ? engine : version];
    const hash = await machine.draw(engine, sketch).catch((error) => error.message);
    if (hash === pin) same += 1;
    else differences.push(`DIFFERS: ${sketch.name} by ${engine} on ${name}: ${hash} for ${pin}`);
  }
  passed += same;
  failed += drawn.length - same;
  if (drawn.length === 0) return 'no pins';
  return same === drawn.length ? `${same} same` : `${same} same, ${drawn.length - same} DIFFER`;
}
