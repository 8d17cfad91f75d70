import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Platform } from './platform.js';

export const platform: Platform = {
  sha256: () => {
    const hash = sha256.create();
    return {
      update: (bytes) => {
        hash.update(bytes);
      },
      hex: () => bytesToHex(hash.digest()),
    };
  },
  sha256Of: (bytes) => bytesToHex(sha256(bytes)),
  createScope: () => null,
  environment: {},
  spoolDir: null,
  openFileSpool: null,
  turn: () => new Promise((resolve) => setTimeout(resolve)),
  unref: () => undefined,
};
