import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { buildProject } from '../../src/seal.js';
import { evaluateCer, evaluateProject, toNodeVerifyResponse, toReport, toStructuredResult } from '../../src/verify.js';
import { certified, CONFIDENTIAL_MEMBERS, testKeys, TEST_TIME } from '../../src/testing/index.js';

const options = { keySet: testKeys(), verifiedAt: TEST_TIME };

/** Every place in a value, by its steps from the top. */
function placesIn(value: JsonValue, steps: readonly string[] = []): (readonly string[])[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [steps, ...inner.flatMap(([name, member]) => placesIn(member ?? null, [...steps, name]))];
}

function replaced(value: JsonValue, [first, ...rest]: readonly string[], by: unknown): unknown {
  if (first === undefined) return by;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) =>
      String(index) === first ? replaced(item, rest, by) : item,
    );
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === first ? replaced(member ?? null, rest, by) : member]),
  );
}

const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    null,
    '',
    '[REDACTED]',
    '\ud800',
    '__proto__',
    -0,
    1e21,
    NaN,
    undefined,
    10n,
    new Date(0),
    [],
  ),
  fc.object({ maxDepth: 2 }),
);

const SIGNED = /^meta\.attestation\.(receipt|signature)/;

describe('hostile values in every member', () => {
  it.each<[string, JsonObject]>([
    ['1.2.0', { context: { signals: [] } }],
    ['1.3.1', CONFIDENTIAL_MEMBERS],
  ])('never throw or pass an unsigned receipt: %s', async (_, members) => {
    const bundle = await certified(members);
    const places = placesIn(bundle);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), anything, async (place, value) => {
        const evaluation = await evaluateCer(replaced(bundle, place, value), options);
        expect(toReport(evaluation, 'test/1').status).toBe(evaluation.status);
        expect(toNodeVerifyResponse(evaluation).status).toBe(evaluation.status === 'FAILED' ? 'failed' : 'verified');
        expect(toStructuredResult(evaluation).ok).toBe(evaluation.status !== 'FAILED');
        if (evaluation.status === 'FAILED') expect(evaluation.code).not.toBe('OK');
        const isSigned = place.length === 0 || place[0] === 'certificateHash' || SIGNED.test(place.join('.'));
        if (isSigned && !Object.is(value, undefined)) expect(evaluation.receipt.status).not.toBe('PASS');
      }),
      { numRuns: 1500 },
    );
  });

  it('never throw in a project', async () => {
    const project = buildProject({ projectTitle: 'p' }, [
      { stepId: 'a', bundle: await certified() },
      { stepId: 'b', bundle: await certified({ executionId: 'exec-2' }), registryMembers: { parentStepIds: ['a'] } },
    ]);
    const places = placesIn(project).filter(([first, second]) => first !== 'embeddedBundles' || second !== 'a');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), anything, async (place, value) => {
        const { status, code } = await evaluateProject(replaced(project, place, value), options);
        expect(status === 'VERIFIED').toBe(code === 'OK');
      }),
      { numRuns: 500 },
    );
  });

  it('never pass when generated at random', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything({ withNullPrototype: true }), fc.jsonValue()), async (value) => {
        await expect(evaluateCer(value, options)).resolves.toMatchObject({ status: 'FAILED' });
        await expect(evaluateProject(value, options)).resolves.toMatchObject({ status: 'FAILED' });
      }),
      { numRuns: 500 },
    );
  });
});

describe('values that are not data', () => {
  const cyclic: Record<string, unknown> = { bundleType: 'cer.ai.execution.v1', snapshot: {} };
  cyclic['context'] = cyclic;
  const throwing = {
    bundleType: 'cer.ai.execution.v1',
    get snapshot(): never {
      throw new Error('secret');
    },
  };
  const proxied = new Proxy(
    {},
    {
      getPrototypeOf: () => {
        throw new Error('secret');
      },
    },
  );
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = { snapshot: deep };

  it.each<[string, unknown, string]>([
    ['a cycle', cyclic, 'SCHEMA_ERROR'],
    ['a hundred thousand levels', deep, 'SCHEMA_ERROR'],
    ['a getter that throws', throwing, 'UNKNOWN_ERROR'],
    ['a proxy that throws', proxied, 'UNKNOWN_ERROR'],
  ])('fail without throwing or quoting them: %s', async (_, value, code) => {
    const evaluation = await evaluateCer(value, options);
    expect(evaluation).toMatchObject({ status: 'FAILED', code, receipt: { status: 'SKIPPED' } });
    expect(JSON.stringify(evaluation.findings)).not.toContain('secret');
    await expect(evaluateProject(value, options)).resolves.toMatchObject({ status: 'FAILED', code });
  });

  it('fail when the verifier itself throws', async () => {
    const verifySignature = (): Promise<boolean> => Promise.reject(new Error('secret'));
    const evaluation = await evaluateCer(await certified(), { ...options, verifySignature });
    expect(evaluation).toMatchObject({ status: 'FAILED', code: 'UNKNOWN_ERROR' });
    expect(JSON.stringify(evaluation.findings)).not.toContain('secret');
  });
});
