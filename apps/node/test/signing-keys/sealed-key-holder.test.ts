import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';
import { createKeyVault, openKeyVault } from '@cer/keys/file-signer';

import { sealedKeyHolder } from '../../src/signing-keys/sealed-key-holder.js';
import { keyHolderContract } from './key-holder.contract.js';

const folder = mkdtempSync(join(tmpdir(), 'cer-sealed-'));
const vaultIn = (name: string): ReturnType<typeof openKeyVault> => {
  const path = join(folder, name);
  try {
    return openKeyVault(path);
  } catch {
    return createKeyVault(path, { nodeId: 'node-test', now: new Date(), withKey: false });
  }
};

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('keys sealed in the database', () => {
  keyHolderContract(() => sealedKeyHolder(vaultIn('keys.json')));

  it('cannot be opened with another KEYS_FILE', async () => {
    const key = await sealedKeyHolder(vaultIn('keys.json')).create();
    const opened = sealedKeyHolder(vaultIn('other.json')).open(key);
    await expect(opened).rejects.toThrow(/^KEYS_FILE does not open the signing key/);
    await expect(opened).rejects.not.toThrow(folder);
  });
});
