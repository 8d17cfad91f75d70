// npm run conformance -- --impl node|browser|go|python | --command 'PROGRAM ARGS' [--json FILE] [--only PREFIX[,PREFIX]]
// Runs every case of the specification against an implementation, with a report for each section.
//   npm run conformance -- --impl python --only timestamp/
import { writeFileSync } from 'node:fs';
import { readOptions, refuse } from '../scripts/setup/options.mjs';
import { IMPLEMENTATIONS } from './implementations.mjs';
import { bySection, printReport } from './report.mjs';
import { allCases, runCases } from './suite.mjs';

const { values } = readOptions(import.meta.filename, {
  options: {
    impl: { type: 'string' },
    command: { type: 'string' },
    json: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const known = IMPLEMENTATIONS[values.impl];
if ((known === undefined) === (values.command === undefined)) {
  refuse(`name one: --impl ${Object.keys(IMPLEMENTATIONS).join('|')}, or --command 'PROGRAM ARGS'`);
}
const implementation = known?.() ?? { command: values.command.split(' ') };
if (implementation.missing !== undefined) {
  console.log(`conformance of ${values.impl} was not run: ${implementation.missing}.`);
  process.exit(0);
}
const all = allCases();
const prefixes = values.only.split(',');
const unknown = prefixes.find((prefix) => !all.some(({ id }) => id.startsWith(prefix)));
if (unknown !== undefined) {
  const kinds = [...new Set(all.map(({ id }) => id.replace(/\/.*/, '/')))];
  refuse(`unknown start of a case: ${unknown}. Choose from ${kinds.join(', ')}`);
}
const cases = all.filter(({ id }) => prefixes.some((prefix) => id.startsWith(prefix)));
const results = await runCases(implementation, cases);
printReport(values.impl ?? values.command, results, (line) => console.log(line));
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify({ sections: bySection(results), results }, null, 2)}\n`);
}
process.exitCode = results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
