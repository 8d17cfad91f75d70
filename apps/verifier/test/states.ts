import { svcV1, type JsonObject } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { buildProject } from '@cer/cer-core/seal';
import { certified, sealed } from '@cer/cer-core/testing';
import { publishLogProof } from './logged.js';
import {
  changed,
  confidential,
  hashOf,
  lookupAnswer,
  object,
  plain,
  project,
  projectHashOf,
  registered,
  sealedOnly,
} from './records.js';
import { certificatePath, projectPath, type StubNode } from './stub-node.js';

/** A possible state of a page, and the text it must show. */
export interface PageState {
  readonly name: string;
  readonly path: string;
  readonly verdict: string | null;
  readonly tone: string | null;
}

export const ABSENT = `sha256:${'1'.repeat(64)}`;
export const UNREACHABLE = `sha256:${'2'.repeat(64)}`;

/** Gives a stub node one record for every state of a page. */
export async function publishEveryState(node: StubNode): Promise<PageState[]> {
  const publish = (
    name: string,
    cer: JsonObject,
    verdict: string,
    tone: string,
    as: JsonObject = lookupAnswer(cer),
  ): PageState => {
    const hash = hashOf(cer);
    node.answers.set(certificatePath(hash), { status: 200, body: as });
    return { name, path: `/c/${encodeURIComponent(hash)}`, verdict, tone };
  };
  const publishProject = (name: string, bundle: JsonObject, verdict: string, tone: string): PageState => {
    const hash = projectHashOf(bundle);
    node.answers.set(projectPath(hash), { status: 200, body: { ok: true, ...bundle } });
    return { name, path: `/p/${encodeURIComponent(hash)}`, verdict, tone };
  };
  const unsigned = sealedOnly();
  const contentChanged = await certified({ executionId: 'state-content' });
  const signatureBroken = await certified({ executionId: 'state-signature' });
  const envelopeBroken = await certified({ executionId: 'state-envelope' });
  const unknownProtocol = await certified({ executionId: 'state-protocol' });
  const foreignKey = await certified({ executionId: 'state-key' });
  const attestation = object(object(signatureBroken, 'meta'), 'attestation');
  const otherSignature = object(object(contentChanged, 'meta'), 'attestation')['signature'] ?? null;
  const receipt = object(attestation, 'receipt');
  const foreign = changed(foreignKey, ['meta', 'attestation'], {
    ...attestation,
    receipt: { ...receipt, kid: 'nobody' },
    kid: 'nobody',
  });
  node.answers.set(certificatePath(UNREACHABLE), 'hang-up');
  node.answers.set('/v1/cer/public?execution_id=exec-plain', {
    status: 200,
    body: { ...lookupAnswer(await plain()), otherMatches: [ABSENT] },
  });
  return [
    publish('verified', await plain(), 'VERIFIED', 'good'),
    publish('confidential', await confidential(), 'VERIFIED_CONFIDENTIAL', 'good'),
    publish('integrity-only', unsigned, 'VERIFIED', 'neutral', unsigned),
    publish('content-changed', changed(contentChanged, ['snapshot', 'model'], 'another'), 'FAILED', 'bad'),
    publish(
      'signature-broken',
      changed(signatureBroken, ['meta', 'attestation', 'signature'], otherSignature),
      'FAILED',
      'bad',
    ),
    publish(
      'envelope-broken',
      changed(
        envelopeBroken,
        ['meta', 'verificationEnvelope', 'attestation', 'attestedAt'],
        '2026-01-01T00:00:00.000Z',
      ),
      'FAILED',
      'bad',
    ),
    publish('unknown-protocol', changed(unknownProtocol, ['snapshot', 'protocolVersion'], '9.9.9'), 'FAILED', 'bad'),
    publish('unknown-key', foreign, 'FAILED', 'bad'),
    publishProject('project', await project(5), 'VERIFIED', 'good'),
    publishProject('project-broken', await brokenChain(), 'FAILED', 'bad'),
    { name: 'not-found', path: `/c/${encodeURIComponent(ABSENT)}`, verdict: 'NOT_FOUND', tone: 'unknown' },
    { name: 'unreachable', path: `/c/${encodeURIComponent(UNREACHABLE)}`, verdict: 'UNAVAILABLE', tone: 'unknown' },
    { name: 'home', path: '/', verdict: null, tone: null },
    { name: 'how-it-works', path: '/how-it-works', verdict: null, tone: null },
    { name: 'keys', path: '/keys', verdict: null, tone: null },
    { name: 'log', path: '/log', verdict: null, tone: null },
    { name: 'log-proof', path: await publishLogProof(node), verdict: null, tone: null },
    { name: 'execution', path: '/e/exec-plain', verdict: null, tone: null },
    { name: 'no-such-page', path: '/nothing', verdict: null, tone: null },
  ];
}

/** Eight chained steps; the fifth names another predecessor. */
export async function brokenChain(): Promise<JsonObject> {
  let previous: string | null = null;
  const steps = [];
  for (let index = 0; index < 8; index += 1) {
    const { snapshot, ...rest } = sealed({ executionId: `exec-chain-${index}` }).bundle as {
      snapshot: JsonObject;
    } & JsonObject;
    const named: string | null = index === 4 ? ABSENT : previous;
    const bundle: JsonObject = { ...rest, snapshot: { ...snapshot, ...(named !== null && { prevStepHash: named }) } };
    const whole = { ...bundle, certificateHash: recomputed(bundle) };
    previous = whole.certificateHash;
    steps.push({ stepId: `step-${index + 1}`, bundle: whole, registryMembers: { stepLabel: LABELS[index] ?? '' } });
  }
  return registered(
    buildProject({ projectTitle: 'Contract review', projectGoal: 'Find clauses that need a lawyer' }, steps),
  );
}

const LABELS = ['Collect', 'Split', 'Extract clauses', 'Classify', 'Rank', 'Summarise', 'Review', 'Publish'];

/** The hash of a bundle without context, under the default protocol. */
function recomputed({ bundleType = null, version = null, createdAt = null, snapshot = null }: JsonObject): string {
  return sha256(svcV1.canonicalize({ bundleType, version, createdAt, snapshot }));
}
