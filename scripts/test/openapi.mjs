#!/usr/bin/env node
// npm run test:openapi: Schemathesis over /openapi.json of a node on an empty database. Needs the program `schemathesis`
// (pip install schemathesis) on PATH or in SCHEMATHESIS; without it, says so in one line.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../../conformance/implementation.mjs';

const more = process.argv.length > 2 ? process.argv.slice(2) : ['--max-examples', '25'];
const program = process.env.SCHEMATHESIS ?? 'schemathesis';
if (spawnSync(program, ['--version']).error !== undefined) {
  console.log('The descriptions were not tested: there is no schemathesis on this machine (pip install schemathesis).');
  process.exit(0);
}
const adapter = join(import.meta.dirname, '..', '..', 'conformance', 'adapters', 'node.mjs');
const node = await serve({ command: [process.execPath, adapter] });
const { url, apiKey, adminSecret } = node.facts;
try {
  const args = ['run', `${url}/openapi.json`, '--seed', '1', '--generation-database', 'none'];
  const callers = ['-H', `Authorization: Bearer ${apiKey}`, '-H', `X-Admin-Secret: ${adminSecret}`];
  // No server errors, and no answer that the description does not have. Left out: the routes of signing keys, which would
  // end the run, and those of the renderer, which this node does not have (503).
  const checks = [
    '--checks',
    'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance',
  ];
  const left = ['--exclude-path-regex', '^/v1/admin/keys|^/api/render$|^/verify$'];
  const child = spawn(program, [...args, ...callers, ...checks, ...left, ...more], { stdio: 'inherit', cwd: tmpdir() });
  const [code] = await once(child, 'close');
  process.exitCode = code ?? 1;
} finally {
  await node.stop();
}
