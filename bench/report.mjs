import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

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
    loadavgBefore: loadavg().map((load) => Number(load.toFixed(2))),
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

export function writeResults(file, { env, cases, ratios }) {
  const results = { env: { ...env, loadavgAfter: loadavg().map((load) => Number(load.toFixed(2))) }, cases, ratios };
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
