import { randomUUID } from 'node:crypto';
import type { Sha256Hash } from '@cer/cer-core';
import type { Attestor } from '@cer/cer-core/attest';
import { parseKeySet, publicKeyFromBase64, type Signer } from '@cer/keys';
import type { Logger } from '@cer/http-service';
import type { SigningKeyRow, SigningKeyStore } from '../store/index.js';
import { assertClockIsNotBehind } from './clock-guard.js';
import { SignerAwayError, type SigningKeyHolder } from '../signing/key-holder.js';
import { keyTableOf, type KeyTable } from './key-table.js';
import type { PublishedKeys, Signing } from '../signing/signing.js';

export interface LiveSigningOptions {
  readonly store: SigningKeyStore;
  /** By the name that is stored with each key. */
  readonly holders: ReadonlyMap<string, SigningKeyHolder>;
  readonly nodeId: string;
  readonly nodeRuntimeHash: Sha256Hash;
  readonly maxAgeSeconds: number;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** A table older than this is read again before it is relied on. */
const STALE_MS = 15_000;
/** Half of what may pass until others take a silent process for ended, less what its clock may be off. */
const ANNOUNCE_MS = 10_000;
/** A process that was silent for so long is taken for ended: longer than STALE_MS, ANNOUNCE_MS and 5 s of clocks. */
export const LIVE_MS = 30_000;
/** A signature that was begun with a key is made by then. */
const IN_FLIGHT_MS = 5_000;
/** A table this old still counts as new: a rotation waits that much longer than the key set is kept. */
export const TABLE_LAG_MS = 2_000;

const PROBE = new TextEncoder().encode('ready');

/** A clock that is never set, in milliseconds. */
const elapsed = (): number => performance.now();

/**
 * Signs with the key that the shared table says, read again every second or so. An attestation costs no look at the
 * database, unless the table could not be read for a while.
 */
export class LiveSigning implements Signing {
  readonly instanceId = randomUUID();
  readonly #options: LiveSigningOptions;
  readonly #attestors = new Map<string, Attestor>();
  readonly #opening = new Map<string, Promise<Attestor>>();
  /** Why each key that cannot be opened could not be: it is tried every second, and the log is to be read. */
  readonly #complaints = new Map<string, string>();
  /** When each key was last handed out, by the clock that is never set. */
  readonly #lastUsed = new Map<string, number>();
  #table: { readonly table: KeyTable; readonly readAt: number } | null = null;
  #published: { readonly of: string; readonly keys: Omit<PublishedKeys, 'maxAgeSeconds'> } | null = null;
  #reading: Promise<KeyTable> | null = null;
  #newestSignedMs = 0;
  #announced: { readonly kid: string | null; readonly at: number } | null = null;

  constructor(options: LiveSigningOptions) {
    this.#options = options;
  }

  /** Makes itself known, so that no key is retired under it, and reads the table. */
  async start(): Promise<void> {
    await this.#announce(null);
    await this.refresh();
  }

  /** Reads the table now; many callers share one reading. */
  refresh(): Promise<KeyTable> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async attestorAt(time: Date): Promise<Attestor> {
    const table = this.#freshTable() ?? (await this.#readOrAway());
    const ms = time.getTime();
    assertClockIsNotBehind(ms, Math.max(table.newestMs, this.#newestSignedMs));
    const key = table.signingKeyAt(ms);
    if (key === null) throw new SignerAwayError('no key may sign at present: rotate to a new one');
    // Before anything is awaited: whoever asks which keys are in use learns of this one.
    this.#lastUsed.set(key.kid, elapsed());
    this.#newestSignedMs = Math.max(this.#newestSignedMs, ms);
    return this.#attestors.get(key.kid) ?? (await this.#opened(key));
  }

  published(): PublishedKeys {
    if (this.#table === null) throw new Error('the key table was not read yet');
    const { table, readAt } = this.#table;
    const document = this.#documentOf(table);
    // What was read a while ago may lack a key that is published by now: it must not be kept longer than that allows.
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

  /** The newest time that this process put into an attestation; null for none. */
  get newestSignedMs(): number | null {
    return this.#newestSignedMs === 0 ? null : this.#newestSignedMs;
  }

  /** Says that it signs no more. */
  async stop(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    await this.#options.store.leave(this.instanceId);
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
    // From before the reading: what it found may be as old as that.
    const readAt = elapsed();
    const table = keyTableOf(nodeId, await store.read());
    this.#table = { table, readAt };
    const active = new Map(table.state.keys.filter(({ status }) => status === 'active').map((key) => [key.kid, key]));
    for (const kid of this.#attestors.keys()) if (!active.has(kid)) this.#attestors.delete(kid);
    // Opened before their turn, so that the first attestation does not wait; whatever fails is tried again then.
    for (const key of active.values()) if (!this.#attestors.has(key.kid)) this.#opened(key).catch(() => undefined);
    await this.#announceWhenDue(table, now().getTime());
    return table;
  }

  /** A hardware module may take its time: all who need the key wait for one opening, and reading the table does not. */
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
      throw new SignerAwayError('the private half of the signing key is gone: rotate to a new one');
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

  /** A signer that failed is opened anew for the next attestation: so the node recovers by itself. */
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
    if (kid !== said || elapsed() - at >= ANNOUNCE_MS) await this.#announce(kid);
  }

  async #announce(kid: string | null): Promise<void> {
    const { store, now } = this.#options;
    const lastSignedAt = this.#newestSignedMs === 0 ? null : new Date(this.#newestSignedMs).toISOString();
    const at = elapsed();
    await store.announce({ instanceId: this.instanceId, kid, lastSignedAt, seenMs: now().getTime() });
    this.#announced = { kid, at };
  }

  /** The oldest key with which a signature may still be under way. */
  #oldestInUse(table: KeyTable): string | null {
    const since = elapsed() - IN_FLIGHT_MS;
    for (const [kid, at] of this.#lastUsed) if (at < since) this.#lastUsed.delete(kid);
    return table.state.keys.find(({ kid }) => this.#lastUsed.has(kid))?.kid ?? null;
  }
}
