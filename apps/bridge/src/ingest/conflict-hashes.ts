import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import type { Logger } from '@cer/http-service/process';
import { answerText, type NodeConnection } from '../attestation-node/connection.js';
import type { Caller } from '../control-plane/gate.js';

/** The certified content of an executionId, and the content sent under it now; null where it is not available. */
export interface ConflictHashes {
  readonly existing: string | null;
  readonly submitted: string | null;
}

const TIMES = ['createdAt', 'timestamp'] as const;

/**
 * Asks the node for both sides of a conflict, under the caller's own key: it looks the execution up, and has what was
 * sent sealed without storing it, with the stored times where the request gives none, as the node compared it.
 * Never throws: a conflict stays one without its hashes.
 * @param line the certify request
 * @see docs/spec.md, "Idempotency"
 */
export async function conflictHashes(
  node: NodeConnection,
  logger: Logger,
  caller: Caller,
  executionId: string,
  line: Uint8Array,
): Promise<ConflictHashes> {
  const key = caller.key.reveal();
  const ask = async (request: Parameters<NodeConnection['send']>[0]): Promise<JsonObject> => {
    const answer = await node.send({ ...request, key });
    const value = JSON.parse(await answerText(answer)) as JsonValue;
    return answer.status === 200 && isJsonObject(value) ? value : {};
  };
  try {
    const found = await ask({ path: `/v1/cer/public?execution_id=${encodeURIComponent(executionId)}` });
    const existing = hashOf(found);
    if (existing === null) return { existing, submitted: null };
    const request = withTimes(JSON.parse(Buffer.from(line).toString('utf8')) as JsonObject, found);
    const body = Buffer.from(JSON.stringify(request));
    return {
      existing,
      submitted: hashOf(await ask({ path: '/v1/cer/ai/create', mediaType: 'application/json', body })),
    };
  } catch (error) {
    logger.warn({ err: error }, 'the hashes of a conflict cannot be had');
    return { existing: null, submitted: null };
  }
}

function hashOf(answer: JsonObject): string | null {
  const hash = member(answer, 'certificateHash');
  return isSha256Hash(hash) ? hash : null;
}

function withTimes(request: JsonObject, found: JsonObject): JsonObject {
  const cer = member(found, 'cer');
  const snapshot = isJsonObject(cer) ? member(cer, 'snapshot') : undefined;
  const stored = {
    createdAt: member(found, 'createdAt') ?? null,
    timestamp: (isJsonObject(snapshot) ? member(snapshot, 'timestamp') : undefined) ?? null,
  };
  return { ...request, ...Object.fromEntries(TIMES.map((name) => [name, member(request, name) ?? stored[name]])) };
}
