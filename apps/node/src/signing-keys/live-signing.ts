import { randomUUID } from 'node:crypto';
import type { Sha256Hash } from '@cer/cer-core';
import type { Attestor } from '@cer/cer-core/attest';
import { parseKeySet, publicKeyFromBase64, type Signer } from '@cer/keys';
import type { Logger } from '@cer/http-service/process';
import type { SigningKeyRow, SigningKeyStore } from '../store/index.js';
import { assertClockIsNotAhead, assertClockIsNotBehind, isAhead } from './clock-guard.js';
import { SignerAwayError, type SigningKeyHolder } from '../signing/key-holder.js';
import { keyTableOf, type KeyTable } from './key-table.js';
import type { PublishedKeys, Signing } from '../signing/signing.js';

export interface LiveSigningOptions {
  readonly store: SigningKeyStore;
  /** By the name stored with each key. */
  readonly holders: ReadonlyMap<string, SigningKeyHolder>;
  readonly nodeId: string;
  readonly nodeRuntimeHash: Sha256Hash;
  readonly maxAgeSeconds: number;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Maximum age of the table before it is read again. */
const STALE_MS = 15_000;
/** Half the time after which other nodes treat a silent process as ended, less the maximum clock difference. */
const ANNOUNCE_MS = 10_000;
/**
 * A process silent for this long is treated as ended: longer than STALE_MS, ANNOUNCE_MS and 5 s of clock difference.
 */
export const LIVE_MS = 30_000;
/** Maximum duration of a signature. */
const IN_FLIGHT_MS = 5_000;
/** A table of this age counts as current: a rotation waits this much longer than key sets are cached. */
export const TABLE_LAG_MS = 2_000;

const PROBE = new TextEncoder().encode('ready');

/** A monotonic clock, in milliseconds. */
const elapsed = (): number => performance.now();

/**
 * Signs with the key given by the shared table, which is refreshed about every second. An attestation does not query
 * the database unless the table is outdated.
 */
export class LiveSigning implements Signing {
  readonly instanceId = randomUUID();
  readonly #options: LiveSigningOptions;
  readonly #attestors = new Map<string, Attestor>();
  readonly #opening = new Map<string, Promise<Attestor>>();
  /** Last reason why each key could not be opened: retried every second, but logged once per reason. */
  readonly #complaints = new Map<string, string>();
  /** Time of each key's last use, by the monotonic clock. */
  readonly #lastUsed = new Map<string, number>();
  #table: { readonly table: KeyTable; readonly readAt: number } | null = null;
  #published: { readonly of: string; readonly keys: Omit<PublishedKeys, 'maxAgeSeconds'> } | null = null;
  #reading: Promise<KeyTable> | null = null;
  #newestSignedMs = 0;
  #announced: { readonly kid: string | null; readonly at: number } | null = null;

  constructor(options: LiveSigningOptions) {
    this.#options = options;
  }

  /** Registers this process, so that its key is not retired, and reads the table. */
  async start(): Promise<void> {
    await this.#announce(null);
    await this.refresh();
  }

