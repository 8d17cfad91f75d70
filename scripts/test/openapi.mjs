#!/usr/bin/env node
// npm run test:openapi -- [node] [bridge] [dashboard] [options of schemathesis]
// Schemathesis over /openapi.json of node, bridge and dashboard, started as `npm start` does on empty databases. Needs the
// program `schemathesis` (pip install schemathesis) on PATH or in SCHEMATHESIS; without it, says so in one line.
//   npm run test:openapi -- node --max-examples 5
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../setup/options.mjs';
import { startSystem } from '../../soak/system.mjs';
import { bridgeSession, signIn, startFront } from './dashboard-visitor.mjs';
import { startEndingFront } from './ending-front.mjs';
import { REAL_OF_BRIDGE, realOfDashboard, realOfNode } from './openapi-resources.mjs';

// No server errors, and no answer that the description does not have.
const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,lines_conformance';
/** Phases for routes that take seconds or end what they use: no case for each keyword of a schema. */
const FEW = ['--phases', 'examples,fuzzing', '--max-examples', '6'];

/** Of each service: where it is asked, with which headers, what exists there, and the routes of each run. */
const TESTED = {
  node: async ({ services, folder }) => ({
    url: services.node.url,
    headers: { Authorization: `Bearer ${services.apiKey}`, 'X-Admin-Secret': services.adminSecret },
    real: await realOfNode(services, folder),
    // Drawing takes seconds. Rotating or revoking a key invalidates earlier signatures, so it comes last.
    apart: ['^/api/render$|^/verify$', '^/v1/admin/keys'],
  }),
  bridge: async ({ services, visitor, onClose }) => {
    // The stream of the live page never ends by itself.
    const front = await startEndingFront(services.bridge.url, '/events');
    onClose(front.close);
    return {
      url: front.url,
      headers: {
        Authorization: `Bearer ${services.apiKey}`,
        Origin: services.bridge.url,
        Cookie: await bridgeSession(services, visitor),
      },
      real: REAL_OF_BRIDGE,
      apart: ['/logout$'],
    };
  },
  dashboard: async ({ services, visitor, folder, onClose }) => {
    const front = await startFront({ services, visitor, folder });
    onClose(front.close);
    return { url: front.url, headers: {}, real: realOfDashboard(services), apart: ['^/sign-out$'] };
  },
};

// Only for --help.
readOptions(import.meta.filename, { strict: false });
const names = process.argv.slice(2).filter((word) => word in TESTED);
const given = process.argv.slice(2).filter((word) => !(word in TESTED));
const options = given.length > 0 ? given : ['--max-examples', '25'];
const program = process.env.SCHEMATHESIS ?? 'schemathesis';
if (spawnSync(program, ['--version']).error !== undefined) {
  console.log('The descriptions were not tested: there is no schemathesis on this machine (pip install schemathesis).');
  process.exit(0);
}

const work = mkdtempSync(join(tmpdir(), 'openapi-'));
const system = await startSystem();
const closing = [];
try {
  const { services, folder } = system;
  const visitor = await signIn(services);
  // All resources are made first, because the tests use up the limits of an account.
  const prepared = [];
  for (const name of names.length > 0 ? names : Object.keys(TESTED)) {
    const onClose = (close) => closing.push(close);
    prepared.push({ name, ...(await TESTED[name]({ services, visitor, folder, onClose })) });
  }
  for (const { name, url, headers, real, apart } of prepared) {
    const files = { real: join(work, `${name}.json`), seen: join(work, `${name}.seen`) };
    writeFileSync(files.real, JSON.stringify(real));
    writeFileSync(files.seen, '');
    console.log(`\n${name}`);
    const run = (words) => schemathesis({ url, headers, files, words });
    await run(['--exclude-path-regex', apart.join('|'), ...options]);
    for (const routes of apart) await run(['--include-path-regex', routes, ...FEW]);
    await reportStatuses(name, url, readFileSync(files.seen, 'utf8'));
  }
} finally {
  for (const close of closing) await close();
  await system.stop();
  rmSync(work, { recursive: true });
}

async function schemathesis({ url, headers, files, words }) {
  const child = spawn(
    program,
    [
      ...['run', `${url}/openapi.json`, '--seed', '1', '--generation-database', 'none', '--checks', CHECKS],
      ...Object.entries(headers).flatMap(([header, value]) => ['-H', `${header}: ${value}`]),
      ...words,
    ],
    {
      stdio: 'inherit',
      cwd: tmpdir(),
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'openapi_hooks.py'),
        CER_OPENAPI_REAL: files.real,
        CER_OPENAPI_SEEN: files.seen,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    },
  );
  const [code] = await once(child, 'close');
  if (code !== 0) process.exitCode = 1;
}

/** Number of operations answered 2xx at least once, and the answers of the others. */
async function reportStatuses(name, url, seen) {
  const { paths } = await (await fetch(`${url}/openapi.json`)).json();
  const statuses = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [`${method.toUpperCase()} ${path}`, new Set()]),
    ),
  );
  const answers = seen.trimEnd().split('\n').filter(Boolean);
  for (const answer of answers) {
    const [method, path, status] = answer.split(' ');
    statuses.get(`${method} ${path}`)?.add(status);
  }
  const isMet = (found) => [...found].some((status) => status.startsWith('2'));
  const others = [...statuses].filter(([, found]) => !isMet(found));
  const redirects = others.filter(([, found]) => [...found].some((status) => status.startsWith('3')));
  console.log(
    `\n${name}: ${answers.length} answers of ${statuses.size} operations; 2xx from ${statuses.size - others.length}, ` +
      `a redirect but no 2xx from ${redirects.length}, neither from ${others.length - redirects.length}`,
  );
  for (const [operation, found] of others) {
    console.log(`  ${operation}: ${[...found].toSorted().join(', ') || 'not asked'}`);
  }
}
