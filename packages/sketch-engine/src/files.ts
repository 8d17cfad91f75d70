// The files of the engine, read from the disk; for Node.js only.
export {
  assertInstalledParts,
  EngineNotFound,
  findEngine,
  readInstalledEngine,
  readSkia,
} from './files/find-engine.js';
export { readPngModule } from './files/png-module.js';
export { FONT_FAMILIES, FONT_SUBSETS, readFontFile } from './files/fonts.js';
export { type PackedEngine } from './files/pack-engine.js';
export { readScript } from './files/scripts.js';
export { withOwnGlobals, WORLD_BUILD } from './files/world-build.js';
export { readSdkVersion } from './files/sdk-version.js';
