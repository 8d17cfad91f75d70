export * from './fixtures.js';
export * from './key-history.js';
export * from './pictures.js';
