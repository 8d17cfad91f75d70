import { expectLinearGrowth, list, namedBy, type Case } from './cases.js';
import { expect } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { sha256, type Sha256Hash } from '@cer/cer-core';
import {
  AuditChainCheck,
  auditEntryHash,
  AUDIT_PACKAGE_TYPE,
  readManifest,
  verifyKeyHistory,
} from '@cer/cer-core/logs';
import { buildProject } from '@cer/cer-core/seal';
import {
  certified,
  historyKeyOf,
  sealed,
  TestKeyHistory,
  testKeys,
  TEST_NODE_ID,
  TEST_SIGNER,
  TEST_TIME,
} from '@cer/cer-core/testing';
import { evaluateCer, evaluateProject } from '@cer/cer-core/verify';
import { parseKeySet } from '@cer/keys';
import { testKeySet, testSigner } from '@cer/keys/testing';

const OPTIONS = { keySet: testKeys(), verifiedAt: TEST_TIME };
const MANIFEST = {
  type: AUDIT_PACKAGE_TYPE,
  nodeId: TEST_NODE_ID,
  kid: TEST_SIGNER.kid,
  tenantId: 't',
  query: { attestedFrom: null, attestedTo: null, appId: null, bundleType: null, status: null },
  asOf: TEST_TIME,
  signedAt: TEST_TIME,
  count: 0,
  firstCursor: null,
  lastCursor: null,
};

function toolCalls(size: number): JsonObject {
  const calls = list(size, (at) => ({ toolId: `t${at}`, at: TEST_TIME, input: 'x', output: 'y' }));
  const v2 = { bundleType: 'cer.ai.execution.v2', protocolVersion: '1.3.0', executionRole: 'operative' };
  return sealed({ ...v2, toolCalls: calls }).bundle;
}

function objectOf(bundle: JsonObject, name: string): JsonObject {
  const value = bundle[name];
  if (!isJsonObject(value)) throw new Error(`${name}: must be an object`);
  return value;
}

/** A certificate with further members of its snapshot, as one that was sealed elsewhere may have. */
function sealedWith(members: JsonObject): JsonObject {
  const { bundle } = sealed();
  return { ...bundle, snapshot: { ...objectOf(bundle, 'snapshot'), ...members } };
}

const verifying: readonly Case[] = [
  ...(
    [
      ['metadata', (size) => sealedWith({ metadata: namedBy(size, (at) => `v${at}`) })],
      ['parameters', (size) => sealed({ parameters: namedBy(size, (at) => at) }).bundle],
      ['members that are not known', (size) => ({ ...sealed().bundle, ...namedBy(size, (at) => at) })],
      ['tool calls', toolCalls],
      ['a long input', (size) => sealedWith({ input: list(size * 5, () => 'é"') })],
    ] satisfies readonly (readonly [string, (size: number) => JsonObject])[]
  ).map(([name, make]): Case => [
    `a certificate with ${name}`,
    200,
    (size) => {
      const bundle = make(size);
      return () => evaluateCer(bundle, OPTIONS);
    },
  ]),
  [
    'a project of steps, each the child of the one before',
    25,
    (size) => {
      const steps = list(size, (at) => ({
        stepId: `s${at}`,
        bundle: sealed({ executionId: `e${at}` }).bundle,
        registryMembers: { parentStepIds: list(Math.min(at, 1), () => `s${at - 1}`) },
      }));
      const project = buildProject({ projectTitle: 'Many' }, steps);
      return () => evaluateProject(project, OPTIONS);
    },
  ],
  [
    'a project whose entries all name one bundle as large as all of them',
    50,
    (size) => {
      const { bundle } = sealed({ parameters: namedBy(size * 5, (at) => at) });
      const project = buildProject({ projectTitle: 'Many' }, [{ stepId: 's', bundle }]);
      const entries = list(size, () => ({ stepId: 's', certificateHash: sha256('another') }));
      return () => evaluateProject({ ...project, stepRegistry: entries }, OPTIONS);
    },
  ],
  [
    'a project whose entries all name one identity as large as all of them',
    50,
    (size) => {
      const { bundle } = sealed();
      const snapshot = { ...objectOf(bundle, 'snapshot'), modelIdentity: namedBy(size * 5, (at) => at) };
      const project = buildProject({ projectTitle: 'Many' }, [{ stepId: 's', bundle: { ...bundle, snapshot } }]);
      const entries = list(size, () => ({ stepId: 's', certificateHash: sha256('another'), modelIdentity: {} }));
      return () => evaluateProject({ ...project, stepRegistry: entries }, OPTIONS);
    },
  ],
  [
    'a certificate with log proofs',
    200,
    async (size) => {
      const bundle = await certified();
      const logProofs = list(size, (at) => ({ proof: `${at}` }));
      const transparency = (): never => {
        throw new Error('is not a proof');
      };
      const logged = { ...bundle, meta: { ...objectOf(bundle, 'meta'), logProofs } };
      return () => evaluateCer(logged, { ...OPTIONS, transparency });
    },
  ],
  [
    'a key set',
    10,
    (size) => {
      const document = testKeySet({ nodeId: 'n', signers: list(size, (at) => ({ signer: testSigner(at) })) });
      return () => parseKeySet(document);
    },
  ],
  [
    'a key history',
    25,
    async (size) => {
      const history = new TestKeyHistory();
      for (let at = 0; at < size; at += 1) {
        history.add({ type: 'key-added', key: historyKeyOf(testSigner(`added ${at}`)) });
      }
      const document = await history.signed();
      const { rootFingerprint } = history;
      const pin = { nodeId: 'test-node', rootFingerprint, highestSeen: null, at: null };
      return () => verifyKeyHistory(document, pin);
    },
  ],
  [
    'an audit log',
    50,
    (size) => {
      const entries: JsonObject[] = [];
      let prevHash: Sha256Hash | null = null;
      for (let seq = 1; seq <= size; seq += 1) {
        const entry = {
          seq,
          prevHash,
          at: TEST_TIME,
          act: 'a',
          target: null,
          actor: 'a',
          requestId: null,
          details: {},
        };
        prevHash = auditEntryHash(entry);
        entries.push({ entry, hash: prevHash, kid: TEST_SIGNER.kid, signature: 'AAAA' });
      }
      return async () => {
        const check = new AuditChainCheck({ keySet: testKeys(), seen: null });
        for (const entry of entries) await check.add(entry);
      };
    },
  ],
  [
    'the manifest of an audit package',
    200,
    (size) => {
      const entries = list(size, (at) => ({ name: `n${at}`, size: at, sha256: sha256(`${at}`) }));
      return () => {
        expect(readManifest({ ...MANIFEST, entries })).toMatchObject({ fault: null });
      };
    },
  ],
];

expectLinearGrowth(verifying);
