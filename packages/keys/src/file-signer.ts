export { addWrappingKey, createKeyVault, KeyVault, openKeyVault, removeKeys, type SealedKey } from './key-vault.js';
export { createRootFile, openRootFile } from './root-file.js';
export { createSingleKeyFile, openSingleKeyFile } from './single-key-file.js';
