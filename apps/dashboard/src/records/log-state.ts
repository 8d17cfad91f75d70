import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { ServiceError } from '@cer/http-service';
import { html, type Html } from '@cer/pages';
import { parseTlogProof, TlogError } from '@cer/tlog';
import { leafHashOfOpening, parseOpening, receiptDigest } from '@cer/tlog/leaf';
import { verifyInclusion } from '@cer/tlog/merkle';
import { parseCheckpoint } from '@cer/tlog/note';
import { LOG_PENDING } from './ask-node.js';
import type { LogProof, NodeRecords } from './node-records.js';

/** The entry of a receipt in the node's transparency log. */
export type LogState =
  | {
      readonly status: 'included';
      readonly origin: string;
      readonly index: number;
      readonly size: number;
      /** Names under the checkpoint beside the log's own; nothing here checks them. */
      readonly witnesses: readonly string[];
      /** Entries of an earlier checkpoint, which ends before this one; null for none. */
      readonly notIn: number | null;
    }
  /** The proof does not lead from this receipt to the root that it names. */
  | { readonly status: 'broken' }
  | { readonly status: 'waiting' | 'none' }
  | { readonly status: 'unknown'; readonly reason: string };

/** Asks for the proof of a receipt, and follows it to the root. @param certificate with the receipt */
export async function logStateOf(
  nodeRecords: Pick<NodeRecords, 'logProof'>,
  tenantId: string,
  hash: string,
  certificate: JsonObject,
): Promise<LogState> {
  try {
    return followed(await nodeRecords.logProof(tenantId, hash), certificate);
  } catch (error) {
    if (error instanceof TlogError || error instanceof RangeError) return { status: 'broken' };
    const refusal: ServiceError | null = error instanceof ServiceError ? error : null;
    if (refusal === null) throw error;
    if (refusal.message === LOG_PENDING.message) return { status: 'waiting' };
    return refusal.code === 'NOT_FOUND' ? { status: 'none' } : { status: 'unknown', reason: refusal.message };
  }
}

function followed({ proof, notBefore }: LogProof, certificate: JsonObject): LogState {
  const { index, path, checkpoint, extra } = parseTlogProof(proof);
  const { origin, size, root, note } = checkpoint;
  const attestation = objectIn(objectIn(certificate, 'meta'), 'attestation');
  const [receipt, signature] = [objectIn(attestation, 'receipt'), member(attestation, 'signature')];
  const digest = typeof signature === 'string' ? receiptDigest(receipt, signature) : null;
  const leaf = leafHashOfOpening(parseOpening(extra), digest);
  const leads = leaf !== null && verifyInclusion(leaf, { leafIndex: index, treeSize: size, path }, root);
  if (!leads) return { status: 'broken' };
  const names = new Set(note.lines.map(({ name }) => name));
  const witnesses = [...names].filter((name) => name !== origin);
  const earlier = notBefore === undefined ? null : parseCheckpoint(notBefore);
  const notIn = earlier?.origin === origin && earlier.size <= index ? earlier.size : null;
  return { status: 'included', origin, index, size, witnesses, notIn };
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = member(object, name);
  return isJsonObject(value) ? value : {};
}

/** The section of a certificate's page. */
export function logSection(state: LogState): Html {
  return html`<section class="card" aria-labelledby="log">
    <h2 id="log">Transparency log</h2>
    ${logSentences(state)}
  </section>`;
}

function logSentences(state: LogState): Html {
  if (state.status === 'included') {
    const { origin, index, size, witnesses, notIn } = state;
    return html`<p>
        Entry ${String(index + 1)} of ${String(size)} (index ${String(index)}) in the log <code>${origin}</code>.
        ${notIn !== null && html`It was not yet in the checkpoint of ${String(notIn)} entries.`}
      </p>
      <p>
        ${witnesses.length === 0 ? 'No witness has signed this checkpoint.' : `Witnesses under the checkpoint: ${witnesses.join(', ')}.`}
      </p>
      <p class="muted">
        Checked here: the way from this receipt to the root of the checkpoint. Not checked here: who signed the
        checkpoint. <code>cer verify --require-log</code> checks that under a policy of your own.
      </p>`;
  }
  if (state.status === 'broken') {
    return html`<p class="notice bad" role="alert">
      The node answered with a proof that does not lead from this receipt to the root it names.
    </p>`;
  }
  if (state.status === 'unknown') return html`<p>${state.reason}</p>`;
  return state.status === 'waiting'
    ? html`<p>${LOG_PENDING.message}</p>`
    : html`<p>This receipt is in no transparency log, or the node keeps none.</p>`;
}
