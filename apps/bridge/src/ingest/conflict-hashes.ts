import { isJsonObject, member, parseJson, type JsonObject } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import type { NodeApi } from '@cer/client/node-client';
import type { Logger } from '@cer/http-service/process';
import { answered, type NodeConnection } from '../attestation-node/connection.js';
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
  const client = node.as(caller.key);
  const found = async (asked: Promise<JsonObject>): Promise<JsonObject> => {
    const { status, body } = await answered(asked);
    return status === 200 ? body : {};
  };
  try {
    const certified = await found(client.lookup({ executionId }, { mine: true }));
    const existing = hashOf(certified);
    if (existing === null) return { existing, submitted: null };
    const request = withTimes(objectIn(line), certified);
    return { existing, submitted: hashOf(await found(created(client, request))) };
  } catch (error) {
    logger.warn({ err: error }, 'the hashes of a conflict are not available');
    return { existing: null, submitted: null };
  }
}

async function created(client: NodeApi, request: JsonObject): Promise<JsonObject> {
  const body = { bytes: JSON.stringify(request), type: 'application/json' };
  return objectIn((await client.ask('create', { body })).bytes);
}

function objectIn(bytes: Uint8Array): JsonObject {
  const value = parseJson(bytes);
  return isJsonObject(value) ? value : {};
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
