import { sha256 } from '@cer/cer-core';
import { checkArtefact } from '../check/check-artefact.js';
import type { LoadTimestampCode } from '../check/timestamp-code.js';
import type { ArtefactCheck } from '../check/check-result.js';
import { NOT_FOUND, outcomeOfCheck, UNAVAILABLE, type Outcome } from '../check/headline.js';
import { CheckCache } from './check-cache.js';
import { decodeAnswer } from './decode-answer.js';
import type { CheckLarge } from './large-check.js';
import type { NodeAnswer, NodeClient } from './node-client.js';

/** A record of the node as this server sees it, checked. */
export interface RecordCheck {
  readonly outcome: Outcome;
  readonly check: ArtefactCheck | null;
  /** What was checked, for a visitor who saves it. */
  readonly record: Uint8Array | null;
  readonly keySet: string | null;
  /** Changes with the record and with the key set, and with nothing else. */
  readonly version: string;
}

export type RecordKind = 'certificate' | 'project';
export type CheckRecord = (kind: RecordKind, hash: string) => Promise<RecordCheck>;

export interface RecordCheckDeps {
  readonly node: NodeClient;
  readonly checkLarge: CheckLarge;
  readonly now: () => Date;
  /** The text of this site's policy, under which log proofs are judged; null: none is. */
  readonly logPolicy: string | null;
}

/** Bytes of a record above which it is checked in a process; one of this size holds up the event loop for about 0.2 s. */
const LARGE_BYTES = 256 * 1024;

/** Looks a record up and checks it; concurrent requests share one look-up, and equal texts are checked once. */
export function createRecordCheck({ node, checkLarge, now, logPolicy }: RecordCheckDeps): CheckRecord {
  const checks = new CheckCache();
  const running = new Map<string, Promise<RecordCheck>>();

  const checkFound = async (kind: RecordKind, hash: string, record: Uint8Array, keys: Keys): Promise<RecordCheck> => {
    if (keys.answer.kind !== 'found') return withoutRecord(UNAVAILABLE, keys.answer);
    const keySet = keys.answer.text;
    const version = sha256(JSON.stringify([hash, sha256(record), sha256(keySet)]));
    const request = {
      ...{ keySet, keySource: keys.source, tsaRoots: null, logPolicy },
      askedHash: hash,
      verifiedAt: now().toISOString(),
    };
    try {
      const check = await checks.get(version, record.length, async () =>
        record.length > LARGE_BYTES
          ? checkLarge({ ...request, source: record })
          : checkArtefact({ ...request, source: decodeAnswer(record) }, loadTimestampCode, breathe),
      );
      // A certificate in answer to a request for a project, or the reverse, does not count.
      if (check.kind !== kind) return withoutRecord(UNAVAILABLE, keys.answer);
      return { outcome: outcomeOfCheck(check), check, record, keySet, version };
    } catch {
      // The key set is invalid, the record is not text, or it needs more than a check may have: it is not judged here.
      return withoutRecord(UNAVAILABLE, keys.answer);
    }
  };

  const lookUp = (kind: RecordKind, hash: string): Promise<RecordCheck> => {
    const asked = node.keySet();
    return node[kind](hash, async (record) => {
      const keys = await asked;
      if (record.kind === 'found') return checkFound(kind, hash, record.bytes, keys);
      return withoutRecord(record.kind === 'not-found' ? NOT_FOUND : UNAVAILABLE, keys.answer);
    });
  };

  return (kind, hash) => {
    const key = `${kind} ${hash}`;
    const current = running.get(key) ?? lookUp(kind, hash).finally(() => running.delete(key));
    running.set(key, current);
    return current;
  };
}

type Keys = Awaited<ReturnType<NodeClient['keySet']>>;

const loadTimestampCode = (): ReturnType<LoadTimestampCode> => import('@cer/timestamps');

/** A pause between batches of steps, so that a large project does not hold up other visitors. */
function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function withoutRecord(outcome: Outcome, keys: NodeAnswer): RecordCheck {
  const keySet = keys.kind === 'found' ? keys.text : null;
  return { outcome, check: null, record: null, keySet, version: sha256(JSON.stringify([outcome.headline, keySet])) };
}
