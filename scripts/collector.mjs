// Says where the OpenTelemetry Collector of the tests is: `node scripts/collector.mjs [--build]`. Built below .data of the
// parts in collector.yaml, by the collector's own builder and Go's module proxy, which takes minutes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const list = join(import.meta.dirname, 'collector.yaml');
const parts = readFileSync(list, 'utf8');
const digest = createHash('sha256').update(parts).digest('hex').slice(0, 12);
const folder = join(import.meta.dirname, '..', '.data', 'collector', digest);
const program = join(folder, 'made', 'collector');

/** Builds the collector. @returns {string | undefined} why it could not */
function build() {
  const [, version] = /otlpreceiver (v\S+)/.exec(parts);
  // Made under another name: a collector that is there is whole.
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const env = { ...process.env, GOBIN: making, GOTOOLCHAIN: 'local', GOWORK: 'off' };
  const run = (name, ...args) => spawnSync(name, args, { cwd: making, env, stdio: 'ignore' }).status === 0;
  const isMade =
    run('go', 'install', `go.opentelemetry.io/collector/cmd/builder@${version}`) &&
    run(join(making, 'builder'), '--config', list);
  if (isMade && !existsSync(folder)) renameSync(making, folder);
  rmSync(making, { recursive: true, force: true });
  return existsSync(program) ? undefined : 'its modules cannot be built';
}

function reasonForNone() {
  if (existsSync(program)) return undefined;
  if (spawnSync('go', ['version']).status !== 0) return 'there is no Go';
  return process.argv.includes('--build') ? build() : 'npm run test:collector builds it';
}

const reason = reasonForNone();
console.log(reason === undefined ? `collector: ${program}` : `collector: none (${reason})`);