  /** Reads the table now; concurrent callers share one read. */
  refresh(): Promise<KeyTable> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async attestorAt(time: Date): Promise<Attestor> {
    const ms = time.getTime();
    const known = this.#freshTable();
    // A process that was suspended compares with an old table: it is read again before anything is refused.
    const table =
      known === null || isAhead({ time: ms, databaseMs: this.#databaseMs() }) ? await this.#readOrAway() : known;
    this.assertClock(ms, table, this.#newestSignedMs);
    const key = table.signingKeyAt(ms);
    if (key === null) throw new SignerAwayError('no key may sign at present: rotate to a new one');
    // Before the first await, so that concurrent queries for used keys include this one.
    this.#lastUsed.set(key.kid, elapsed());
    this.#newestSignedMs = Math.max(this.#newestSignedMs, ms);
    return this.#attestors.get(key.kid) ?? (await this.#opened(key));
  }

  /** @throws SignerAwayError when this time is too far from those of the database and the other nodes */
  assertClock(time: number, table: KeyTable, newestSignedMs = 0): void {
    assertClockIsNotBehind(time, Math.max(table.newestMs, newestSignedMs));
    const { instanceId } = this;
    assertClockIsNotAhead({ time, databaseMs: this.#databaseMs(), instanceId, liveMs: LIVE_MS }, table.state);
  }

  published(): PublishedKeys {
    if (this.#table === null) throw new Error('the key table was not read yet');
    const { table, readAt } = this.#table;
    const document = this.#documentOf(table);
    // An older table may lack a newly published key, which shortens the time for which it may be cached.
    const overdue = Math.ceil(Math.max(0, elapsed() - readAt - TABLE_LAG_MS) / 1000);
    return { ...document, maxAgeSeconds: Math.max(0, this.#options.maxAgeSeconds - overdue) };
  }

  async prove(time: Date): Promise<void> {
    const { signer } = await this.attestorAt(time);
    try {
      await signer.sign(PROBE);
    } catch (cause) {
      throw cause instanceof SignerAwayError ? cause : new SignerAwayError('does not sign', { cause });
    }
  }

  /** The newest time in this process's attestations; null without one. */
  get newestSignedMs(): number | null {
    return this.#newestSignedMs === 0 ? null : this.#newestSignedMs;
  }

  /** Unregisters this process. */
  async stop(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    await this.#options.store.leave(this.instanceId);
  }

  /** The database's clock now: as it was read, and the time since then. */
  #databaseMs(): number {
    return this.#table === null ? Infinity : this.#table.table.state.databaseMs + elapsed() - this.#table.readAt;
  }

  #freshTable(): KeyTable | null {
    return this.#table !== null && elapsed() - this.#table.readAt < STALE_MS ? this.#table.table : null;
  }

  async #readOrAway(): Promise<KeyTable> {
    try {
      return await this.refresh();
    } catch (cause) {
      throw new SignerAwayError('the key table cannot be read', { cause });
    }
  }

  async #read(): Promise<KeyTable> {
    const { store, nodeId, now } = this.#options;
    // The time before the read, because the result may be that old.
    const readAt = elapsed();
    const table = keyTableOf(nodeId, await store.read());
    this.#table = { table, readAt };
    const active = new Map(table.state.keys.filter(({ status }) => status === 'active').map((key) => [key.kid, key]));
    for (const kid of this.#attestors.keys()) if (!active.has(kid)) this.#attestors.delete(kid);
    // Opened in advance, so that the first attestation does not wait; failures are retried then.
    for (const key of active.values()) if (!this.#attestors.has(key.kid)) this.#opened(key).catch(() => undefined);
    await this.#announceWhenDue(table, now().getTime());
    return table;
  }

  /** Hardware modules may be slow: all callers wait for one open call, and reading the table does not wait for it. */
  #opened(key: SigningKeyRow): Promise<Attestor> {
    const under = this.#opening.get(key.kid);
    if (under !== undefined) return under;
    const opening = this.#open(key).finally(() => this.#opening.delete(key.kid));
    this.#opening.set(key.kid, opening);
    return opening;
  }

  async #open(key: SigningKeyRow): Promise<Attestor> {
    const { holders, nodeId, nodeRuntimeHash } = this.#options;
    const { kid, reference } = key;
    const holder = holders.get(key.holder);
    if (holder === undefined) throw new SignerAwayError('the holder of the signing key is not configured: see SIGNER');
    if (reference === null)
      throw new SignerAwayError('the private key of the signing key is gone: rotate to a new one');
    let signer: Signer;
    try {
      signer = await holder.open({ kid, publicKey: publicKeyFromBase64(key.publicKey), reference });
    } catch (error) {
      const away = error instanceof SignerAwayError ? error : new SignerAwayError('cannot be opened', { cause: error });
      const reason = away.message;
      if (this.#complaints.get(kid) !== reason) {
        this.#complaints.set(kid, reason);
        this.#options.logger.error({ err: error, kid, reason }, 'the signing key cannot be opened; see /ready');
      }
      throw away;
    }
    this.#complaints.delete(kid);
    const attestor = { signer: this.#watched(signer), nodeId, nodeRuntimeHash };
    this.#attestors.set(kid, attestor);
    return attestor;
  }

  /** A failed signer is reopened for the next attestation, so that the node recovers automatically. */
  #watched(signer: Signer): Signer {
    const { kid, publicKey } = signer;
    return {
      kid,
      publicKey,
      sign: async (message) => {
        try {
          return await signer.sign(message);
        } catch (error) {
          this.#attestors.delete(kid);
          throw error;
        }
      },
    };
  }

  #documentOf(table: KeyTable): Omit<PublishedKeys, 'maxAgeSeconds'> {
    const time = this.#options.now().getTime();
    const of = `${table.state.historySeq} ${table.signingKeyAt(time)?.kid ?? ''}`;
    if (this.#published?.of !== of) {
      const document = table.documentAt(time);
      this.#published = { of, keys: { document, keySet: parseKeySet(document) } };
    }
    return this.#published.keys;
  }

  async #announceWhenDue(table: KeyTable, time: number): Promise<void> {
    const kid = this.#oldestInUse(table) ?? table.signingKeyAt(time)?.kid ?? null;
    const { kid: said, at } = this.#announced ?? { kid: null, at: 0 };
    // Other nodes that are ahead of the database ask whether this one is so as well.
    const isDue = elapsed() - at >= ANNOUNCE_MS || isAhead({ time, databaseMs: this.#databaseMs() });
    if (kid !== said || isDue) await this.#announce(kid);
  }

  async #announce(kid: string | null): Promise<void> {
    const { store, now } = this.#options;
    const lastSignedAt = this.#newestSignedMs === 0 ? null : new Date(this.#newestSignedMs).toISOString();
    const at = elapsed();
    await store.announce({ instanceId: this.instanceId, kid, lastSignedAt, seenMs: now().getTime() });
    this.#announced = { kid, at };
  }

  /** The oldest key with a possibly pending signature. */
  #oldestInUse(table: KeyTable): string | null {
    const since = elapsed() - IN_FLIGHT_MS;
    for (const [kid, at] of this.#lastUsed) if (at < since) this.#lastUsed.delete(kid);
    return table.inOrderOfUse.find(({ kid }) => this.#lastUsed.has(kid))?.kid ?? null;
  }
}
