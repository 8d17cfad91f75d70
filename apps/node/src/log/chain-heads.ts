import { jcsV1 } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import { canonicalAuditHead, type KeyHistoryEntries } from '@cer/cer-core/logs';
import { sha256 } from '@cer/keys';
import type { Epoch } from '@cer/tlog/epoch';
import type { AuditStore } from '../store/index.js';

/** The hashes of both signed chains, to which an epoch commits. */
export async function chainHeads(
  audit: Pick<AuditStore, 'last'>,
  history: { read(): Promise<KeyHistoryEntries> },
): Promise<Pick<Epoch, 'audit' | 'keyHistory'>> {
  const last = await audit.last();
  const { nodeId, entries } = await history.read();
  const newest = entries.at(-1);
  return {
    audit: last === null ? null : hashOfText(auditHeadText(nodeId, last)),
    keyHistory: newest === undefined ? null : hashOfText(jcsV1.canonicalize(newest)),
  };
}

function auditHeadText(nodeId: string, { seq, hash, kid }: { seq: number; hash: string; kid: string }): string {
  if (!isSha256Hash(hash)) throw new Error('the audit log ends in no hash');
  return canonicalAuditHead({ nodeId, seq, hash, kid });
}

function hashOfText(text: string): Uint8Array {
  return sha256(new TextEncoder().encode(text));
}
