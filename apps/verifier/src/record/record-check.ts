import { sha256 } from '@cer/cer-core';
import { checkArtefact } from '../check/check-artefact.js';
import type { LoadTimestampCode } from '../check/timestamp-code.js';
import type { ArtefactCheck } from '../check/check-result.js';
import { NOT_FOUND, outcomeOfCheck, UNAVAILABLE, type Outcome } from '../check/headline.js';
import type { NodeAnswer, NodeClient } from './node-client.js';

/** A record of the node as this server sees it, checked. */
export interface RecordCheck {
  readonly outcome: Outcome;
  readonly check: ArtefactCheck | null;
  /** The texts that were checked, for a visitor who saves them. */
  readonly record: string | null;
  readonly keySet: string | null;
  /** Changes with the record and with the key set, and with nothing else. */
  readonly version: string;
}

export type RecordKind = 'certificate' | 'project';
export type CheckRecord = (kind: RecordKind, hash: string) => Promise<RecordCheck>;

/** Maximum checked records in memory, newest last: a large project takes seconds to check and megabytes to keep. */
const KEPT = 8;

/**
 * Looks a record up and checks it; equal texts are checked once.
 * @param logPolicy the text of this site's policy, under which log proofs are judged; null: none is
 */
export function createRecordCheck(node: NodeClient, now: () => Date, logPolicy: string | null): CheckRecord {
  const kept = new Map<string, Promise<ArtefactCheck>>();
  return async (kind, hash) => {
    const [record, keys] = await Promise.all([
      kind === 'project' ? node.project(hash) : node.certificate(hash),
      node.keySet(),
    ]);
    if (record.kind === 'not-found') return withoutRecord(NOT_FOUND, keys.answer);
    if (record.kind === 'unavailable') return withoutRecord(UNAVAILABLE, keys.answer);
    if (keys.answer.kind !== 'found') return withoutRecord(UNAVAILABLE, keys.answer);
    const [source, keySet] = [record.text, keys.answer.text];
    const version = sha256(JSON.stringify([hash, sha256(source), sha256(keySet)]));
    const running =
      kept.get(version) ??
      checkArtefact(
        {
          ...{ source, keySet, keySource: keys.source, tsaRoots: null, logPolicy },
          askedHash: hash,
          verifiedAt: now().toISOString(),
        },
        loadTimestampCode,
        breathe,
      );
    kept.delete(version);
    kept.set(version, running);
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - KEPT))) kept.delete(oldest);
    try {
      const check = await running;
      // A certificate in answer to a request for a project, or the reverse, does not count.
      if (check.kind !== kind) return withoutRecord(UNAVAILABLE, keys.answer);
      return { outcome: outcomeOfCheck(check), check, record: source, keySet, version };
    } catch {
      // The node's key set is invalid, so the record cannot be judged.
      kept.delete(version);
      return withoutRecord(UNAVAILABLE, keys.answer);
    }
  };
}

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
