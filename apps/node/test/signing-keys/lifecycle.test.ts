import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { nextKeyHistoryEntry, rootFingerprintOf, verifyKeyHistory } from '@cer/cer-core/logs';
import { verifySignature } from '@cer/keys';
import { replayKeyHistory } from '@cer/keys/key-history';
import { openKeyVault } from '@cer/keys/file-signer';
import { sqliteTestDatabase } from '@cer/sql-store/testing';

import type { AuditAct } from '../../src/audit-log/audit-log.js';
import { SignerAwayError, type SigningKeyHolder } from '../../src/signing/key-holder.js';
import { sealedKeyHolder } from '../../src/signing-keys/sealed-key-holder.js';
import { keyPremises, ASKED, type KeyNode, type KeyPremises } from './key-premises.js';
import { newRecord } from '../store/new-record.js';

let premises: KeyPremises;
let node: KeyNode;
let databaseFolder: string;

beforeEach(async () => {
  const database = await sqliteTestDatabase();
  databaseFolder = dirname(database.path);
  premises = await keyPremises({ database });
  node = await premises.open();
});
afterEach(() => premises.remove());

const rotate = (of: KeyNode = node, immediate = false): ReturnType<KeyNode['operations']['rotate']> =>
  of.operations.rotate({ immediate }, ASKED, premises.audit);
const revoke = (kid: string, members: object = {}, of: KeyNode = node): ReturnType<KeyNode['operations']['revoke']> =>
  of.operations.revoke(kid, { reason: 'keyCompromise', ...members }, ASKED, premises.audit);
const kidNow = async (of: KeyNode = node): Promise<string> => (await of.signing.attestorAt(premises.now())).signer.kid;
const entryOf = (kid: string, of: KeyNode = node): object | undefined =>
  of.signing.published().document.keys.find((key) => key.kid === kid);
const refusal = (code: string): object => ({ refusal: { code } });

/** Time after which a node has no pending signature of a previous key. Signatures use the real clock. */
async function retire(...nodes: readonly KeyNode[]): Promise<void> {
  // Reopened nodes have not signed yet.
  for (const each of nodes) await each.upkeep.turn();
  for (const each of nodes) await each.upkeep.turn();
}

