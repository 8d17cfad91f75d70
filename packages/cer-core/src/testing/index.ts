export * from './fixtures.js';
export * from './key-history.js';
export { certifiedPicture, greyPng } from './pictures.js';
