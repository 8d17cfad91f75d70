import type { SeenKeyHistory } from '@cer/cer-core/logs';
import type { HistoryPin } from '../../check/pin-key-history.js';

// The root that a visitor pinned for this site's node, and the newest history accepted under it. Kept only when the
// visitor confirms a fingerprint; see docs/decisions/0015. The offline file keeps nothing.

export interface RememberedPin extends HistoryPin {
  readonly seen: SeenKeyHistory;
}

const NAME = 'cer.pin.v1';

/** Whether another tab changed the pin. */
export function isOfPin({ key }: StorageEvent): boolean {
  return key === NAME || key === null;
}

/** Null where nothing was pinned, or the browser keeps nothing. */
export function rememberedPin(): RememberedPin | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(NAME) ?? 'null');
    return isRememberedPin(value) ? value : null;
  } catch {
    return null;
  }
}

/** Keeps a pin; never an older state of the same pin over a newer one. @returns whether the browser keeps it */
export function rememberPin(pin: RememberedPin): boolean {
  const kept = rememberedPin();
  const isSame = kept?.nodeId === pin.nodeId && kept.rootFingerprint === pin.rootFingerprint;
  if (isSame && kept.seen.version > pin.seen.version) return true;
  try {
    localStorage.setItem(NAME, JSON.stringify(pin));
    return true;
  } catch {
    return false;
  }
}

/** Keeps the newest state accepted under a pin, unless the pin was forgotten or replaced since: in any tab. */
export function renewPin(pin: RememberedPin): void {
  const kept = rememberedPin();
  if (kept?.nodeId === pin.nodeId && kept.rootFingerprint === pin.rootFingerprint) rememberPin(pin);
}

export function forgetPin(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Then nothing was kept either.
  }
}

function isRememberedPin(value: unknown): value is RememberedPin {
  const seen = read(value, 'seen');
  const head = read(seen, 'historyHead');
  return (
    typeof read(value, 'nodeId') === 'string' &&
    typeof read(value, 'rootFingerprint') === 'string' &&
    Number.isSafeInteger(read(seen, 'version')) &&
    Number.isSafeInteger(read(head, 'seq')) &&
    typeof read(head, 'hash') === 'string'
  );
}

function read(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}
