import type { KeyChange, Signer } from '@cer/keys';
import { KeyError, publicKeyFromBase64, replayKeyHistory } from '@cer/keys';
import type { Logger } from '@cer/http-service';
import type { SigningKeyRow, SigningKeyStore } from '../store/index.js';
import { entryTime, planChange, type KeyHistoryLog } from './key-history-log.js';
import type { SigningKeyHolder } from '../signing/key-holder.js';
import { signWhenDue } from './key-set-statements.js';
import { msOf, type KeyTable } from './key-table.js';
import { LIVE_MS, type LiveSigning } from './live-signing.js';

export interface KeyUpkeepDeps {
  readonly signing: LiveSigning;
  readonly history: KeyHistoryLog;
  readonly store: SigningKeyStore;
  readonly holders: ReadonlyMap<string, SigningKeyHolder>;
  /** Removes from KEYS_FILE what is there of these keys. */
  readonly forgetInFile: (kids: ReadonlySet<string>) => void;
  /** A root key that is online; null when what is published is signed elsewhere. */
  readonly root: Signer | null;
  readonly now: () => Date;
  readonly logger: Logger;
}

const EVERY_MS = 1_000;

export interface KeyUpkeep {
  /** One turn: reads the table and does what is due. */
  turn(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/**
 * Keeps the key table read, and does what time makes due: a key takes over, the one before retires, its private half is
 * erased, a root signs what is published. Every node does it; of two at once, one finds its change done already.
 */
export function keyUpkeep(deps: KeyUpkeepDeps): KeyUpkeep {
  const { signing, history, store, root, now, logger } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let failure = '';
  let notErased = '';
  let isRootEnded = false;

  const turn = async (): Promise<void> => {
    const table = await signing.refresh();
    if (await advance(deps, table)) await signing.refresh();
    if (root !== null && (await signWhenDue(store, await history.read(), root, now())) === 'root-ended') {
      if (!isRootEnded)
        logger.error('ROOT_KEY_FILE: its root was replaced or revoked, so another one must sign the keys');
      isRootEnded = true;
    }
    // Last, and in nobody's way: a holder that is gone for good is the very reason for a revocation.
    try {
      await erase(deps, table);
      notErased = '';
    } catch (error) {
      const reason = String(error);
      if (reason !== notErased) {
        logger.error({ err: error }, 'the private half of an ended signing key could not be erased; it is tried again');
      }
      notErased = reason;
    }
  };
  const attempt = async (): Promise<void> => {
    try {
      await turn();
      failure = '';
    } catch (error) {
      // Once for each reason: it is tried again every second.
      const reason = String(error);
      if (reason !== failure) logger.error({ err: error }, 'the upkeep of signing keys failed; it is tried again');
      failure = reason;
    }
  };
  const next = (): void => {
    timer = setTimeout(() => {
      running = attempt().finally(() => {
        if (timer !== undefined) next();
      });
    }, EVERY_MS);
    timer.unref();
  };
  return {
    turn,
    start: next,
    stop: async () => {
      clearTimeout(timer);
      timer = undefined;
      await running;
      await signing.stop();
      for (const holder of deps.holders.values()) await holder.close();
    },
  };
}

/** @returns whether the key set changed */
async function advance({ history, store, now, logger }: KeyUpkeepDeps, table: KeyTable): Promise<boolean> {
  const time = now().getTime();
  const signs = table.signingKeyAt(time);
  if (signs === null) return false;
  const entries = await history.read();
  // Another change is under way: the next turn sees it whole.
  if (entries.entries.length !== table.state.historySeq) return false;
  const changes: KeyChange[] = [];
  const { activeKid } = replayKeyHistory(entries.nodeId, entries.entries).keySet;
  if (activeKid !== signs.kid) changes.push({ type: 'key-activated', kid: signs.kid });
  const left = keysLeft(table, signs, time);
  const issuedAt = [entryTime(entries, now()), ...(left.length > 0 ? newestSigned(table) : [])].reduce((a, b) =>
    a > b ? a : b,
  );
  changes.push(...left.map(({ kid }): KeyChange => ({ type: 'key-retired', kid, retiredAt: issuedAt })));
  if (changes.length === 0) return false;
  try {
    if (!(await store.change(planChange(entries, issuedAt, changes, new Map())))) return false;
  } catch (error) {
    if (error instanceof KeyError) throw new Error('the key history does not allow what is due', { cause: error });
    throw error;
  }
  for (const change of changes) if ('kid' in change) logger.info({ kid: change.kid }, change.type);
  return true;
}

/** Active keys older than the one that signs which no live node can still sign with. */
function keysLeft({ state }: KeyTable, signs: SigningKeyRow, time: number): readonly SigningKeyRow[] {
  const place = new Map(state.keys.map(({ kid }, at) => [kid, at]));
  const oldestInUse = Math.min(
    ...state.nodes
      .filter(({ seenMs }) => seenMs > time - LIVE_MS)
      // One that starts may sign with any.
      .map(({ kid }) => (kid === null ? -1 : (place.get(kid) ?? -1))),
    place.get(signs.kid) ?? -1,
  );
  return state.keys.filter(
    (key, at) =>
      key.status === 'active' &&
      key.kid !== signs.kid &&
      msOf(key.notBefore) <= msOf(signs.notBefore) &&
      at < oldestInUse,
  );
}

/** A key's life ends with no signature after it, also when the clock of its signer was a little ahead. */
function newestSigned({ state }: KeyTable): string[] {
  return state.nodes.map(({ lastSignedAt }) => lastSignedAt).filter((at) => at !== null);
}

/**
 * The private halves of keys that sign no more. Repeated until it succeeds, and harmless when it is done already.
 * @throws what was in the way of the first that could not be erased, after all others are
 */
async function erase({ store, holders, forgetInFile, logger }: KeyUpkeepDeps, table: KeyTable): Promise<void> {
  const ended = table.state.keys.filter(({ status }) => status !== 'active');
  const failures: unknown[] = [];
  for (const { kid, publicKey, holder: name, reference } of ended) {
    const holder = holders.get(name);
    if (reference === null || holder === undefined) continue;
    try {
      await holder.erase({ kid, publicKey: publicKeyFromBase64(publicKey), reference });
      await store.eraseReference(kid);
      logger.info({ kid }, 'the private half of a signing key was erased');
    } catch (error) {
      failures.push(error);
    }
  }
  forgetInFile(new Set(ended.map(({ kid }) => kid)));
  if (failures.length > 0) throw failures[0];
}
