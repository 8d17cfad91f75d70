import type { RequestListener } from 'node:http';
import { originHashOf } from '@cer/tlog/note';
import { parseTilePath } from '@cer/tlog/tiles';
import type { TestLog } from '@cer/tlog/testing';

/** A log and the checkpoint that it shows. */
export interface ServedLog {
  readonly log: TestLog;
  /** Below the address, e.g. `/log`. */
  readonly prefix: string;
  readonly checkpoint: () => Promise<string>;
  /** Another answer for some paths below the prefix. */
  readonly instead?: (path: string) => Uint8Array | null;
}

/** Serves logs as a node does. */
export function serveLogs(logs: () => readonly ServedLog[]): RequestListener {
  return (request, response) => {
    const path = request.url ?? '';
    // The longest prefix first: an epochs log is below the receipts log.
    const found = [...logs()]
      .sort((one, other) => other.prefix.length - one.prefix.length)
      .find(({ prefix }) => path.startsWith(`${prefix}/`));
    void answer(found, path).then((body) => {
      response.statusCode = body === null ? 404 : 200;
      response.end(body ?? '');
    });
  };
}

async function answer(served: ServedLog | undefined, path: string): Promise<Uint8Array | string | null> {
  if (served === undefined) return null;
  const below = path.slice(served.prefix.length + 1);
  if (below === 'checkpoint') return served.checkpoint();
  if (!below.startsWith('tile/')) return null;
  return served.instead?.(below) ?? served.log.tile(parseTilePath(below));
}

/** Serves what a witness saw of one log, and what it keeps as proof of a split view. */
export function serveWitnessed(
  origin: string,
  seen: () => { readonly note: Promise<string>; readonly evidence?: readonly object[] },
): RequestListener {
  return (request, response) => {
    const { note, evidence = [] } = seen();
    if (request.url === `/evidence/${originHashOf(origin)}`) response.end(JSON.stringify({ origin, evidence }));
    else if (request.url === `/${originHashOf(origin)}/checkpoint`) void note.then((text) => response.end(text));
    else response.writeHead(404).end();
  };
}
