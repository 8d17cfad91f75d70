// npm run torture -- [--seconds N] [--kills N] [--nodes 2..4] [--clients N] [--seed N] [--small]
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { torture } from './torture.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    kills: { type: 'string', default: 'Infinity' },
    nodes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '16' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    small: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});
const numbers = Object.fromEntries(
  ['seconds', 'kills', 'nodes', 'clients', 'seed'].map((name) => [name, Number(values[name])]),
);
console.log(`seed ${numbers.seed}, load average ${loadavg()[0].toFixed(1)}`);
const { breaches, facts } = await torture({
  ...numbers,
  isSmall: values.small,
  log: values.quiet ? undefined : (line) => console.log(line),
});
console.log(JSON.stringify({ date: new Date().toISOString(), ...facts }, null, 2));
for (const breach of breaches.slice(0, 50)) console.log(`BREACH ${breach}`);
console.log(`${breaches.length} breaches`);
process.exitCode = breaches.length === 0 ? 0 : 1;
