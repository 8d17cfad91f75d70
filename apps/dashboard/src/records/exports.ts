import { randomUUID } from 'node:crypto';
import type { RecordCount } from './node-records.js';

/** Maximum age of a finished export, in ms, and maximum number of exports. */
const KEPT_MS = 60 * 60_000;
const MAX_KEPT = 1_000;

/** An export as its progress page shows it. */
export interface ExportState {
  readonly state: 'announced' | 'running' | 'done' | 'broken off';
  readonly bytes: number;
  /** How many records it has; null: not known. */
  readonly count: RecordCount | null;
  /** ISO 8601; null before the download began. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** The exports that this process sends, in its memory. */
export interface Exports {
  /** @returns the id of an export that is going to be downloaded */
  announce(tenantId: string, count: RecordCount | null): string;
  /** Passes a package on and follows it. */
  follow(tenantId: string, id: string, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** @returns null for an unknown one, or one of another account */
  find(tenantId: string, id: string): ExportState | null;
}

export function createExports(now: () => Date): Exports {
  const kept = new Map<string, { readonly tenantId: string; readonly sinceMs: number; shown: ExportState }>();
  const forget = (): void => {
    const oldestMs = now().getTime() - KEPT_MS;
    for (const [id, { sinceMs, shown }] of kept) {
      if (kept.size < MAX_KEPT && (sinceMs > oldestMs || shown.state === 'running')) break;
      kept.delete(id);
    }
  };
  const own = (tenantId: string, id: string) => {
    const found = kept.get(id);
    return found?.tenantId === tenantId ? found : null;
  };
  return {
    announce: (tenantId, count) => {
      forget();
      const id = randomUUID();
      const shown: ExportState = { state: 'announced', bytes: 0, count, startedAt: null, endedAt: null };
      kept.set(id, { tenantId, sinceMs: now().getTime(), shown });
      return id;
    },
    find: (tenantId, id) => own(tenantId, id)?.shown ?? null,
    follow: (tenantId, id, body) => {
      const entry = own(tenantId, id);
      if (entry === null) return body;
      entry.shown = { ...entry.shown, state: 'running', bytes: 0, endedAt: null, startedAt: now().toISOString() };
      const ended = (state: 'done' | 'broken off'): void => {
        if (entry.shown.state === 'running') entry.shown = { ...entry.shown, state, endedAt: now().toISOString() };
      };
      return followed(
        body,
        (bytes) => {
          entry.shown = { ...entry.shown, bytes: entry.shown.bytes + bytes };
        },
        ended,
      );
    },
  };
}

/** A reader that stops early ends it. */
async function* followed(
  body: AsyncIterable<Uint8Array>,
  passed: (bytes: number) => void,
  ended: (state: 'done' | 'broken off') => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of body) {
      passed(part.length);
      yield part;
    }
    ended('done');
  } finally {
    ended('broken off');
  }
}
