import { randomUUID } from 'node:crypto';
import { endingWith } from '@cer/http-service';
import type { RecordCount } from './node-records.js';

/** Maximum age of a finished export, in ms, and maximum number of exports. */
const KEPT_MS = 60 * 60_000;
const MAX_KEPT = 1_000;
/** Of one account, so that it does not replace those of others. */
const MAX_KEPT_OF_ACCOUNT = 100;

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

interface Kept {
  readonly tenantId: string;
  readonly sinceMs: number;
  shown: ExportState;
}

/** The exports that this process sends, in its memory. */
export interface Exports {
  /** @returns the id of an export that is going to be downloaded */
  announce(tenantId: string, count: RecordCount | null): string;
  /**
   * Passes a package on and follows it. A reader that stops early ends it at the node.
   * @param begin awaited before the first part, so never for a package that is not read
   */
  follow(tenantId: string, id: string, answer: Response, begin: () => Promise<void>): AsyncIterable<Uint8Array>;
  /** @returns null for an unknown one, or one of another account */
  find(tenantId: string, id: string): ExportState | null;
}

export function createExports(now: () => Date): Exports {
  const kept = new Map<string, Kept>();
  const forget = (tenantId: string): void => {
    const own = [...kept].filter(([, entry]) => entry.tenantId === tenantId);
    // With the new one.
    for (const [id] of own.slice(0, Math.max(0, own.length + 1 - MAX_KEPT_OF_ACCOUNT))) kept.delete(id);
    const oldestMs = now().getTime() - KEPT_MS;
    for (const [id, { sinceMs, shown }] of kept) {
      const endedMs = shown.endedAt === null ? sinceMs : Date.parse(shown.endedAt);
      const isKept = endedMs > oldestMs || shown.state === 'running';
      if (!isKept || kept.size >= MAX_KEPT) kept.delete(id);
    }
  };
  const own = (tenantId: string, id: string): Kept | null => {
    const found = kept.get(id);
    return found?.tenantId === tenantId ? found : null;
  };
  async function* passedOn(
    entry: Kept | null,
    body: AsyncIterable<Uint8Array> | null,
    begin: () => Promise<void>,
  ): AsyncGenerator<Uint8Array> {
    const show = (change: Partial<ExportState>): void => {
      if (entry !== null) entry.shown = { ...entry.shown, ...change };
    };
    await begin();
    let bytes = 0;
    let state: ExportState['state'] = 'broken off';
    show({ state: 'running', bytes, endedAt: null, startedAt: now().toISOString() });
    try {
      for await (const part of body ?? []) {
        bytes += part.length;
        show({ bytes });
        yield part;
      }
      state = 'done';
    } finally {
      show({ state, endedAt: now().toISOString() });
    }
  }
  return {
    announce: (tenantId, count) => {
      forget(tenantId);
      const id = randomUUID();
      const shown: ExportState = { state: 'announced', bytes: 0, count, startedAt: null, endedAt: null };
      kept.set(id, { tenantId, sinceMs: now().getTime(), shown });
      return id;
    },
    find: (tenantId, id) => own(tenantId, id)?.shown ?? null,
    follow: (tenantId, id, { body }, begin) =>
      endingWith(passedOn(own(tenantId, id), body, begin), async () => {
        // One that ended by a failure rejects here too; its reader got the error.
        await body?.cancel().catch(() => undefined);
      }),
  };
}
