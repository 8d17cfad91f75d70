import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { ServiceError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { certifyLines, type LineAnswer } from '../attestation-node/certify-batch.js';
import { checkCertificate } from '../attestation-node/check-certificate.js';
import type { NodeConnection } from '../attestation-node/connection.js';
import type { NodeKeys } from '../attestation-node/node-keys.js';
import type { Caller } from '../control-plane/gate.js';
import { presentError, STATUS } from '../errors.js';
import { conflictHashes, type ConflictHashes } from './conflict-hashes.js';
import type { CertifyBatch } from './certify-items.js';
import type { Item, ItemLabel, ItemRefusal, Outcome } from './item.js';

export interface CertifyDeps {
  readonly node: NodeConnection;
  readonly nodeKeys: NodeKeys;
  /** Called with every batch's outcomes before they are answered. */
  readonly record: (caller: Caller, outcomes: readonly Outcome[]) => Promise<void>;
  /** Origin of the verifier, when it is not the one that the node states. */
  readonly verifyUrl: string | undefined;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Maximum conflicts of a batch that are explained with their hashes, which cost two requests to the node each. */
const CONFLICTS_EXPLAINED = 20;

type SentItem = ItemLabel & { readonly line: Uint8Array };

const NODE_GONE: ItemRefusal = { status: 503, error: 'The attestation node cannot be reached now: retry' };
const BAD_CERTIFICATE: ItemRefusal = {
  status: STATUS.BAD_CERTIFICATE,
  error: presentError({ code: 'BAD_CERTIFICATE' }).error,
};

/**
 * Makes what certifies the batches of one request: under the caller's own key, whose plan the node enforces, and with a
 * check of every certificate before it is reported.
 */
export function batchCertifier(deps: CertifyDeps, caller: Caller, signal: AbortSignal | undefined): CertifyBatch {
  return async (batch) => {
    const sent = batch.filter((item): item is SentItem => 'line' in item);
    const answered = await certifySent(deps, caller, sent, signal);
    const outcomes = batch.map((item): Outcome => {
      if ('refusal' in item) return { ...refused(item, item.refusal), isUnsent: true };
      return answered.get(item) ?? refused(item, NODE_GONE);
    });
    await deps.record(caller, outcomes);
    return outcomes;
  };
}

async function certifySent(
  deps: CertifyDeps,
  caller: Caller,
  sent: readonly SentItem[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<Item, Outcome>> {
  const checking: Promise<Outcome>[] = [];
  let conflicts = 0;
  const hashesOf = async ({ executionId, line }: SentItem): Promise<ConflictHashes> => {
    conflicts += 1;
    if (executionId === null || conflicts > CONFLICTS_EXPLAINED) return { existing: null, submitted: null };
    return conflictHashes(deps.node, deps.logger, caller, executionId, line);
  };
  try {
    if (sent.length > 0) {
      const lines = sent.map(({ line }) => line);
      for await (const answer of certifyLines(deps.node, caller.key, lines, signal)) {
        const item = sent[answer.index];
        if (item !== undefined) checking.push(outcomeOf(deps, item, answer, hashesOf));
      }
    }
  } catch (error) {
    deps.logger.warn({ err: error, answered: checking.length, sent: sent.length }, 'batch not answered');
  }
  const outcomes = await Promise.all(checking);
  // Unanswered items may have been certified; repeating them is safe.
  return new Map(sent.map((item, at) => [item, outcomes[at] ?? refused(item, NODE_GONE)]));
}

async function outcomeOf(
  deps: CertifyDeps,
  item: SentItem,
  { status, body, retryAfterS }: LineAnswer,
  hashesOf: (item: SentItem) => Promise<ConflictHashes>,
): Promise<Outcome> {
  if (status === 409) return { ...nodeRefusal(item, status, body, {}), conflict: await hashesOf(item) };
  if (status !== 200) return nodeRefusal(item, status, body, waitOf(body, retryAfterS, deps.now()));
  try {
    const checked = await checkCertificate(body, item, deps.nodeKeys, deps.now);
    if (!checked.ok) {
      deps.logger.error({ fault: checked.fault }, 'the node returned a certificate that does not verify');
      return refused(item, BAD_CERTIFICATE);
    }
    const { certificateHash, cer } = checked;
    const verificationUrl = verificationUrlOf(deps.verifyUrl, certificateHash, body);
    return {
      ...labelOf(item),
      executionId: item.executionId ?? statedId(cer),
      ok: true,
      certificateHash,
      verificationUrl,
      cer,
      answer: body,
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    deps.logger.warn({ err: error }, 'the keys of the node are not available');
    return refused(item, NODE_GONE);
  }
}

function verificationUrlOf(verifyUrl: string | undefined, certificateHash: string, body: JsonObject): string {
  if (verifyUrl !== undefined) return `${verifyUrl}/c/${encodeURIComponent(certificateHash)}`;
  const stated = member(body, 'verificationUrl');
  return typeof stated === 'string' ? stated : '';
}

function statedId(cer: JsonObject): string | null {
  const snapshot = member(cer, 'snapshot');
  const id = isJsonObject(snapshot) ? member(snapshot, 'executionId') : undefined;
  return typeof id === 'string' ? id : null;
}

/** A line has no headers, so a used-up monthly quota names the start of the next month. */
function waitOf(body: JsonObject, stated: number | undefined, now: Date): Pick<ItemRefusal, 'retryAfterS'> {
  if (stated !== undefined) return { retryAfterS: stated };
  if (member(body, 'error') !== 'QUOTA_EXCEEDED') return {};
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  return { retryAfterS: Math.max(1, Math.ceil((nextMonth - now.getTime()) / 1000)) };
}

function nodeRefusal(
  item: SentItem,
  status: number,
  body: JsonObject,
  wait: Pick<ItemRefusal, 'retryAfterS'>,
): Outcome & { readonly ok: false } {
  const code = textMember(body, 'error');
  const message = textMember(body, 'message');
  const error = [code, message].filter((text) => text !== undefined).join(': ');
  return {
    ...refused(item, { status, error: error === '' ? `The node refused it with status ${status}` : error, ...wait }),
    answer: body,
  };
}

function textMember(body: JsonObject, name: string): string | undefined {
  const value = member(body, name);
  return typeof value === 'string' ? value : undefined;
}

function refused(item: Item, refusal: ItemRefusal): Outcome & { readonly ok: false } {
  return { ...labelOf(item), ok: false, refusal };
}

function labelOf({ index, executionId, provider, model }: ItemLabel): ItemLabel {
  return { index, executionId, provider, model };
}
