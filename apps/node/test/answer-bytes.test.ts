import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { CONFIDENTIAL_MEMBERS, executionRequest } from '@cer/cer-core/testing';

import { ask, type Answer } from './ask.js';
import { sealedElsewhere } from './sealed-elsewhere.js';
import { startTestNode, type TestNode } from './test-node.js';

let node: TestNode;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
});
afterAll(() => node.close());

const text = fc.string({ unit: 'binary', maxLength: 12 });
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, -0, 1e21),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'toJSON', '10', '9', 'meta')), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value;
const object: fc.Arbitrary<JsonObject> = fc.dictionary(text, value, { maxKeys: 4 });

/** The first answer is joined from the texts of the record; a replay is serialized from parsed rows. */
async function expectSameBytes(path: string, body: JsonObject): Promise<void> {
  const post = (): Promise<Answer> => ask(node, 'post', path, { key, body });
  const first = await post();
  const replay = await post();
  expect([first.status, replay.status, replay.headers['x-idempotent-replay']]).toEqual([200, 200, 'true']);
  expect(replay.text).toBe(first.text);
  expect(JSON.stringify(JSON.parse(first.text))).toBe(first.text);
}

describe('the bytes of a first answer', () => {
  it('equal those of its replay for any execution', async () => {
    const kinds = fc.constantFrom<JsonObject>({}, CONFIDENTIAL_MEMBERS, {
      bundleType: 'cer.ai.execution.v2',
      protocolVersion: '1.3.0',
      executionRole: 'operative',
    });
    await fc.assert(
      fc.asyncProperty(kinds, object, object, object, async (kind, more, metadata, context) => {
        const members = { parameters: more, ...kind, metadata, context: { ...context, signals: [] } };
        await expectSameBytes('/v1/cer/ai/certify', executionRequest({ executionId: randomUUID(), ...members }));
      }),
      { numRuns: 60 },
    );
  });

  it("equal the replay's for any bundle sealed elsewhere", async () => {
    await fc.assert(
      fc.asyncProperty(object, object, async (parameters, unhashed) => {
        const bundle = sealedElsewhere({ snapshot: { parameters }, unhashed });
        await expectSameBytes('/api/attest', bundle);
      }),
      { numRuns: 30 },
    );
  });
});
