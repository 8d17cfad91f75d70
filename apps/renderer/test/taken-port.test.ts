import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { serve, silentLogger } from '@cer/http-service/process';
import { builtProgram } from '@cer/http-service/testing';
import { TOKEN } from './renderer-under-test.js';

it('reports a port in use before it starts a browser', async () => {
  const host = '127.0.0.1';
  const other = await serve(() => undefined, { host, port: 0, logger: silentLogger() });
  const { port } = new URL(other.url);
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram('apps/renderer/src/main.ts')], {
    encoding: 'utf8',
    // No browser: an attempt to start one would be logged.
    env: { HOST: host, PORT: port, RENDERER_TOKEN: TOKEN, CHROMIUM_PATH: '/nonexistent/browser' },
  });
  await other.close();
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `PORT ${port} is in use on ${host}: stop what listens there or set PORT\n`,
  });
});
