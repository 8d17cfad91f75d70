import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { attestProject, canonicalReceipt } from '@cer/cer-core/attest';
import { buildProject } from '@cer/cer-core/seal';
import { certified, CONFIDENTIAL_MEMBERS, sealed, TEST_ATTESTOR, TEST_TIME } from '@cer/cer-core/testing';

/** The lookup answer of a node for a bundle, as far as a verifier reads it. */
export function lookupAnswer(cer: JsonObject): JsonObject {
  const attestation = object(object(cer, 'meta'), 'attestation');
  const receipt = object(attestation, 'receipt');
  const { signature = null, kid = null } = attestation;
  return {
    ok: true,
    certificateHash: cer['certificateHash'] ?? null,
    bundleType: cer['bundleType'] ?? null,
    status: 'ATTESTED',
    receipt,
    signature,
    kid,
    cer,
    canonical: { certificate: null, receipt: { canonicalPayload: canonicalReceipt(receipt), signature, kid } },
  };
}

export function object(holder: JsonObject, name: string): JsonObject {
  const value = member(holder, name);
  if (!isJsonObject(value)) throw new Error(`${name}: is not an object`);
  return value;
}

export function hashOf(bundle: JsonObject): string {
  const hash = member(bundle, 'certificateHash');
  if (typeof hash !== 'string') throw new Error('the bundle has no hash');
  return hash;
}

/** A deep copy with one value replaced; the path names existing members. */
export function changed(value: JsonObject, path: readonly string[], to: JsonValue): JsonObject {
  const [name = '', ...rest] = path;
  return { ...value, [name]: rest.length === 0 ? to : changed(object(value, name), rest, to) };
}

export async function plain(): Promise<JsonObject> {
  return certified({
    executionId: 'exec-plain',
    context: undefined,
    signals: [{ type: 'review', source: 'editor', payload: { decision: 'approved', by: 'desk 4' } }],
    metadata: { team: 'research' },
    parameters: { temperature: 0.2, maxTokens: 400 },
  });
}

export async function confidential(): Promise<JsonObject> {
  return certified({ ...CONFIDENTIAL_MEMBERS, executionId: 'exec-confidential' });
}

export function sealedOnly(): JsonObject {
  return sealed({ executionId: 'exec-sealed' }).bundle;
}

/** A project of so many certified steps, with the node's receipt. */
export async function project(count: number, title = 'Quarterly report'): Promise<JsonObject> {
  const steps = await Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      stepId: `step-${index + 1}`,
      bundle: await certified({ executionId: `exec-step-${index + 1}`, input: `question ${index}` }),
    })),
  );
  const bundle = buildProject({ projectTitle: title }, steps);
  return registered(bundle);
}

export async function registered(bundle: JsonObject): Promise<JsonObject> {
  const hash = projectHashOf(bundle);
  const { receipt, signature, kid } = await attestProject(hash, TEST_TIME, TEST_ATTESTOR);
  return { ...bundle, meta: { attestation: { receipt, signature, kid } } };
}

export function projectHashOf(bundle: JsonObject): `sha256:${string}` {
  const hash = member(object(bundle, 'integrity'), 'projectHash');
  if (typeof hash !== 'string' || !hash.startsWith('sha256:')) throw new Error('the project has no hash');
  return `sha256:${hash.slice('sha256:'.length)}`;
}
