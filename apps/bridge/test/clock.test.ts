import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startStubControlPlane, type StubControlPlane } from './stub-control-plane.js';
import { startTestBridge, type TestBridge } from './test-bridge.js';

const HOUR_MS = 3_600_000;

let controlPlane: StubControlPlane;
let bridge: TestBridge;
let clockIsAheadMs = 0;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  bridge = await startTestBridge({
    nodeUrl: 'http://127.0.0.1:9',
    controlPlaneUrl: controlPlane.url,
    now: () => new Date(Date.now() + clockIsAheadMs),
  });
});
afterAll(async () => {
  await bridge.close();
  await controlPlane.close();
});

it('refuses a revoked key soon after its clock was set back', async () => {
  const key = controlPlane.newKey(controlPlane.newTenant());
  const status = async (): Promise<number> => {
    const init = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } };
    return (await fetch(`${bridge.url}/api/v1/ingest/executions`, { ...init, body: '[]' })).status;
  };
  clockIsAheadMs = HOUR_MS;
  expect(await status()).not.toBe(401);
  clockIsAheadMs = 0;
  controlPlane.revoke(key);
  // It may be remembered for another 1.5 s.
  while ((await status()) !== 401) await new Promise((resolve) => setTimeout(resolve, 50));
});
