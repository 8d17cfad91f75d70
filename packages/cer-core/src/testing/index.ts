export * from './fixtures.js';
export * from './key-history.js';
export { certifiedPicture, greyPng, sealedRender } from './pictures.js';
export { pngChunk } from '../picture/png-chunks.js';
