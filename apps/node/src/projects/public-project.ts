import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { publicCer } from '../records/read/public-record.js';
import { parseStored } from '../records/stored-cer.js';
import type { ProjectRegistration, RecordStore, TimestampStore } from '../store/index.js';
import { projectUrl } from './register.js';

/** Steps per lookup. */
const STEPS_AT_ONCE = 64;

/**
 * The public form of a registered project: its hashed members, the public form of every visible step, and the node's
 * receipt. @see docs/spec.md, "GET /v1/project-bundle/public"
 */
export async function publicProject(
  { records, timestamps }: { readonly records: RecordStore; readonly timestamps: TimestampStore },
  registration: ProjectRegistration,
  verifyUrl: string,
): Promise<JsonObject> {
  const { tenantId, projectHash, registeredAt, projectJson, stepHashes, receiptJson, signature, kid } = registration;
  const embedded = new Map<string, JsonObject>();
  const withdrawn: string[] = [];
  for (let start = 0; start < stepHashes.length; start += STEPS_AT_ONCE) {
    const steps = stepHashes.slice(start, start + STEPS_AT_ONCE);
    const found = await Promise.all(
      steps.map(({ certificateHash }) => records.findOwnByHash(tenantId, certificateHash, 'full')),
    );
    steps.forEach(({ stepId }, index) => {
      const record = found[index];
      if (record?.visibility === 'visible') embedded.set(stepId, publicCer(record));
      else withdrawn.push(stepId);
    });
  }
  const receipt = parseStored(receiptJson);
  return {
    ok: true,
    ...parseStored(projectJson),
    integrity: { algorithm: 'sha256-canonical-json', projectHash },
    embeddedBundles: Object.fromEntries(embedded),
    ...(withdrawn.length > 0 && { withdrawn }),
    meta: { attestation: { receipt, signature, kid }, ...(await timestampsOf(timestamps, registration)) },
    projectHash,
    registeredAt,
    receipt,
    signature,
    kid,
    verificationUrl: projectUrl(verifyUrl, projectHash),
  };
}

async function timestampsOf(store: TimestampStore, registration: ProjectRegistration): Promise<JsonObject> {
  const json = await store.ofProject(registration.tenantId, registration.projectHash);
  if (json === null) return {};
  const timestamps: unknown = JSON.parse(json);
  return Array.isArray(timestamps) ? { timestamps: timestamps.filter(isJsonObject) } : {};
}
