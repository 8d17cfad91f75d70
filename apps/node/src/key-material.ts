import { existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { createKeyFile, openKeyFile, type OpenedKeyFile } from '@cer/keys/file-signer';
import {
  createCommitmentSecrets,
  openCommitmentSecrets,
  type CommitmentSecrets,
} from './certify/commitment-secrets.js';
import type { NodeConfig } from './config.js';
import { StartupError } from './startup-error.js';
import type { Store } from './store/index.js';

/** What only this node may read: its signing key and its commitment secrets. */
export interface KeyMaterial {
  readonly keyFile: OpenedKeyFile;
  readonly secrets: CommitmentSecrets;
}

type KeyConfig = Pick<NodeConfig, 'databaseUrl' | 'nodeId' | 'keysFile' | 'commitmentSecretFile'>;

/** Makes whichever of the two files is not there yet. @returns the files made */
export function createKeyMaterial({ nodeId, keysFile, commitmentSecretFile }: KeyConfig, now: Date): string[] {
  const made: string[] = [];
  for (const file of [keysFile, commitmentSecretFile]) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(keysFile)) {
    createKeyFile(keysFile, { nodeId: nodeId ?? `node-${hostname().slice(0, 64)}`, now });
    made.push(keysFile);
  }
  if (!existsSync(commitmentSecretFile)) {
    createCommitmentSecrets(commitmentSecretFile);
    made.push(commitmentSecretFile);
  }
  return made;
}

/**
 * Opens both files. A node on SQLite with an empty store makes them; a node that shares a database must be given them,
 * or each of several would sign with a key of its own.
 * @throws StartupError, KeyError, CommitmentSecretsError with what to do
 */
export async function openKeyMaterial(config: KeyConfig, store: Store, now: Date): Promise<KeyMaterial> {
  const missing = [config.keysFile, config.commitmentSecretFile].filter((file) => !existsSync(file));
  if (missing.length > 0) {
    const isFirstStart =
      config.databaseUrl.startsWith('sqlite:') && missing.length === 2 && !(await store.hasRecords());
    if (!isFirstStart) {
      throw new StartupError(
        `${missing.join(' and ')}: not found. Restore it, or, for a new node only, run \`node apps/node/dist/main.js init\`.`,
      );
    }
    createKeyMaterial(config, now);
  }
  const keyFile = openKeyFile(config.keysFile);
  if (config.nodeId !== undefined && config.nodeId !== keyFile.nodeId) {
    throw new StartupError(
      'NODE_ID: differs from the nodeId in KEYS_FILE; certificates name the node, so it cannot change',
    );
  }
  const secrets = openCommitmentSecrets(config.commitmentSecretFile);
  const lost = (await store.referencedCommitmentSecretIds()).filter((id) => !secrets.has(id));
  if (lost.length > 0) {
    throw new StartupError(
      `COMMITMENT_SECRET_FILE: lacks ${lost.join(', ')}, which stored executions were sealed under. Put it back.`,
    );
  }
  return { keyFile, secrets };
}
