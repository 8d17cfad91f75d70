import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseJson } from '@cer/canonical-json';
import { verifyKeyHistory } from '../src/logs.js';
import { keyHistoryFamily, type KeyHistoryVector } from './vectors/cases/key-histories.js';

const text = readFileSync(join(__dirname, '../vectors/key-histories/key-histories.json'), 'utf8');
const { tests } = JSON.parse(text) as { readonly tests: readonly KeyHistoryVector[] };

describe('the vectors of key histories', () => {
  it.each(tests)('$id', async ({ document, nodeId, root, seen = null, clock = null, expected, notices }) => {
    const pin = { nodeId, rootFingerprint: root, highestSeen: seen, at: clock };
    const result = await verifyKeyHistory(parseJson(document), pin);
    expect(result.accepted ? null : result.findings[0].code).toBe(expected);
    if (notices !== undefined) expect(result.findings.map(({ code }) => code)).toEqual(notices);
  });

  it('are those that their definitions make', async () => {
    expect(text).toBe(`${JSON.stringify(await keyHistoryFamily(), null, 2)}\n`);
  });
});
