import type { JsonObject, JsonValue } from '@cer/canonical-json';
import { describe, expect, it } from '@jest/globals';
import { encodeBase64Url } from '@cer/keys';
import { sha256, type Sha256Hash } from '../hash.js';
import { TEST_NODE_ID, TEST_SIGNER, TEST_TIME, testKeys } from '../testing/index.js';
import { AuditChainCheck, type AuditFault } from './audit-chain.js';
import { auditEntryHash, canonicalAuditHead, type AuditEntry, type AuditHead } from './audit-entry.js';

interface Log {
  readonly entries: readonly JsonObject[];
  readonly head: JsonObject;
}

async function logOf(length: number, act = 'records.hide'): Promise<Log> {
  const entries: JsonObject[] = [];
  let prevHash: Sha256Hash | null = null;
  let head: AuditHead | null = null;
  for (let seq = 1; seq <= length; seq += 1) {
    const entry: AuditEntry = {
      seq,
      prevHash,
      at: TEST_TIME,
      act,
      target: null,
      actor: 'a',
      requestId: null,
      details: {},
    };
    const end = { nodeId: TEST_NODE_ID, seq, hash: auditEntryHash(entry), kid: TEST_SIGNER.kid };
    const bytes = await TEST_SIGNER.sign(new TextEncoder().encode(canonicalAuditHead(end)));
    head = { ...end, signature: encodeBase64Url(bytes) };
    entries.push({ entry: { ...entry }, hash: head.hash, kid: head.kid, signature: head.signature });
    prevHash = head.hash;
  }
  return { entries, head: { ...head } };
}

async function faultOf(
  entries: readonly JsonValue[],
  head: JsonValue | undefined,
  seen: { seq: number; hash: Sha256Hash } | null = null,
): Promise<AuditFault | null> {
  const check = new AuditChainCheck({ keySet: testKeys(), seen });
  for (const entry of entries) {
    const fault = await check.add(entry);
    if (fault !== null) return fault;
  }
  return check.end(head);
}

describe('an audit log', () => {
  it('is accepted as the node wrote it', async () => {
    const { entries, head } = await logOf(3);
    expect(await faultOf(entries, head)).toBeNull();
  });

  it.each<[string, number, (entries: JsonObject[]) => void]>([
    [
      'AUDIT_HASH_MISMATCH',
      2,
      (log) => (log[1] = { ...log[1], entry: { ...(log[1]?.['entry'] as JsonObject), act: 'x' } }),
    ],
    ['AUDIT_LINK_BROKEN', 2, (log) => log.splice(1, 1)],
    ['AUDIT_LINK_BROKEN', 1, (log) => log.splice(0, 1)],
    ['AUDIT_LINK_BROKEN', 2, (log) => log.reverse()],
    ['AUDIT_SIGNATURE_INVALID', 3, (log) => (log[2] = { ...log[2], signature: log[1]?.['signature'] ?? '' })],
    ['AUDIT_ENTRY_MALFORMED', 1, (log) => (log[0] = { entry: {} })],
  ])('names the first broken entry: %s at %d', async (code, seq, spoil) => {
    const { entries, head } = await logOf(3);
    const spoilt = [...entries];
    spoil(spoilt);
    // Reversed, the very first entry is in the wrong place.
    expect(await faultOf(spoilt, head)).toMatchObject({ code, seq: spoilt[0] === entries[2] ? 1 : seq });
  });

  it('reports a truncated log and one without head', async () => {
    const { entries, head } = await logOf(3);
    const cut = entries.slice(0, 2);
    const shorter = await logOf(2);
    expect(await faultOf(cut, head)).toMatchObject({ code: 'AUDIT_TRUNCATED' });
    expect(await faultOf(entries, undefined)).toMatchObject({ code: 'AUDIT_HEAD_UNSIGNED' });
    expect(await faultOf(entries, { ...head, signature: 'AA' })).toMatchObject({ code: 'AUDIT_HEAD_UNSIGNED' });
    expect(await faultOf(shorter.entries, shorter.head)).toBeNull();
    const seen = { seq: 3, hash: head['hash'] as Sha256Hash };
    expect(await faultOf(shorter.entries, shorter.head, seen)).toMatchObject({ code: 'AUDIT_TRUNCATED' });
    expect(await faultOf([], null, seen)).toMatchObject({ code: 'AUDIT_TRUNCATED' });
  });

  it('reports a rewritten log under a valid signature', async () => {
    const { entries, head } = await logOf(3, 'records.delete');
    const seen = { seq: 2, hash: sha256('another') };
    expect(await faultOf(entries, head, seen)).toMatchObject({ code: 'AUDIT_REWRITTEN', seq: 2 });
  });
});
