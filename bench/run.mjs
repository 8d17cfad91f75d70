// npm run bench -- [--quick] [--only GROUP,GROUP] [--write] [--leaves N] [--records N]
// Only ratios within one run are comparable. A missed goal is reported.
//   --quick      half a minute; fails below half of a goal
//   --only       of these groups only: canonical, verify, project, certify, writer, workers, client, log, postgres, capacity,
//                neighbours, scale, records, growth, bridge, verifier, renderer, hanging, gallery
//   --write      writes the goals into docs/performance.md; rows of groups that did not run stay
//   --leaves N   in the log of the group log; 1000000, which takes some minutes
//   --records N  in the largest database of the group growth; 1000000
// The groups scale, records and growth make a million records and run only with --only.
//   npm run bench -- --only certify,verify
import { writeFileSync } from 'node:fs';
import { checkNames, numberOf, readOptions, refuse } from '../scripts/setup/options.mjs';
import { bridgeCases } from './bridge.mjs';
import { canonicalCases } from './canonical.mjs';
import { capacityCases } from './capacity.mjs';
import { certifyCases } from './certify.mjs';
import { clientCases } from './client.mjs';
import { galleryCases } from './gallery.mjs';
import { growthCases } from './growth.mjs';
import { hangingCases } from './hanging.mjs';
import { logCases } from './log.mjs';
import { neighbourCases } from './neighbours.mjs';
import { postgresCases } from './postgres.mjs';
import { projectCases } from './project.mjs';
import { rendererCases } from './renderer.mjs';
import { recordCases } from './records.mjs';
import { coldStartMs, environment, loadNow, printCases, printRatios, writeGoals, writeResults } from './report.mjs';
import { scaleCases } from './scale.mjs';
import { verifierCases } from './verifier.mjs';
import { verifyCases } from './verify.mjs';
import { workerCases } from './workers.mjs';
import { writerCases } from './writer-thread.mjs';

const root = `${import.meta.dirname}/..`;
const { values } = readOptions(import.meta.filename, {
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    leaves: { type: 'string' },
    records: { type: 'string' },
  },
});
const { quick } = values;
const wanted = values.only?.split(',');
const manyLeaves = values.leaves === undefined ? {} : { leaves: numberOf(values, 'leaves', 1) };
const manyRecords = values.records === undefined ? {} : { records: numberOf(values, 'records', 10_000) };
/** Take many minutes each, mostly to create a million records: run only when selected by name. */
const BY_NAME_ONLY = ['scale', 'records', 'growth'];

const groups = [
  ['canonical', () => canonicalCases(quick ? { rounds: 3, seconds: 0.15 } : { rounds: 7, seconds: 0.4 })],
  ['verify', () => verifyCases(quick ? { rounds: 3, seconds: 0.5 } : { rounds: 7, seconds: 0.5 })],
  ['project', () => projectCases(quick ? { rounds: 3, longSteps: 500 } : { rounds: 3, longSteps: 10_000 })],
  [
    'certify',
    () =>
      certifyCases(
        quick
          ? { rounds: 1, seconds: 1, connectionCounts: [] }
          : { rounds: 3, seconds: 3, connectionCounts: [1, 16, 64, 256] },
      ),
  ],
  ['writer', () => writerCases(quick ? { rounds: 1, seconds: 1 } : { rounds: 9, seconds: 3 })],
  ['workers', () => workerCases(quick ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 3 })],
  [
    'client',
    () =>
      clientCases(
        quick
          ? { rounds: 3, seconds: 0.3, calls: 2000, readers: 3 }
          : { rounds: 7, seconds: 1, calls: 20_000, readers: 5 },
      ),
  ],
  [
    'log',
    () =>
      logCases(
        quick
          ? { rounds: 1, seconds: 1, leaves: 10_000, ...manyLeaves }
          : { rounds: 3, seconds: 3, leaves: 1_000_000, ...manyLeaves },
      ),
  ],
  ['postgres', () => postgresCases(quick ? { rounds: 1, seconds: 0.5 } : { rounds: 3, seconds: 2 })],
  ['capacity', () => capacityCases({ rows: quick ? 2_000 : 20_000 })],
  ['neighbours', () => neighbourCases(quick ? { rounds: 1, seconds: 2 } : { rounds: 4, seconds: 3 })],
  ['scale', () => scaleCases(quick ? { rows: 20_000, rounds: 3 } : { rows: 1_000_000, rounds: 5, verify: true })],
  ['records', () => recordCases(quick ? { rows: 100_000, rounds: 20 } : { rows: 1_000_000, rounds: 50 })],
  [
    'growth',
    () =>
      growthCases({
        ...(quick ? { records: 100_000, rounds: 1, seconds: 1 } : { records: 1_000_000, rounds: 7, seconds: 3 }),
        ...manyRecords,
      }),
  ],
  [
    'bridge',
    () =>
      bridgeCases(
        quick
          ? { rounds: 1, executions: 1000, seconds: 1, streamMib: 40 }
          : { rounds: 3, executions: 10_000, seconds: 3, streamMib: 200 },
      ),
  ],
  ['verifier', () => verifierCases({ visits: quick ? 5 : 15 })],
  [
    'renderer',
    () =>
      rendererCases(
        quick
          ? { rounds: 1, frames: 24, peerFrames: 4, stills: 3, longLoop: 0 }
          : { rounds: 3, frames: 240, peerFrames: 12, stills: 15, longLoop: 1800 },
      ),
  ],
  ['hanging', () => hangingCases(quick ? { rounds: 1, stills: 3 } : { rounds: 4, stills: 15 })],
  [
    'gallery',
    () => galleryCases(quick ? { rounds: 1, stills: 8, frames: 60 } : { rounds: 5, stills: 31, frames: 240 }),
  ],
];

if (quick && values.write) {
  refuse('--write: the short rounds of --quick are not written down');
}
checkNames(
  wanted ?? [],
  groups.map(([name]) => name),
  'group of --only',
);

const env = environment();
console.log(
  `${env.cpu}, node ${env.node}, OpenSSL ${env.openssl}, ${env.fdatasyncPerSec} fdatasync/s, load ${env.loadavgBefore.join(' ')}`,
);
const cases = [];
const ratios = [];
const chosen = groups.filter(([name]) => (wanted === undefined ? !BY_NAME_ONLY.includes(name) : wanted.includes(name)));
for (const [index, [name, run]] of chosen.entries()) {
  console.log(`\n[${index + 1}/${chosen.length}] ${name} …`);
  const startedAt = performance.now();
  const found = await run();
  console.log(`  took ${Math.round((performance.now() - startedAt) / 1000)} s`);
  printCases(found.cases);
  if (values.write && found.picture !== undefined) writeFileSync(`${root}/docs/images/${name}.svg`, found.picture);
  cases.push(...found.cases);
  ratios.push(...found.ratios);
}
console.log('\nRatios');
printRatios(ratios);
console.log(`\ncold start of \`cer verify\`: ${Math.round(coldStartMs(root))} ms`);
const results = { env: { ...env, loadavgAfter: loadNow() }, cases, ratios };
console.log(`load before ${env.loadavgBefore.join(' ')}, after ${results.env.loadavgAfter.join(' ')}`);
writeResults(`${root}/bench/results.json`, results);
if (values.write) await writeGoals(`${root}/docs/performance.md`, results);
const bad = ratios.filter(({ value, goal, atMost }) => (atMost ? value > goal * 2 : value < goal / 2));
if (quick && bad.length > 0) {
  console.error(`below half of the goal: ${bad.map(({ id, title }) => `${id} ${title}`).join('; ')}`);
  process.exitCode = 1;
}
