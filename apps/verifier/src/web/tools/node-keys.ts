import type { KeySource } from '../../check/check-result.js';
import { KEY_SET_PATH } from '../../check/key-set-path.js';

/** Keys that count, with where they came from. */
export interface PinnedKeys {
  readonly text: string;
  readonly source: KeySource;
}

/** The key set of this site's node; null where it cannot be had. */
export async function nodeKeys(nodeUrl: string): Promise<PinnedKeys | null> {
  const where = `${nodeUrl}${KEY_SET_PATH}`;
  try {
    const response = await fetch(where, { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' });
    return response.ok
      ? { text: await response.text(), source: { kind: 'node', where, at: new Date().toISOString() } }
      : null;
  } catch {
    return null;
  }
}
