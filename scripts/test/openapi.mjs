#!/usr/bin/env node
// npm run test:openapi [-- node] [bridge] [dashboard] [options of schemathesis]: Schemathesis over /openapi.json of node,
// bridge and dashboard, started as `npm start` does on empty databases. Needs the program `schemathesis`
// (pip install schemathesis) on PATH or in SCHEMATHESIS; without it, says so in one line.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { startSystem } from '../../soak/system.mjs';
import { bridgeSession, signIn, startFront } from './dashboard-visitor.mjs';

// No server errors, and no answer that the description does not have.
const CHECKS = 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance';

/** Of each service: where it is asked, with which headers, and the routes that are left out, with the reason. */
const TESTED = {
  node: async ({ node, apiKey, adminSecret }) => ({
    url: node.url,
    headers: { Authorization: `Bearer ${apiKey}`, 'X-Admin-Secret': adminSecret },
    // Rotating signing keys would end the run, drawing takes seconds, and Schemathesis sends no lines of JSON.
    left: '^/v1/admin/keys|^/api/render$|^/verify$|/certify-batch$|/attest-batch$',
  }),
  bridge: async (services, visitor) => ({
    url: services.bridge.url,
    headers: {
      Authorization: `Bearer ${services.apiKey}`,
      Origin: services.bridge.url,
      Cookie: await bridgeSession(services, visitor),
    },
    // A stream without an end, and the end of the session.
    left: '^/events$|/logout$',
  }),
  dashboard: async (services, visitor, front) => ({
    url: front.url,
    headers: {},
    // The end of the session.
    left: '^/sign-out$',
  }),
};

const names = process.argv.slice(2).filter((word) => word in TESTED);
const given = process.argv.slice(2).filter((word) => !(word in TESTED));
const options = given.length > 0 ? given : ['--max-examples', '25'];
const program = process.env.SCHEMATHESIS ?? 'schemathesis';
if (spawnSync(program, ['--version']).error !== undefined) {
  console.log('The descriptions were not tested: there is no schemathesis on this machine (pip install schemathesis).');
  process.exit(0);
}

const system = await startSystem();
let front;
try {
  const { services, folder } = system;
  const visitor = await signIn(services);
  front = await startFront({ services, visitor, folder });
  for (const name of names.length > 0 ? names : Object.keys(TESTED)) {
    const { url, headers, left } = await TESTED[name](services, visitor, front);
    console.log(`\n${name}`);
    const child = spawn(
      program,
      [
        ...['run', `${url}/openapi.json`, '--seed', '1', '--generation-database', 'none', '--checks', CHECKS],
        ...Object.entries(headers).flatMap(([header, value]) => ['-H', `${header}: ${value}`]),
        ...['--exclude-path-regex', left, ...options],
      ],
      { stdio: 'inherit', cwd: tmpdir() },
    );
    const [code] = await once(child, 'close');
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  await front?.close();
  await system.stop();
}
