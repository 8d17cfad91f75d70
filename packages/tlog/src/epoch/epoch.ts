import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { hashText, jcsBytes } from '../leaf/leaf.js';
import { parseHashText } from '../leaf/opening.js';
import { equalBytes } from '../merkle/hash.js';
import { malformed } from '../tlog-error.js';

/**
 * The data that an operator commits to each epoch: the receipts log, the head of every tenant's tree, and both signed
 * chains.
 */
export interface Epoch {
  readonly nodeId: string;
  /** Index in the epochs log. */
  readonly epoch: number;
  /** Times as the node wrote them; `from` is the `to` of the epoch before. */
  readonly from: string;
  readonly to: string;
  /** The receipts log at the end of the epoch. */
  readonly log: { readonly origin: string; readonly size: number; readonly root: Uint8Array };
  /** Root of the map of tenants. */
  readonly tenants: Uint8Array;
  /** Hash of the head of the audit log; null before its first entry. */
  readonly audit: Uint8Array | null;
  /** Hash of the newest entry of the key history; null before its first entry. */
  readonly keyHistory: Uint8Array | null;
}

const EPOCH_TYPE = 'svc.log-epoch.v1';
const MEMBERS = ['audit', 'epoch', 'from', 'keyHistory', 'log', 'nodeId', 'tenants', 'to', 'type'];
const MAX_DEPTH = 4;

/** The entry of the epochs log: the JCS form, in UTF-8. */
export function formatEpoch({ nodeId, epoch, from, to, log, tenants, audit, keyHistory }: Epoch): Uint8Array {
  return jcsBytes({
    type: EPOCH_TYPE,
    nodeId,
    epoch,
    from,
    to,
    log: { origin: log.origin, size: log.size, root: hashText(log.root) },
    tenants: hashText(tenants),
    audit: audit && hashText(audit),
    keyHistory: keyHistory && hashText(keyHistory),
  });
}

/**
 * Reads an entry of the epochs log.
 * @throws TlogError MALFORMED for other members, or another text than the JCS form of what it says
 */
export function parseEpoch(entry: Uint8Array): Epoch {
  const value = readObject(entry);
  if (value['type'] !== EPOCH_TYPE || Object.keys(value).sort().join() !== MEMBERS.join()) {
    throw malformed(`epoch: must be ${EPOCH_TYPE} with exactly its members`);
  }
  const { log } = value;
  if (log === undefined || !isJsonObject(log) || Object.keys(log).sort().join() !== 'origin,root,size') {
    throw malformed('epoch: log must be origin, size and root');
  }
  const epoch: Epoch = {
    nodeId: text(value, 'nodeId'),
    epoch: count(value['epoch'], 'epoch'),
    from: text(value, 'from'),
    to: text(value, 'to'),
    log: {
      origin: text(log, 'origin'),
      size: count(log['size'], 'log.size'),
      root: parseHashText(log['root'], 'epoch: log.root'),
    },
    tenants: parseHashText(value['tenants'], 'epoch: tenants'),
    audit: value['audit'] === null ? null : parseHashText(value['audit'], 'epoch: audit'),
    keyHistory: value['keyHistory'] === null ? null : parseHashText(value['keyHistory'], 'epoch: keyHistory'),
  };
  if (!equalBytes(formatEpoch(epoch), entry)) throw malformed('epoch: must be in canonical form');
  return epoch;
}

function readObject(entry: Uint8Array): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(entry, { maxDepth: MAX_DEPTH });
  } catch (cause) {
    throw malformed('epoch: must be strict JSON', cause);
  }
  if (!isJsonObject(value)) throw malformed('epoch: must be an object');
  return value;
}

function text(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value !== 'string') throw malformed(`epoch: ${name} must be a string`);
  return value;
}

function count(value: JsonValue | undefined, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw malformed(`epoch: ${name} must be an integer from 0`);
  }
  return value;
}
