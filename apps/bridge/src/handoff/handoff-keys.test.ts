import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newHandoffKey, startStubControlPlane, type StubControlPlane } from '../../test/stub-control-plane.js';
import { publishedHandoffKeys } from './handoff-keys.js';

let controlPlane: StubControlPlane;
let nowMs: number;

beforeEach(async () => {
  controlPlane = await startStubControlPlane();
  nowMs = 0;
});
afterEach(async () => {
  await controlPlane.close();
});

const kidOf = (at: number): string => controlPlane.handoffKeys[at]?.kid ?? '';
const timesAsked = (): number => controlPlane.asked.get('/.well-known/jwks.json') ?? 0;
const keysOf = () => publishedHandoffKeys(controlPlane.url, () => nowMs);

describe('the keys of handoff tokens', () => {
  it('are found after a flood of made-up kids', async () => {
    const keys = keysOf();
    const answers = await Promise.all(Array.from({ length: 500 }, (_, at) => keys(`made-up-${at}`)));
    expect(answers.every((key) => key === null)).toBe(true);
    for (let at = 0; at < 50; at += 1) expect(await keys(`another-${at}`)).toBeNull();
    expect(await keys(kidOf(0))).not.toBeNull();
    expect(timesAsked()).toBe(6);
  });

  it('refetches for unknown keys at a limited rate', async () => {
    const keys = keysOf();
    await keys(kidOf(0));
    controlPlane.handoffKeys = [...controlPlane.handoffKeys, newHandoffKey()];
    expect(await keys(kidOf(1))).not.toBeNull();
    expect(timesAsked()).toBe(2);
    for (let at = 0; at < 4; at += 1) await keys(`made-up-${at}`);
    controlPlane.handoffKeys = [...controlPlane.handoffKeys, newHandoffKey()];
    nowMs = 2_999;
    expect(await keys(kidOf(2))).toBeNull();
    nowMs = 3_000;
    expect(await keys(kidOf(2))).not.toBeNull();
  });

  it('are refetched after five minutes', async () => {
    const keys = keysOf();
    const withdrawn = kidOf(0);
    await keys(withdrawn);
    controlPlane.handoffKeys = [newHandoffKey()];
    nowMs = 5 * 60_000 - 1;
    expect(await keys(withdrawn)).not.toBeNull();
    nowMs = 5 * 60_000;
    expect(await keys(withdrawn)).toBeNull();
  });

  it('are unavailable, not unknown, without the control plane', async () => {
    const keys = keysOf();
    controlPlane.isDown = true;
    await expect(keys(kidOf(0))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    controlPlane.isDown = false;
    expect(await keys(kidOf(0))).not.toBeNull();
  });
});
