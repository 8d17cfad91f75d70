import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Platform } from './platform.js';

/** Browsers delay nested timers by 4 ms each, and those of hidden pages by a second: a batch takes a hundred turns. */
function inNextMessage(done: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    // An open port keeps some runtimes from ending.
    port1.close();
    done();
  });
  port1.start();
  port2.postMessage(null);
}

function inNextTimer(done: () => void): void {
  setTimeout(done);
}

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
  turn: () => new Promise(Reflect.has(globalThis, 'MessageChannel') ? inNextMessage : inNextTimer),
  unref: () => undefined,
  warn: (message) => {
    // oxlint-disable-next-line no-console -- the only place for a warning where there is no process
    console.warn(`CerWarning: ${message}`);
  },
};
