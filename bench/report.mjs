import { execFileSync } from 'node:child_process';
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatted } from '../scripts/formatted.mjs';

/** Durable 4 KB appends per second: the upper bound for one commit per request. */
export function fdatasyncPerSecond() {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bench-'));
  const file = openSync(join(folder, 'append'), 'w');
  const page = Buffer.alloc(4096, 1);
  const before = performance.now();
  let writes = 0;
  while (performance.now() - before < 500) {
    writeSync(file, page);
    fdatasyncSync(file);
    writes += 1;
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  return Math.round(writes / ((performance.now() - before) / 1000));
}

export function environment() {
  return {
    cpu: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    node: process.version,
    openssl: process.versions.openssl,
    loadavgBefore: loadNow(),
    fdatasyncPerSec: fdatasyncPerSecond(),
  };
}

/** `cer verify` of one certificate from a cold start, in milliseconds. */
export function coldStartMs(root) {
  const times = [];
  for (let run = 0; run < 5; run += 1) {
    const before = performance.now();
    execFileSync(
      process.execPath,
      [
        `${root}/apps/cli/bin/cer.js`,
        'verify',
        `${root}/examples/certificates/certified.json`,
        '--keys',
        `${root}/examples/certificates/keys.json`,
      ],
      { stdio: 'ignore' },
    );
    times.push(performance.now() - before);
  }
  return times.sort((a, b) => a - b)[2];
}

/** The load averages of 1, 5 and 15 minutes. */
export function loadNow() {
  return loadavg().map((load) => Number(load.toFixed(2)));
}

export function writeResults(file, results) {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

const number = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

export function printCases(cases) {
  const width = Math.max(...cases.map(({ name }) => name.length));
  for (const { name, unit, median, min, max } of cases) {
    console.log(`  ${name.padEnd(width)}  ${number(median).padStart(10)} ${unit}  (${number(min)} to ${number(max)})`);
  }
}

export function printRatios(ratios) {
  const width = Math.max(...ratios.map(({ title }) => title.length));
  for (const { id, title, value, goal, atMost, pass } of ratios) {
    const sign = atMost ? '<=' : '>=';
    console.log(
      `  ${id.padEnd(4)} ${title.padEnd(width)}  ${value.toFixed(2).padStart(7)}  ${sign} ${goal}  ${pass ? 'reached' : 'MISSED'}`,
    );
  }
}

const ROW = /^\| [GW]\d+ +\|/;

/** Puts the goals of a run into the table of a document, each row with its date, processor and load. */
export async function writeGoals(file, { env, ratios }) {
  const when = new Date().toISOString().slice(0, 10);
  const load = `${env.loadavgBefore[0]} to ${env.loadavgAfter[0]}`;
  const made = ratios
    .filter(({ id }) => /^[GW]\d+$/.test(id))
    .map(({ id, title, value, goal, atMost, pass }) => {
      const stated = `${atMost ? 'at most' : 'at least'} ${goal}`;
      const verdict = pass ? 'reached' : 'missed';
      return `| ${[id, title, value.toFixed(2), stated, verdict, when, `${env.cpu}, ${env.node}`, load].join(' | ')} |`;
    });
  const lines = readFileSync(file, 'utf8').split('\n');
  const keyOf = (row) =>
    row
      .split('|', 3)
      .map((cell) => cell.trim())
      .join('|');
  const written = new Set(made.map(keyOf));
  const kept = lines.filter((line) => ROW.test(line) && !written.has(keyOf(line)));
  const placeOf = (row) => {
    const [, kind, number] = /([GW])(\d+)/.exec(row);
    return (kind === 'G' ? 0 : 1000) + Number(number);
  };
  const rows = [...kept, ...made].sort((a, b) => placeOf(a) - placeOf(b));
  const rest = lines.filter((line) => !ROW.test(line));
  const after = rest.findIndex((line) => /^\| *-/.test(line)) + 1;
  const text = [...rest.slice(0, after), ...rows, ...rest.slice(after)].join('\n');
  writeFileSync(file, await formatted(file, text));
}
