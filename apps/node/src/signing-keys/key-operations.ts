import type { KeyHistoryEntries } from '@cer/cer-core/logs';
import { KeyError } from '@cer/keys';
import type { KeyChange, RevocationReason } from '@cer/keys/key-history';
import { ServiceError, validationError } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import type { AuditAct, AuditLog } from '../audit-log/audit-log.js';
import type { SigningKeyStore } from '../store/index.js';
import { entryTime, keyAdded, planChange, type Held, type KeyHistoryLog } from './key-history-log.js';
import { SignerAwayError, type HeldKey, type SigningKeyHolder } from '../signing/key-holder.js';
import { msOf, type KeyTable } from './key-table.js';
import { TABLE_LAG_MS, type LiveSigning } from './live-signing.js';

export interface KeyOperationDeps {
  readonly signing: LiveSigning;
  readonly history: KeyHistoryLog;
  readonly store: SigningKeyStore;
  /** Holder that creates new keys. */
  readonly holder: SigningKeyHolder;
  readonly maxAgeSeconds: number;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Lets the other processes of this node read the keys again; absent: there are none. */
  readonly refreshOthers?: (() => Promise<void>) | undefined;
}

/** The actor for the audit log. */
export type Asked = Pick<AuditAct, 'actor' | 'requestId'>;

export interface Rotated {
  readonly kid: string;
  /** Start of signing with the key. */
  readonly notBefore: string;
  /** The key that signs until then; null without one. */
  readonly previousKid: string | null;
}

export interface Revocation {
  readonly reason: RevocationReason;
  readonly compromisedSince?: string | undefined;
}

export interface Revoked extends Revocation {
  readonly kid: string;
  readonly revokedAt: string;
  /** The replacement, if the key was active; null when none could be created. */
  readonly replacedBy?: string | null;
}

/** Maximum retries of a revocation after concurrent changes. */
const ATTEMPTS = 10;

/** Administrative operations on signing keys. @see docs/spec.md, "Signing keys" */
export class KeyOperations {
  readonly #deps: KeyOperationDeps;

  constructor(deps: KeyOperationDeps) {
    this.#deps = deps;
  }

  /**
   * Publishes a new key. It signs once all cached copies of the key set have expired, or immediately.
   * @throws ServiceError KEY_ROTATION_IN_PROGRESS, also for the later of two concurrent rotations; SignerAwayError
   */
  async rotate(options: { readonly immediate: boolean }, asked: Asked, audit: AuditLog): Promise<Rotated> {
    const { signing, history, store, holder, now, maxAgeSeconds } = this.#deps;
    const table = await signing.refresh();
    const at = now();
    signing.assertClock(at.getTime(), table);
    const signs = table.signingKeyAt(at.getTime());
    assertNoRotation(table, at.getTime());
    const entries = await history.read();
    if (entries.entries.length !== table.state.historySeq) throw rotationInProgress();

    const key = await holder.create();
    try {
      const createdAt = entryTime(entries, at);
      const isAtOnce = options.immediate || signs === null;
      const notBefore = isAtOnce
        ? createdAt
        : new Date(msOf(createdAt) + maxAgeSeconds * 1000 + TABLE_LAG_MS).toISOString();
      const act = { act: 'keys.rotate', target: key.kid, details: { immediate: isAtOnce, notBefore }, ...asked };
      const isAudited = await auditFirst(audit, act, isAtOnce);
      const changes = [keyAdded(key, createdAt, notBefore)];
      if (isAtOnce) changes.push({ type: 'key-activated', kid: key.kid });
      const held = new Map([[key.kid, { holder: holder.name, reference: key.reference }]]);
      if (!(await store.change(planChange(entries, createdAt, changes, held)))) throw rotationInProgress();
      await this.#refreshAll();
      if (!isAudited) await audit.append(act);
      return { kid: key.kid, notBefore, previousKid: signs?.kid ?? null };
    } catch (error) {
      await this.#discardUnlessKept(key);
      throw error;
    }
  }

