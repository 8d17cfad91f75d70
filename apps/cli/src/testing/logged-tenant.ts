import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { TEST_NODE_ID, TEST_TENANT, TEST_TIME } from '@cer/cer-core/testing';
import { encodeHex } from '@cer/keys';
import {
  formatCompleteness,
  formatEpoch,
  mapRoot,
  parseEpoch,
  proveInMap,
  tenantHeadValue,
  type EpochEnd,
} from '@cer/tlog/epoch';
import {
  deletionDigest,
  erasedOpening,
  labelOpening,
  makeLeaf,
  ownerOpening,
  receiptDigest,
  tenantTag,
  type Leaf,
  type LeafLabel,
} from '@cer/tlog/leaf';
import { EMPTY_FRONTIER, appendLeaves, rootOfFrontier, type Frontier } from '@cer/tlog/merkle';
import { TestLog, type TestWitness } from '@cer/tlog/testing';
import type { PackageRecord } from './audit-package.js';

/** The content of a leaf. */
interface Logged {
  readonly leaf: Leaf;
  readonly label: LeafLabel;
  readonly digest: Uint8Array;
  readonly deletion?: JsonObject;
}

const START = new Date(TEST_TIME).getTime();
const HOUR_MS = 3_600_000;

/** A tenant of the test node whose receipts are logged, with both logs of the node. */
export class LoggedTenant {
  readonly receipts = new TestLog('node.example/log');
  readonly epochs = new TestLog('node.example/log/epochs');
  readonly #tag = tenantTag(TEST_NODE_ID, TEST_TENANT);
  readonly #leaves: Logged[] = [];
  readonly #ends: { readonly epoch: number; readonly entry: Uint8Array; readonly frontier: Frontier }[] = [];
  #frontier = EMPTY_FRONTIER;

  /** Logs the receipt of a record. @returns its number */
  log({ receipt: line, certificate }: PackageRecord, changes: Partial<LeafLabel> = {}): number {
    const { receipt, signature } = line;
    if (receipt === undefined || typeof signature !== 'string') throw new TypeError('the record has no receipt');
    const facts = { bundleType: textOrNull(certificate['bundleType']), appId: textOrNull(line['appId']) };
    return this.#append(receiptDigest(receipt, signature), { ...facts, kind: 'certificate', ...changes });
  }

  /** Logs a deletion of numbers. */
  logDeletion(deletes: readonly (readonly [number, number])[]): number {
    const auditHash = `sha256:${'7'.repeat(64)}`;
    const facts = { appId: null, bundleType: null, kind: 'deletion', deletes } as const;
    const deletion = { auditHash, deletes, type: 'svc.log-deletion.v1' };
    return this.#append(deletionDigest(auditHash, deletes), facts, deletion);
  }

  #append(
    digest: Uint8Array,
    facts: Pick<LeafLabel, 'appId' | 'bundleType' | 'kind'> & Partial<LeafLabel>,
    deletion?: JsonObject,
  ): number {
    const number = this.#leaves.length + 1;
    const label: LeafLabel = { at: TEST_TIME, number, tenant: `sha256:${encodeHex(this.#tag)}`, ...facts };
    const leaf = makeLeaf(new Uint8Array(32).fill(number), digest, label);
    this.#leaves.push({ leaf, label, digest, ...(deletion !== undefined && { deletion }) });
    this.#frontier = appendLeaves(this.#frontier, [leaf.leafHash]);
    this.receipts.append(leaf.entry);
    return number;
  }

  /** Ends an epoch, `hours` after the receipts. */
  endEpoch(hours: number, changes: { readonly head?: Frontier; readonly from?: string } = {}): void {
    const head = changes.head ?? this.#frontier;
    const epoch = this.#ends.length;
    const last = this.#ends.at(-1)?.entry;
    const from = last === undefined ? new Date(START - HOUR_MS).toISOString() : parseEpoch(last).to;
    const entry = formatEpoch({
      nodeId: TEST_NODE_ID,
      epoch,
      from: changes.from ?? from,
      to: new Date(START + hours * HOUR_MS).toISOString(),
      log: { origin: this.receipts.origin, size: this.receipts.size, root: this.receipts.tree.root },
      tenants: mapRoot(this.#map(head)),
      audit: null,
      keyHistory: null,
    });
    this.epochs.append(entry);
    this.#ends.push({ epoch, entry, frontier: head });
  }

  get frontier(): Frontier {
    return this.#frontier;
  }

  #map(frontier: Frontier): { key: Uint8Array; value: Uint8Array }[] {
    const head = { size: frontier.size, root: rootOfFrontier(frontier) };
    const other = { key: tenantTag(TEST_NODE_ID, 'other'), value: new Uint8Array(32).fill(4) };
    return [{ key: this.#tag, value: tenantHeadValue(head) }, other];
  }

  async #end(at: number, witnesses: readonly TestWitness[]): Promise<EpochEnd> {
    const found = this.#ends.at(at);
    if (found === undefined) throw new RangeError('there is no such epoch');
    const { epoch, entry, frontier } = found;
    const seconds = Math.floor(START / 1000) + 3600 * 24;
    const checkpoint = await this.epochs.checkpoint(
      this.epochs.size,
      witnesses.map((witness) => [witness, seconds]),
    );
    return {
      epoch,
      entry,
      proof: this.epochs.proof(epoch, checkpoint),
      head: { size: frontier.size, root: rootOfFrontier(frontier) },
      siblings: proveInMap(this.#map(frontier), this.#tag).siblings,
    };
  }

  /** `log/completeness.json` from the end of one epoch (or the beginning) to the newest. */
  async completeness(witnesses: readonly TestWitness[], from: number | null = null): Promise<JsonObject> {
    return formatCompleteness({
      tenantId: TEST_TENANT,
      origin: this.receipts.origin,
      from: from === null ? null : await this.#end(from, witnesses),
      to: await this.#end(-1, witnesses),
      peaks: from === null ? [] : (this.#ends[from]?.frontier.peaks ?? []),
    });
  }

  /** Lines of `log/openings`, each opened as `form` says. */
  openings(form: (number: number) => 'owner' | 'label' | 'erased' = () => 'owner', after = 0): JsonObject[] {
    return this.#leaves.slice(after).map(({ leaf, label, digest, deletion }) => {
      const opened = form(label.number);
      if (opened === 'erased') return { number: label.number, opening: jsonOf(erasedOpening(leaf.leafHash)) };
      if (opened === 'label') return { number: label.number, opening: jsonOf(labelOpening(leaf, label)) };
      const opening = jsonOf(ownerOpening(leaf, label));
      const shown = deletion === undefined ? { digest: `sha256:${encodeHex(digest)}` } : { deletion };
      return { number: label.number, opening, ...shown };
    });
  }
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function jsonOf(bytes: Uint8Array): JsonObject {
  const value = parseJson(bytes);
  if (!isJsonObject(value)) throw new TypeError('is not an object');
  return value;
}
