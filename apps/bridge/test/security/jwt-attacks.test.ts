import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JWT_ATTACKS, JWT_SPELLINGS, encoded, signedToken, type AttackedToken } from '@cer/http-service/testing';
import { handoffToken, startStubControlPlane, type StubControlPlane, type StubTenant } from '../stub-control-plane.js';
import { sendHandoff, startTestBridge, type TestBridge } from '../test-bridge.js';

// The list of attacks on tokens against the handoff to the bridge.

let controlPlane: StubControlPlane;
let bridge: TestBridge;
let lure: Server;
let lured = 0;
let tenant: StubTenant;
let userId: string;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  bridge = await startTestBridge({ nodeUrl: 'http://127.0.0.1:9', controlPlaneUrl: controlPlane.url });
  tenant = controlPlane.newTenant();
  userId = controlPlane.newUser(tenant).id;
  lure = createServer((_request, response) => {
    lured += 1;
    response.end();
  });
  await new Promise<void>((resolve) => lure.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await bridge.close();
  await controlPlane.close();
  lure.close();
});

/** A token that the bridge accepts, in parts. */
function attacked(): AttackedToken {
  const [key] = controlPlane.handoffKeys;
  if (key === undefined) throw new Error('the control plane has no key');
  const iat = Math.floor(Date.now() / 1000);
  return {
    header: { alg: 'ES256', typ: 'handoff+jwt', kid: key.kid },
    claims: {
      ...{ iss: controlPlane.url, aud: new URL(bridge.url).host, sub: userId, tenant_id: tenant.tenantId },
      ...{ jti: randomUUID(), iat, exp: iat + 90 },
    },
    key: key.privateKey,
    publicKey: key.publicKey,
    lure: `http://127.0.0.1:${(lure.address() as AddressInfo).port}`,
  };
}

async function handoff(token: string): Promise<{ readonly status: number; readonly cookie: string | null }> {
  const answer = await sendHandoff(bridge.url, token);
  await answer.arrayBuffer();
  return { status: answer.status, cookie: answer.headers.get('set-cookie') };
}

describe('the handoff', () => {
  it('accepts the token that is attacked', async () => {
    const audience = new URL(bridge.url).host;
    expect((await handoff(handoffToken(controlPlane, { tenantId: tenant.tenantId, userId, audience }))).status).toBe(
      200,
    );
    const { header, claims, key } = attacked();
    expect((await handoff(signedToken(encoded(header), encoded(claims), key))).status).toBe(200);
  });

  it.each([...JWT_ATTACKS, ...JWT_SPELLINGS])('refuses a token with %s', async (_name, attack) => {
    const { status, cookie } = await handoff(attack(attacked()));
    // 413: too long to be read.
    expect([401, 413]).toContain(status);
    expect(cookie).toBeNull();
  });

  it('asked no address of a token', () => {
    expect(lured).toBe(0);
    expect(JWT_ATTACKS.length).toBeGreaterThanOrEqual(100);
  });
});
