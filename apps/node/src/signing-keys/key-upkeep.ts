import type { Signer } from '@cer/keys';
import type { KeyChange } from '@cer/keys/key-history';
import { KeyError, publicKeyFromBase64 } from '@cer/keys';
import { replayKeyHistory } from '@cer/keys/key-history';
import { outageLog, type Logger } from '@cer/http-service/process';
import type { SigningKeyRow, SigningKeyStore } from '../store/index.js';
import { entryTime, planChange, type KeyHistoryLog } from './key-history-log.js';
import type { SigningKeyHolder } from '../signing/key-holder.js';
import { signWhenDue } from './key-set-statements.js';
import type { KeyTable } from './key-table.js';
import { LIVE_MS, type LiveSigning } from './live-signing.js';

export interface KeyUpkeepDeps {
  readonly signing: LiveSigning;
  readonly history: KeyHistoryLog;
  readonly store: SigningKeyStore;
  readonly holders: ReadonlyMap<string, SigningKeyHolder>;
  /** Removes these keys from KEYS_FILE. */
  readonly forgetInFile: (kids: ReadonlySet<string>) => void;
  /** An online root key; null when an offline root signs the published document. */
  readonly root: Signer | null;
  readonly now: () => Date;
  readonly logger: Logger;
}

const EVERY_MS = 1_000;

export interface KeyUpkeep {
  /** One run: reads the table and performs due changes. */
  turn(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/**
 * Refreshes the key table and performs scheduled changes: a key becomes active, its predecessor retires, its private
 * key is erased, a root signs the published document. Every node does it; of two concurrent changes the second finds
 * itself done.
 */
export function keyUpkeep(deps: KeyUpkeepDeps): KeyUpkeep {
  const { signing, history, store, root, now, logger } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const upkeep = outageLog(logger, {
    level: 'error',
    failed: 'the upkeep of signing keys failed; it is tried again',
    succeeded: 'the upkeep of signing keys succeeds again',
  });
  const erasure = outageLog(logger, {
    level: 'error',
    failed: 'the private key of an ended signing key could not be erased; it is tried again',
    succeeded: 'the private keys of all ended signing keys are erased',
  });
  let isRootEnded = false;

  const turn = async (): Promise<void> => {
    const table = await signing.refresh();
    if (await advance(deps, table)) await signing.refresh();
    if (root !== null && (await signWhenDue(store, await history.read(), root, now())) === 'root-ended') {
      if (!isRootEnded)
        logger.error('ROOT_KEY_FILE: its root was replaced or revoked, so another one must sign the keys');
      isRootEnded = true;
    }
    // Last and without blocking other steps: a permanently lost holder is itself a reason for revocation.
    try {
      await erase(deps, table);
      erasure.succeeded();
    } catch (error) {
      erasure.failed(error);
    }
  };
  const attempt = async (): Promise<void> => {
    try {
      await turn();
      upkeep.succeeded();
    } catch (error) {
      upkeep.failed(error);
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
  // Another change is in progress: the next run reads its result.
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

/** Active keys older than the signing key that no live node can still sign with. */
function keysLeft({ state, inOrderOfUse }: KeyTable, signs: SigningKeyRow, time: number): readonly SigningKeyRow[] {
  const place = new Map(inOrderOfUse.map(({ kid }, at) => [kid, at]));
  const oldestInUse = Math.min(
    ...state.nodes
      .filter(({ seenMs }) => seenMs > time - LIVE_MS)
      // A starting node may sign with any.
      .map(({ kid }) => (kid === null ? -1 : (place.get(kid) ?? -1))),
    place.get(signs.kid) ?? -1,
  );
  return inOrderOfUse.filter(({ status, kid }, at) => status === 'active' && kid !== signs.kid && at < oldestInUse);
}

/** The end of a key is later than all its signatures, also if the clock of its signer was slightly ahead. */
function newestSigned({ state }: KeyTable): string[] {
  return state.nodes.map(({ lastSignedAt }) => lastSignedAt).filter((at) => at !== null);
}

/**
 * Erases private keys of ended keys. Repeated until it succeeds; idempotent.
 * @throws the error of the first key that could not be erased, after trying the others
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
      logger.info({ kid }, 'the private key of a signing key was erased');
    } catch (error) {
      failures.push(error);
    }
  }
  forgetInFile(new Set(ended.map(({ kid }) => kid)));
  if (failures.length > 0) throw failures[0];
}
