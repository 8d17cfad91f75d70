/** C2SP tlog-tiles: paths, entry bundles and trees over tiles. */
export { decodeEntryBundle, encodeEntryBundle } from './tiles/entry-bundle.js';
export { formatTilePath, parseTilePath, TILE_WIDTH, tilesOf, type TileName } from './tiles/tile-path.js';
export { openTileTree, tilesMatch, type ReadTile, type TileTree } from './tiles/tile-tree.js';
