// npm run torture -- [--seconds N] [--kills N] [--first KIND,KIND...] [--nodes 2..4] [--clients N] [--seed N] [--small]
// Kills services at random points under load, and reads afterwards whether anything acknowledged is missing.
//   npm run torture -- --kills 20 --first renderer,node --seed 7
import { loadavg } from 'node:os';
import { numberOf, readOptions } from '../scripts/setup/options.mjs';
import { torture } from './torture.mjs';

const { values } = readOptions(import.meta.filename, {
  options: {
    seconds: { type: 'string', default: '600' },
    kills: { type: 'string', default: 'Infinity' },
    first: { type: 'string', default: '' },
    nodes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '16' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    small: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});
const numbers = Object.fromEntries(
  ['seconds', 'kills', 'nodes', 'clients', 'seed'].map((name) => [name, numberOf(values, name)]),
);
console.log(`seed ${numbers.seed}, load average ${loadavg()[0].toFixed(1)}`);
const { breaches, facts } = await torture({
  ...numbers,
  first: values.first === '' ? [] : values.first.split(','),
  isSmall: values.small,
  log: values.quiet ? undefined : (line) => console.log(line),
});
console.log(JSON.stringify({ date: new Date().toISOString(), ...facts }, null, 2));
for (const breach of breaches.slice(0, 50)) console.log(`BREACH ${breach}`);
console.log(`${breaches.length} breaches`);
process.exitCode = breaches.length === 0 ? 0 : 1;