/** Everything on disk: the key file, the database and its write-ahead log. */
function onDisk(): string {
  return [premises.folder, databaseFolder]
    .flatMap((folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1')))
    .join('\n');
}

async function acceptedHistory(): Promise<Awaited<ReturnType<typeof verifyKeyHistory>>> {
  const document = await node.history.document();
  const { roots } = replayKeyHistory('node-test', document.entries);
  const [root] = [...roots.values()];
  if (root === undefined) throw new Error('no root');
  return verifyKeyHistory(document, {
    nodeId: 'node-test',
    rootFingerprint: rootFingerprintOf(root),
    highestSeen: null,
    at: premises.now().toISOString(),
  });
}

/** A holder that can be made unreachable. */
async function tokenThatGoesAway(): Promise<{ holder: SigningKeyHolder; link: { away: boolean } }> {
  const token = sealedKeyHolder(openKeyVault(premises.keysFile));
  const link = { away: false };
  const orAway = async <T>(work: () => Promise<T>): Promise<T> => {
    if (link.away) throw new SignerAwayError('the hardware token is absent');
    return work();
  };
  const holder: SigningKeyHolder = {
    name: 'file',
    create: () => orAway(() => token.create()),
    open: (key) => orAway(() => token.open(key)),
    erase: (key) => orAway(() => token.erase(key)),
    close: () => token.close(),
  };
  return { holder, link };
}

describe('the first start', () => {
  it('imports the key of the file for all nodes', async () => {
    const [own] = node.signing.published().document.keys;
    expect(own).toMatchObject({ status: 'active' });
    const other = await premises.open();
    expect(await kidNow(other)).toBe(own?.kid);
    expect(other.signing.published().document).toEqual(node.signing.published().document);
    const { signer } = await other.signing.attestorAt(premises.now());
    const message = new TextEncoder().encode('receipt');
    expect(await verifySignature(signer.publicKey, message, await signer.sign(message))).toBe(true);
  });

  it('publishes a verifiable history of the key set', async () => {
    const accepted = await acceptedHistory();
    expect(accepted).toMatchObject({ accepted: true, findings: [] });
    const { statement } = await node.history.document();
    expect(statement?.keySet).toEqual(node.signing.published().document);
  });
});

describe('a rotation', () => {
  it('publishes a new key before signing with it', async () => {
    const before = await kidNow();
    const { kid, notBefore, previousKid } = await rotate();
    expect(previousKid).toBe(before);
    expect(Date.parse(notBefore) - premises.now().getTime()).toBeGreaterThanOrEqual(60_000);
    expect(entryOf(kid)).toMatchObject({ status: 'active', notBefore });
    expect(node.signing.published()).toMatchObject({ document: { activeKid: before } });
    // The cache lifetime of the document just read.
    await node.signing.refresh();
    expect(node.signing.published().maxAgeSeconds).toBe(60);
    premises.pass(60_000);
    expect(await kidNow()).toBe(before);
    premises.pass(Date.parse(notBefore) - premises.now().getTime());
    expect(await kidNow()).toBe(kid);
    expect(node.signing.published().document.activeKid).toBe(kid);
  });

  it('reaches other nodes before the key signs', async () => {
    const other = await premises.open();
    const { kid, notBefore } = await rotate();
    await other.signing.refresh();
    premises.pass(Date.parse(notBefore) - premises.now().getTime());
    expect([await kidNow(), await kidNow(other)]).toEqual([kid, kid]);
  });

  it('retires the old key once no node uses it', async () => {
    const before = node.signing.published().document.activeKid ?? '';
    const other = await premises.open();
    const { kid } = await rotate(node, true);
    // The other node has not read it yet.
    await node.upkeep.turn();
    expect(entryOf(before)).toMatchObject({ status: 'active' });
    await other.upkeep.turn();
    await retire(node, other);
    expect(entryOf(before)).toMatchObject({ status: 'retired', retiredAt: premises.now().toISOString() });
    expect(entryOf(kid)).toMatchObject({ status: 'active' });
    expect(await acceptedHistory()).toMatchObject({ accepted: true });
  });

  it('waits for a silent node only while it may sign', async () => {
    const before = node.signing.published().document.activeKid ?? '';
    await premises.open();
    await rotate(node, true);
    await retire(node);
    expect(entryOf(before)).toMatchObject({ status: 'active' });
    premises.pass(31_000);
    await retire(node);
    expect(entryOf(before)).toMatchObject({ status: 'retired' });
  });

  it('retires the interim key of a revocation', async () => {
    const before = node.signing.published().document.activeKid ?? '';
    const { kid, notBefore } = await rotate();
    await revoke(before);
    const between = await kidNow();
    expect([before, kid]).not.toContain(between);
    premises.pass(Date.parse(notBefore) - premises.now().getTime());
    expect(await kidNow()).toBe(kid);
    premises.pass(31_000);
    await retire(node);
    expect(entryOf(between)).toMatchObject({ status: 'retired' });
    expect(entryOf(kid)).toMatchObject({ status: 'active' });
    expect(await acceptedHistory()).toMatchObject({ accepted: true });
  });

  it('leaves no retired private key on disk', async () => {
    const before = node.signing.published().document.activeKid ?? '';
    const [row] = await premises.database.query(`select held_reference from signing_keys where kid = '${before}'`);
    const sealed = String(row?.['held_reference']);
    const inFile = /"privateKey": "(.*)"/.exec(readFileSync(premises.keysFile, 'utf8'))?.[1] ?? '';
    expect(onDisk()).toContain(sealed);
    expect(onDisk()).toContain(inFile);
    await rotate(node, true);
    await retire(node);
    expect(entryOf(before)).toMatchObject({ status: 'retired' });
    expect(onDisk()).not.toContain(sealed);
    expect(onDisk()).not.toContain(inFile);
    expect(premises.log.join('\n')).not.toContain(inFile);
    // A node started afterwards signs with the new key.
    expect(await kidNow(await premises.open())).toBe(await kidNow());
  });

  it('succeeds for one of two concurrent requests', async () => {
    const other = await premises.open();
    const answers = await Promise.allSettled([rotate(node), rotate(other), rotate(node, true)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject(refusal('KEY_ROTATION_IN_PROGRESS'));
    }
    await node.signing.refresh();
    expect(node.signing.published().document.keys).toHaveLength(2);
    await expect(rotate()).rejects.toMatchObject(refusal('KEY_ROTATION_IN_PROGRESS'));
  });

  it('cannot be logged first by an unusable key, and is immediate', async () => {
    const before = await kidNow();
    const lost = { append: () => Promise.reject(new SignerAwayError('the signing key is not on the hardware token')) };
    await expect(node.operations.rotate({ immediate: false }, ASKED, lost)).rejects.toThrow(
      'the signing key is not on the hardware token. Where it is lost, rotate with "immediate": true',
    );
    await node.signing.refresh();
    expect(node.signing.published().document.keys).toHaveLength(1);
    // As the log of a node, which the new key signs.
    const usable = {
      append: async (act: AuditAct) => ((await kidNow()) === before ? lost.append() : premises.audit.append(act)),
    };
    const { kid } = await node.operations.rotate({ immediate: true }, ASKED, usable);
    expect(await kidNow()).toBe(kid);
    expect(premises.audited).toMatchObject([{ act: 'keys.rotate', target: kid, details: { immediate: true } }]);
  });

  it('is logged first', async () => {
    const { kid } = await rotate();
    expect(premises.audited).toEqual([
      { act: 'keys.rotate', target: kid, details: { immediate: false, notBefore: expect.any(String) }, ...ASKED },
    ]);
  });
});

describe('a revocation', () => {
  it('replaces an active key in the same step', async () => {
    const before = await kidNow();
    const since = '2026-04-30T00:00:00.000Z';
    const { replacedBy } = await revoke(before, { compromisedSince: since });
    expect(await kidNow()).toBe(replacedBy);
    expect(entryOf(before)).toMatchObject({
      status: 'revoked',
      revokedAt: premises.now().toISOString(),
      revocationReason: 'keyCompromise',
      compromisedSince: since,
    });
    await node.upkeep.turn();
    expect(await premises.database.query('select held_reference from signing_keys order by seq limit 1')).toEqual([
      { held_reference: null },
    ]);
    expect(await acceptedHistory()).toMatchObject({ accepted: true });
  });

  it('succeeds without a replacement key', async () => {
    const before = await kidNow();
    const empty: SigningKeyHolder = {
      name: 'pkcs11',
      create: () => Promise.reject(new SignerAwayError('the hardware token is absent')),
      open: () => Promise.reject(new SignerAwayError('the hardware token is absent')),
      erase: async () => undefined,
      close: async () => undefined,
    };
    const stranded = await premises.open({ holders: [empty] });
    expect(await revoke(before, {}, stranded)).toMatchObject({ replacedBy: null });
    await expect(stranded.signing.prove(premises.now())).rejects.toThrow('no key may sign at present');
    await node.signing.refresh();
    const { kid, previousKid } = await rotate();
    expect([await kidNow(), previousKid]).toEqual([kid, null]);
  });

  it('succeeds while the holder is unreachable', async () => {
    const { holder, link } = await tokenThatGoesAway();
    const stranded = await premises.open({ holders: [holder] });
    const lost = (await rotate(stranded, true)).kid;
    link.away = true;
    await revoke(lost, {}, stranded);
    for (const each of [stranded, await premises.open({ holders: [holder] })]) {
      await each.upkeep.turn();
      await each.upkeep.turn();
    }
    const { statement, entries } = await node.history.document();
    expect(statement?.historyHead.seq).toBe(entries.length);
    expect(statement?.keySet.keys.find(({ kid }) => kid === lost)).toMatchObject({ status: 'revoked' });
    const said = premises.log.filter((line) => line.includes('could not be erased'));
    // Once for each of the two processes.
    expect(said).toHaveLength(2);
    link.away = false;
    await stranded.upkeep.turn();
    const left = await premises.database.query(`select held_reference from signing_keys where kid = '${lost}'`);
    expect(left).toEqual([{ held_reference: null }]);
  });

  it('can be repeated only to shorten trust', async () => {
    const kid = await kidNow();
    await revoke(kid, { reason: 'superseded' });
    await expect(revoke(kid, { reason: 'unspecified' })).rejects.toMatchObject(refusal('KEY_ALREADY_REVOKED'));
    await expect(revoke(kid)).resolves.toMatchObject({ reason: 'keyCompromise' });
    expect(entryOf(kid)).toMatchObject({ revocationReason: 'keyCompromise' });
  });

  it('refuses an unknown kid and a future compromise', async () => {
    await expect(revoke('unknown')).rejects.toMatchObject(refusal('NOT_FOUND'));
    const later = new Date(premises.now().getTime() + 60_000).toISOString();
    await expect(revoke(await kidNow(), { compromisedSince: later })).rejects.toMatchObject(
      refusal('VALIDATION_ERROR'),
    );
    expect(node.signing.published().document.keys).toHaveLength(1);
  });
});

describe('a root that was revoked', () => {
  it('does not sign any more', async () => {
    const before = await node.history.document();
    const signedBy = before.signatures[0]?.kid ?? '';
    const change = { type: 'root-revoked', kid: signedBy, reason: 'keyCompromise' } as const;
    const issuedAt = premises.now().toISOString();
    const entry = nextKeyHistoryEntry(await node.history.read(), { issuedAt, change });
    await node.store.signingKeys.change({ keys: [], entries: [{ seq: entry.seq, json: JSON.stringify(entry) }] });
    premises.pass(6 * 24 * 60 * 60_000);
    await node.upkeep.turn();
    await node.upkeep.turn();
    expect((await node.history.document()).statement).toEqual(before.statement);
    expect(premises.log.filter((line) => line.includes('ROOT_KEY_FILE'))).toHaveLength(1);
  });
});

describe('the clock guard', () => {
  it('refuses to sign 5 s behind the newest record', async () => {
    premises.pass(120_000);
    const attestedAt = premises.now().toISOString();
    await node.store.records.recordOnce(newRecord({ attestedAt }));
    await node.signing.refresh();
    node.setClock(-5_000);
    const at = (ms: number): Date => new Date(Date.parse(attestedAt) + ms);
    await expect(node.signing.attestorAt(at(-5_000))).resolves.toBeDefined();
    await expect(node.signing.attestorAt(at(-5_001))).rejects.toThrow(/clock is 6 s behind/);
    await expect(node.signing.prove(at(-60_000))).rejects.toThrow(/clock is 60 s behind/);
    await expect(node.signing.attestorAt(at(0))).resolves.toBeDefined();
  });

  it('refuses to act behind the newest key change', async () => {
    premises.pass(60_000);
    await rotate(node, true);
    node.setClock(-6_000);
    const behind = new Date(premises.now().getTime() - 6_000);
    await expect(node.signing.attestorAt(behind)).rejects.toBeInstanceOf(SignerAwayError);
    await expect(rotate()).rejects.toBeInstanceOf(SignerAwayError);
    await expect(revoke(await kidNow())).rejects.toBeInstanceOf(SignerAwayError);
    node.setClock(0);
    await expect(revoke(await kidNow())).resolves.toBeDefined();
  });

  describe('ahead of the database', () => {
    let other: KeyNode;
    const sign = (of: KeyNode, offMs = 0): Promise<unknown> =>
      of.signing.attestorAt(new Date(premises.now().getTime() + offMs));
    beforeEach(async () => {
      premises.pass(Date.now() - premises.now().getTime());
      other = await premises.open();
      await node.upkeep.turn();
      await other.upkeep.turn();
    });

    it("refuses to sign, rotate and revoke against the other nodes' clocks", async () => {
      node.setClock(20_000);
      await expect(sign(node, 20_000)).rejects.toThrow(/clock is \d+ s ahead/);
      await expect(rotate()).rejects.toBeInstanceOf(SignerAwayError);
      await expect(revoke(await kidNow())).rejects.toBeInstanceOf(SignerAwayError);
      await expect(sign(other)).resolves.toBeDefined();
      node.setClock(4_000);
      await expect(sign(node, 4_000)).resolves.toBeDefined();
      await expect(sign(other)).resolves.toBeDefined();
    });

    it("signs when the database's clock is wrong", async () => {
      premises.pass(6_000);
      for (const each of [node, other, node]) await each.upkeep.turn();
      await expect(sign(node)).resolves.toBeDefined();
      await expect(sign(other)).resolves.toBeDefined();
    });

    it('signs where no other node is there to ask', async () => {
      await other.upkeep.stop();
      await expect(sign(node, 20_000)).resolves.toBeDefined();
    });
  });

  it('checks signatures of this process at once', async () => {
    await node.signing.attestorAt(new Date(premises.now().getTime() + 60_000));
    await expect(node.signing.attestorAt(premises.now())).rejects.toThrow(/behind/);
  });
});

describe('an unavailable signer', () => {
  it('is logged once per reason', async () => {
    let reason = 'PKCS11_MODULE cannot be loaded';
    const fails = (): Promise<never> => Promise.reject(new SignerAwayError(reason));
    const other = await premises.open({
      holders: [
        { name: 'file', create: fails, open: fails, erase: async () => undefined, close: async () => undefined },
      ],
    });
    const complaints = (): readonly string[] => premises.log.filter((line) => line.includes('cannot be opened'));
    for (let turn = 0; turn < 3; turn++) await expect(other.signing.prove(premises.now())).rejects.toThrow(reason);
    expect(complaints()).toEqual([expect.stringContaining('"reason":"PKCS11_MODULE cannot be loaded"')]);
    reason = 'the hardware token is absent';
    await expect(other.signing.prove(premises.now())).rejects.toThrow(reason);
    expect(complaints()).toHaveLength(2);
  });

  it('is reported and recovers without a restart', async () => {
    const { signer } = await node.signing.attestorAt(premises.now());
    let isAway = false;
    const gone = (): Promise<never> => Promise.reject(new SignerAwayError('the hardware token is absent'));
    const sometimes: SigningKeyHolder = {
      name: 'file',
      create: gone,
      open: async () =>
        isAway ? gone() : { ...signer, sign: (message: Uint8Array) => (isAway ? gone() : signer.sign(message)) },
      erase: async () => undefined,
      close: async () => undefined,
    };
    const other = await premises.open({ holders: [sometimes] });
    await other.signing.prove(premises.now());
    isAway = true;
    await expect(other.signing.prove(premises.now())).rejects.toThrow('the hardware token is absent');
    await expect(other.signing.prove(premises.now())).rejects.toThrow('the hardware token is absent');
    isAway = false;
    await expect(other.signing.prove(premises.now())).resolves.toBeUndefined();
  });
});