  /**
   * Revokes a key. An active key is replaced in the same transaction; if no new key can be created, it is revoked
   * nevertheless and the node reports not ready.
   * @throws ServiceError NOT_FOUND, KEY_ALREADY_REVOKED, VALIDATION_ERROR; SignerAwayError
   */
  async revoke(kid: string, revocation: Revocation, asked: Asked, audit: AuditLog): Promise<Revoked> {
    const { signing, history, store, holder, now } = this.#deps;
    let replacement: HeldKey | null = null;
    let isAudited = false;
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const table = await signing.refresh();
        const at = now();
        signing.assertClock(at.getTime(), table);
        const entries = await history.read();
        const row = table.state.keys.find((key) => key.kid === kid);
        if (row === undefined) throw new ServiceError({ code: 'NOT_FOUND', message: 'kid: names no key of this node' });
        const signs = table.signingKeyAt(at.getTime())?.kid === kid;
        if (signs) replacement ??= await this.#replacement();
        const time = entryTime(entries, at);
        const { changes, held } = replacing(signs ? replacement : null, holder.name, time);
        changes.push(revocationOf(kid, revocation, row.revokedAt ?? time));
        const planned = planOrRefuse(entries, time, changes, held);
        const act = { act: 'keys.revoke', target: kid, details: detailsOf(revocation), ...asked };
        if (!isAudited) isAudited = await auditFirst(audit, act, true);
        if (!(await store.change(planned))) continue;
        await this.#refreshAll();
        if (!isAudited) await this.#appendAfter(audit, act);
        else if (signs && replacement !== null) {
          // The preceding entry was signed with this key: without another entry the log would end under a revoked key.
          const details = { replacedBy: replacement.kid };
          await this.#appendAfter(audit, { act: 'keys.revoked', target: kid, details, ...asked });
        }
        const { reason, compromisedSince } = revocation;
        const since = compromisedSince === undefined ? {} : { compromisedSince };
        const replacedBy = signs ? { replacedBy: replacement?.kid ?? null } : {};
        return { kid, revokedAt: row.revokedAt ?? time, reason, ...since, ...replacedBy };
      }
      throw new ServiceError({ code: 'SERVICE_UNAVAILABLE', message: 'other changes of keys were faster: retry' });
    } finally {
      if (replacement !== null) await this.#discardUnlessKept(replacement);
    }
  }

  /** After a change: the answer is sent when every process of this node knows it. */
  async #refreshAll(): Promise<void> {
    await this.#deps.signing.refresh();
    await this.#deps.refreshOthers?.();
  }

  /** Null when its holder is unavailable: a compromised key is revoked even without a replacement. */
  async #replacement(): Promise<HeldKey | null> {
    try {
      return await this.#deps.holder.create();
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'no new signing key could be made in place of the one to be revoked');
      return null;
    }
  }

  /** A completed act cannot be refused any more, so the failure is logged. */
  async #appendAfter(audit: AuditLog, act: AuditAct): Promise<void> {
    try {
      await audit.append(act);
    } catch (error) {
      const { target: kid } = act;
      this.#deps.logger.error({ err: error, kid }, 'a key was revoked, and the audit entry after it was not written');
    }
  }

  async #discardUnlessKept(key: HeldKey): Promise<void> {
    try {
      const { keys } = await this.#deps.store.read();
      if (!keys.some(({ kid }) => kid === key.kid)) await this.#deps.holder.erase(key);
    } catch (error) {
      this.#deps.logger.error({ err: error, kid: key.kid }, 'an unused signing key was left with its holder');
    }
  }
}

function assertNoRotation(table: KeyTable, time: number): void {
  const active = table.state.keys.filter(({ status }) => status === 'active');
  const pending = table.pendingAt(time);
  // Until every node has switched keys, a second rotation would only publish more keys.
  if (pending !== null || active.length > 1) throw rotationInProgress(pending);
}

function rotationInProgress(pending: { kid: string; notBefore: string } | null = null): ServiceError {
  return new ServiceError({
    code: 'KEY_ROTATION_IN_PROGRESS',
    message:
      pending === null
        ? 'a rotation is under way, and the key before is not retired yet: wait for its retiredAt in the key set'
        : 'a rotation is under way: its key is published and signs from its notBefore on',
    ...(pending !== null && { members: { pendingKid: pending.kid, notBefore: pending.notBefore } }),
  });
}

function replacing(
  key: HeldKey | null,
  holder: string,
  time: string,
): { readonly changes: KeyChange[]; readonly held: ReadonlyMap<string, Held> } {
  if (key === null) return { changes: [], held: new Map() };
  return {
    changes: [keyAdded(key, time, time), { type: 'key-activated', kid: key.kid }],
    held: new Map([[key.kid, { holder, reference: key.reference }]]),
  };
}

function revocationOf(kid: string, { reason, compromisedSince }: Revocation, revokedAt: string): KeyChange {
  return {
    type: 'key-revoked',
    kid,
    revokedAt,
    reason,
    ...(compromisedSince !== undefined && { compromisedSince }),
  };
}

function planOrRefuse(...planned: Parameters<typeof planChange>): ReturnType<typeof planChange> {
  const [history, , changes] = planned;
  try {
    return planChange(...planned);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    const revoked = changes.at(-1);
    if (revoked?.type === 'key-revoked' && wasRevoked(history, revoked.kid)) {
      throw new ServiceError({
        code: 'KEY_ALREADY_REVOKED',
        message: 'the key is revoked; again only to trust it for less time, by an earlier compromisedSince',
      });
    }
    throw validationError(['compromisedSince: must not be after the revocation']);
  }
}

function wasRevoked({ entries }: KeyHistoryEntries, kid: string): boolean {
  return entries.some(({ change }) => change.type === 'key-revoked' && change.kid === kid);
}

function detailsOf({ reason, compromisedSince }: Revocation): AuditAct['details'] {
  return { reason, ...(compromisedSince !== undefined && { compromisedSince }) };
}

/**
 * Acts are logged first. Without a usable key the act itself restores one, so it is logged afterwards.
 * @param restores whether a new key signs right after the act; otherwise no later entry could be signed either
 * @returns whether the entry was written
 * @throws SignerAwayError with the remedy, when the act restores no key
 */
async function auditFirst(audit: AuditLog, act: AuditAct, restores: boolean): Promise<boolean> {
  try {
    await audit.append(act);
    return true;
  } catch (error) {
    if (!(error instanceof SignerAwayError)) throw error;
    if (restores) return false;
    const remedy = 'Where it is lost, rotate with "immediate": true';
    throw new SignerAwayError(`${error.message}. ${remedy}`, { cause: error });
  }
}
