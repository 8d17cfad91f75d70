import { elementsOf, isJsonObject, member, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { encodeHex } from '@cer/keys';
import { erasedOpening, labelOpening, ownerOpening, receiptDigest, type LeafLabel } from '@cer/tlog/leaf';
import { leafHash } from '@cer/tlog/merkle';
import type { LoggedLeaf, LogRow, LogStore } from '../store/index.js';
import { leafAt } from './stored-leaf.js';
import { UnnamedDeletions } from './unnamed-deletions.js';

/** The filter; null selects all. */
export interface LeafQuestion {
  readonly attestedFrom: string | null;
  readonly attestedTo: string | null;
  readonly appId: string | null;
  readonly bundleType: string | null;
}

export interface OpeningDeps {
  readonly store: Pick<LogStore, 'tenantLeaves' | 'shownOf'>;
  readonly receipts: LogRow;
  readonly tagOf: (tenantId: string) => Uint8Array;
}

/** A record of the range was deleted since the range was chosen, so that the openings prove less than its document. */
export class DeletedSinceError extends Error {}

/** Maximum leaves of a tenant in memory for a request. */
export const LEAVES_AT_ONCE = 500;

/**
 * The lines of `log/openings/`, in order: leaves that match the query are opened with their receipt or its digest,
 * others by their label, and deleted ones by their leaf hash.
 * @throws DeletedSinceError at the end
 * @see docs/spec.md, "Completeness"
 */
export async function* openingLines(
  deps: OpeningDeps,
  tenantId: string,
  { start, end }: { readonly start: number; readonly end: number },
  question: LeafQuestion,
): AsyncGenerator<string> {
  const tag = deps.tagOf(tenantId);
  const unnamed = new UnnamedDeletions();
  for (let from = start; from < end; from += LEAVES_AT_ONCE) {
    const to = Math.min(end, from + LEAVES_AT_ONCE);
    const leaves = await deps.store.tenantLeaves(deps.receipts.logId, tenantId, from, to);
    for (const leaf of leaves) {
      unnamed.add(leaf);
      yield `${JSON.stringify(await lineOf(deps, leaf, tag, question))}\n`;
    }
  }
  if (!unnamed.isEmpty) throw new DeletedSinceError('a record was deleted while its openings were read');
}

async function lineOf(
  { store }: OpeningDeps,
  stored: LoggedLeaf,
  tag: Uint8Array,
  question: LeafQuestion,
): Promise<JsonObject> {
  const { number, content, entry } = stored;
  if (content === null) return { number, opening: parsed(erasedOpening(leafHash(entry))) };
  const { leaf, label } = leafAt(content, number, tag);
  // A deletion is always shown, because it names numbers of the range.
  if (label.kind !== 'deletion' && !isAsked(label, question)) {
    return { number, opening: parsed(labelOpening(leaf, label)) };
  }
  const opening = parsed(ownerOpening(leaf, label));
  const shown = await store.shownOf(stored);
  if (shown?.of === 'deletion') {
    const deletion = { auditHash: shown.auditHash, deletes: deletesOf(label), type: 'svc.log-deletion.v1' };
    return { number, opening, deletion };
  }
  if (shown?.of === 'project') {
    return { number, opening, receipt: parsed(shown.receiptJson), signature: shown.signature };
  }
  const signed = shown === null ? null : receiptOfReseal(shown.publicCerJson, content.digest);
  if (signed !== null) return { number, opening, ...signed };
  return { number, opening, digest: `sha256:${encodeHex(content.digest)}` };
}

function isAsked({ at, appId, bundleType }: LeafLabel, question: LeafQuestion): boolean {
  return (
    (question.attestedFrom === null || at >= question.attestedFrom) &&
    (question.attestedTo === null || at < question.attestedTo) &&
    (question.appId === null || appId === question.appId) &&
    (question.bundleType === null || bundleType === question.bundleType)
  );
}

/** The receipt of a reseal with this digest: its newest one, or an earlier one of a renewed record. */
function receiptOfReseal(publicCerJson: string, digest: Uint8Array): JsonObject | null {
  const cer = parsed(publicCerJson);
  const meta = isJsonObject(cer) ? member(cer, 'meta') : undefined;
  if (!isJsonObject(meta)) return null;
  const history = member(meta, 'attestationHistory');
  const earlier = elementsOf(history);
  for (const holder of [meta, ...earlier]) {
    const attestation = isJsonObject(holder) ? member(holder, 'attestation') : undefined;
    if (!isJsonObject(attestation)) continue;
    const { receipt, signature } = attestation;
    if (receipt === undefined || typeof signature !== 'string') continue;
    if (encodeHex(receiptDigest(receipt, signature)) === encodeHex(digest)) return { receipt, signature };
  }
  return null;
}

function deletesOf({ deletes = [] }: LeafLabel): JsonValue {
  return deletes.map(([first, last]) => [first, last]);
}

function parsed(json: Uint8Array | string): JsonValue {
  return parseJson(json);
}
