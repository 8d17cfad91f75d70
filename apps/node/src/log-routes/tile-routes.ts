import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { pathParam, ServiceError, type ServiceRequest, type ServiceResponse } from '@cer/http-service';
import { TlogError } from '@cer/tlog';
import { encodeEntryBundle, parseTilePath, TILE_WIDTH, type TileName } from '@cer/tlog/tiles';
import type { Gate } from '../auth/authenticate.js';
import { entriesOf, tilesFrom } from '../log/log-tree.js';
import type { NodeLog } from '../log/node-log.js';
import { treeIdOf } from '../log/opened-log.js';
import { COUNTED, type DescribedRoute } from '../openapi/route-description.js';
import type { LogRow, Store } from '../store/index.js';

export interface TileRouteDeps {
  readonly store: Pick<Store, 'log' | 'logEpochs' | 'logNotes'>;
  /** Null without a log: every path is 404. */
  readonly log: NodeLog | null;
  readonly gate: Pick<Gate, 'admitPublic'>;
}

const IMMUTABLE = 'public, max-age=31536000, immutable';
const MAX_LEVEL = 6;
const packed = promisify(gzip);

/** The log as C2SP clients read it. @see docs/spec.md, "GET /log/checkpoint" */
export function tileRoutes(deps: TileRouteDeps): DescribedRoute[] {
  return (['receipts', 'epochs'] as const).flatMap((role) => logRoutes(deps, role));
}

function logRoutes({ store, log, gate }: TileRouteDeps, role: 'receipts' | 'epochs'): DescribedRoute[] {
  const prefix = role === 'receipts' ? '/log' : '/log/epochs';
  const title = role === 'receipts' ? 'receipts log' : 'epochs log';
  const rowOf = (): LogRow => {
    if (log === null) throw notFound();
    return log[role];
  };
  return [
    {
      method: 'GET',
      path: `${prefix}/checkpoint`,
      description: {
        group: 'Transparency log',
        summary: `The newest checkpoint of the ${title}`,
        access: 'public',
        success: { 200: { description: 'A signed note with its cosignatures.', mediaTypes: ['text/plain'] } },
        errors: ['NOT_FOUND', ...COUNTED],
      },
      admit: gate.admitPublic,
      cors: 'public',
      handler: async () => {
        const published = await store.logNotes.newestPublished(rowOf().logId);
        if (published === null) throw notFound();
        const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'max-age=1' };
        return { status: 200, headers, body: published.fresh };
      },
    },
    {
      method: 'GET',
      path: `${prefix}/tile/:path+`,
      description: {
        group: 'Transparency log',
        summary: `A tile of hashes of the ${title}, or a bundle of its entries`,
        access: 'public',
        success: {
          200: {
            description: 'Hashes of 32 bytes, or entries each after its length.',
            mediaTypes: ['application/octet-stream'],
          },
        },
        errors: ['NOT_FOUND', ...COUNTED],
      },
      admit: gate.admitPublic,
      cors: 'public',
      handler: async (request) => {
        const row = rowOf();
        const tile = tileNamed(pathParam(request, 'path'));
        const size = (await store.logNotes.newestPublished(row.logId))?.size ?? 0;
        if (widthAt(tile, size) < tile.width) throw notFound();
        return await tileAnswer(store, row, tile, request);
      },
    },
  ];
}

/** The width that a tile has in a log of this size; 0 where there is none. */
function widthAt({ level, index }: TileName, size: number): number {
  const hashes = level === 'entries' ? size : Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

async function tileAnswer(
  store: TileRouteDeps['store'],
  row: LogRow,
  { level, index, width }: TileName,
  { headers: asked }: ServiceRequest,
): Promise<ServiceResponse> {
  const headers = { 'content-type': 'application/octet-stream', 'cache-control': IMMUTABLE };
  const readEntries = entriesOf(store, row);
  if (level !== 'entries') {
    const tile = await tilesFrom(store.log, treeIdOf(row), readEntries)({ level, index, width });
    return { status: 200, headers, body: tile };
  }
  const start = index * TILE_WIDTH;
  const bundle = encodeEntryBundle(await readEntries(start, start + width));
  if (!/(^|[\s,])gzip\s*(,|;\s*q=(?!0(\.0*)?\s*(,|$))|$)/.test(asked['accept-encoding'] ?? '')) {
    return { status: 200, headers: { ...headers, vary: 'accept-encoding' }, body: bundle };
  }
  const body = new Uint8Array(await packed(bundle));
  return { status: 200, headers: { ...headers, vary: 'accept-encoding', 'content-encoding': 'gzip' }, body };
}

/** Only the spelling of C2SP is a tile. */
function tileNamed(path: string): TileName {
  try {
    const tile = parseTilePath(`tile/${path}`);
    if (tile.level === 'entries' || tile.level <= MAX_LEVEL) return tile;
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
  }
  throw notFound();
}

function notFound(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', headers: { 'cache-control': 'no-store' } });
}
