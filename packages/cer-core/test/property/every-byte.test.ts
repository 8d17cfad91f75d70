import { describe, expect, it } from '@jest/globals';
import { isSameJson, JsonError, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { evaluateCer, type Evaluation } from '../../src/verify.js';
import { certified, CONFIDENTIAL_MEMBERS, testKeys, TEST_TIME } from '../../src/testing/index.js';
import { spell } from './spelled.js';

/**
 * Everything an attacker can change in a certified bundle undetected: nothing that is shown as evidence. A name in this
 * list is that of a copy; removing one does not change the signed text.
 */
const UNBOUND = [
  // Always recomputed, never trusted.
  /^(name|value):meta\.attestation\.timestamp(\.|$)/,
  // Copies may be absent; when present they are compared.
  /^name:meta\.attestation\.(kid|nodeId|attestedAt|bundleType|certificateHash)$/,
  // Labels of the envelope.
  /^(name|value):meta\.verificationEnvelope\.(specVersion|algorithm|canonicalization|scope|signedFields)(\.|$)/,
  /^name:meta\.verificationEnvelope\.kid$/,
];

const isUnbound = (what: string): boolean => UNBOUND.some((pattern) => pattern.test(what));

const options = { keySet: testKeys(), verifiedAt: TEST_TIME, requireAttestation: true };

/** The verdict over changed bytes, or null where parsing refuses them. */
async function verdict(bytes: Uint8Array): Promise<{ evaluation: Evaluation; value: JsonValue } | null> {
  let value: JsonValue;
  try {
    value = parseJson(bytes);
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
  return { evaluation: await evaluateCer(value, options), value };
}

/** A flipped bit, a changed case and a digit: bytes that may keep a text well-formed. */
const flipped = (byte: number): number[] => [byte ^ 1];
const severalOthers = (byte: number, at: number): number[] => [byte ^ 1, byte ^ 0x20, 0x30 + (at % 10)];

async function faultsOfEveryByte(
  bundle: JsonObject,
  others: (byte: number, at: number) => number[],
): Promise<{ faults: string[]; caught: number; unbound: number }> {
  const { bytes, spans } = spell(bundle);
  const faults: string[] = [];
  let [caught, unbound] = [0, 0];
  for (const { start, end, what } of spans) {
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      for (const other of others(byte, at)) {
        if (other === byte) continue;
        const changed = Uint8Array.from(bytes);
        changed[at] = other;
        const found = await verdict(changed);
        if (found === null || isSameJson(found.value, bundle)) continue;
        const { status, findings } = found.evaluation;
        if (isUnbound(what)) {
          unbound += 1;
          if (status === 'FAILED') faults.push(`${what} is unbound, but byte ${at} made it fail`);
        } else if (status !== 'FAILED') {
          faults.push(`${what}: byte ${at} went unnoticed`);
        } else {
          caught += 1;
          if (findings[0]?.member === '') faults.push(`${what}: the finding names no member`);
        }
      }
    }
  }
  return { faults: [...new Set(faults)], caught, unbound };
}

describe('one changed byte of a certified bundle', () => {
  it.each<[string, JsonObject, (byte: number, at: number) => number[]]>([
    [
      '1.2.0 with context',
      { model: 'modèle-1', context: { signals: [{ type: 'review', source: 'desk', payload: {} }] } },
      severalOthers,
    ],
    ['1.3.1', CONFIDENTIAL_MEMBERS, flipped],
    ['v2', { bundleType: 'cer.ai.execution.v2', protocolVersion: '1.3.0', executionRole: 'advisory' }, flipped],
  ])(
    'is refused, fails on a named member or binds nothing: %s',
    async (_, members, others) => {
      const { faults, caught, unbound } = await faultsOfEveryByte(await certified(members), others);
      expect(faults).toEqual([]);
      expect(caught).toBeGreaterThan(1000);
      expect(unbound).toBeGreaterThan(100);
    },
    300_000,
  );
});
