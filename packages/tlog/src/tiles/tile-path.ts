import { malformed } from '../tlog-error.js';

/** Hashes of a full tile. */
export const TILE_WIDTH = 256;
const MAX_LEVEL = 63;

/** A tile of hashes at a level, or a bundle of entries. */
export interface TileName {
  readonly level: number | 'entries';
  readonly index: number;
  /** 1 to 256; below 256 the tile is partial. */
  readonly width: number;
}

/** The path below the prefix of a log, e.g. `tile/0/x001/067` or `tile/entries/000.p/44`. */
export function formatTilePath({ level, index, width }: TileName): string {
  const partial = width === TILE_WIDTH ? '' : `.p/${String(width)}`;
  return `tile/${String(level)}/${formatTileIndex(index)}${partial}`;
}

/** The index in groups of three digits, all but the last with an `x`. @see https://c2sp.org/tlog-tiles */
function formatTileIndex(index: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? [];
  return groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/');
}

/**
 * Reads the path of a tile; takes only what {@link formatTilePath} writes.
 * @throws TlogError MALFORMED for any other spelling
 */
export function parseTilePath(path: string): TileName {
  const match = /^tile\/(entries|0|[1-9][0-9]?)\/((?:x[0-9]{3}\/)*[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(path);
  const [, level = '', groups = '', width] = match ?? [];
  if (match === null) throw malformed('tile path: is not of the form tile/<level>/<index>[.p/<width>]');
  const tile = {
    level: level === 'entries' ? ('entries' as const) : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  const isInRange = tile.level === 'entries' || tile.level <= MAX_LEVEL;
  if (!isInRange || !Number.isSafeInteger(tile.index) || (width !== undefined && tile.width >= TILE_WIDTH)) {
    throw malformed('tile path: level, index or width is out of range');
  }
  if (formatTilePath(tile) !== path) throw malformed('tile path: the index must be written in its shortest form');
  return tile;
}

/**
 * The tiles that a log of this size has, levels from 0, indexes ascending; the last of a level may be partial.
 * @param size of the log
 */
export function* tilesOf(size: number): Generator<TileName & { readonly level: number }> {
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const full = Math.floor(hashes / TILE_WIDTH);
    for (let index = 0; index < full; index++) yield { level, index, width: TILE_WIDTH };
    if (hashes % TILE_WIDTH > 0) yield { level, index: full, width: hashes % TILE_WIDTH };
  }
}
