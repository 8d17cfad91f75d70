import { smallDisk } from '@cer/sql-store/testing';
import { expect, it } from '@jest/globals';
import { handoffToken, startStubControlPlane } from './stub-control-plane.js';
import { sendHandoff, startTestBridge } from './test-bridge.js';

it('is not ready on a full disk until a write succeeds', async () => {
  const disk = smallDisk(4);
  if (disk === null) {
    process.stderr.write('A full disk is not tested here: mounting needs root.\n');
    return;
  }
  const controlPlane = await startStubControlPlane();
  const { tenantId } = controlPlane.newTenant();
  const user = controlPlane.newUser({ tenantId });
  const databaseUrl = `sqlite:${disk.folder}/bridge.sqlite`;
  const bridge = await startTestBridge({
    nodeUrl: 'http://127.0.0.1:9',
    controlPlaneUrl: controlPlane.url,
    databaseUrl,
  });
  /** A session is one write. */
  const signIn = async (): Promise<number> => {
    const token = handoffToken(controlPlane, { tenantId, userId: user.id, audience: new URL(bridge.url).host });
    const response = await sendHandoff(bridge.url, token);
    await response.text();
    return response.status;
  };
  const ready = async (): Promise<readonly unknown[]> => {
    const response = await fetch(`${bridge.url}/ready`);
    const body: unknown = await response.json();
    return [response.status, body];
  };
  const noNode = 'the attestation node does not answer';
  const fullDisk = 'the database cannot be written: its disk may be full or read-only';
  try {
    expect(await signIn()).toBe(200);
    disk.fill();
    let status = 200;
    for (let at = 0; at < 500 && status === 200; at += 1) status = await signIn();
    expect(status).toBe(503);
    for (let at = 0; at < 3; at += 1) {
      expect(await ready()).toEqual([503, { status: 'not ready', reasons: [fullDisk, noNode] }]);
    }
    disk.empty();
    expect(await ready()).toEqual([503, { status: 'not ready', reasons: [noNode] }]);
    expect(await signIn()).toBe(200);
  } finally {
    await bridge.close();
    await controlPlane.close();
    disk.remove();
  }
});
