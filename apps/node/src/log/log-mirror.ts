import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EPOCHS_SUFFIX } from '@cer/tlog/epoch';
import { formatTilePath, type TileName } from '@cer/tlog/tiles';
import type { LogRole } from '../store/index.js';

/** A copy of one log: a checkpoint and everything below it. */
export interface LogMirror {
  checkpoint(): Promise<string>;
  /** A tile of hashes or a bundle of entries, of at least the width that was asked for. */
  tile(name: TileName): Promise<Uint8Array>;
}

const TIMEOUT_MS = 30_000;

/**
 * The copy that `cer log mirror` made, in its folder or below the address that serves it.
 * @param from a folder, or an address with http: or https:
 */
export function mirrorAt(from: string, role: LogRole): LogMirror {
  const prefix = role === 'receipts' ? 'log' : `log${EPOCHS_SUFFIX}`;
  const read = /^https?:/.test(from)
    ? (path: string) => fetched(`${from.replace(/\/+$/, '')}/${prefix}/${path}`)
    : (path: string) => readFile(join(from, prefix, path));
  return {
    checkpoint: async () => new TextDecoder().decode(await read('checkpoint')),
    tile: async (name) => new Uint8Array(await read(formatTilePath(name))),
  };
}

async function fetched(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`answers ${String(response.status)}`);
  return new Uint8Array(await response.arrayBuffer());
}
