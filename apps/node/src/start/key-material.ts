import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { keyHistoryHead } from '@cer/cer-core/logs';
import { addWrappingKey, createKeyVault, openKeyVault, type KeyVault } from '@cer/keys/file-signer';
import { makeFolderOf } from '@cer/keys/private-file';
import {
  createCommitmentSecrets,
  openCommitmentSecrets,
  type CommitmentSecrets,
} from '../certify/commitment-secrets.js';
import type { NodeConfig } from './config.js';
import { StartupError } from '../errors/startup-error.js';
import { KeyHistoryLog } from '../signing-keys/key-history-log.js';
import { LIVE_MS } from '../signing-keys/live-signing.js';
import type { Store } from '../store/index.js';

/** The node's secret files: the wrapping key of its signing keys, and its commitment secrets. */
export interface KeyMaterial {
  readonly vault: KeyVault;
  readonly secrets: CommitmentSecrets;
}

type KeyConfig = Pick<NodeConfig, 'databaseUrl' | 'nodeId' | 'keysFile' | 'commitmentSecretFile'> &
  Partial<Pick<NodeConfig, 'signer'>>;

/** Creates the missing ones of the two files. @returns the created files */
export function createKeyMaterial(config: KeyConfig, now: Date): string[] {
  const { nodeId, keysFile, commitmentSecretFile, signer } = config;
  const made: string[] = [];
  [keysFile, commitmentSecretFile].forEach(makeFolderOf);
  if (!existsSync(keysFile)) {
    // With a hardware token the file only names the node.
    const withKey = signer !== 'pkcs11';
    createKeyVault(keysFile, { nodeId: nodeId ?? `node-${hostname().slice(0, 64)}`, now, withKey });
    made.push(keysFile);
  }
  if (!existsSync(commitmentSecretFile)) {
    createCommitmentSecrets(commitmentSecretFile);
    made.push(commitmentSecretFile);
  }
  return made;
}

/**
 * Opens both files. A node on SQLite with an empty store creates them; nodes that share a database must be given them,
 * otherwise each would sign with its own key.
 * @throws StartupError, KeyError, CommitmentSecretsError with the remedy
 */
export async function openKeyMaterial(config: KeyConfig, store: Store, now: Date): Promise<KeyMaterial> {
  const missing = [config.keysFile, config.commitmentSecretFile].filter((file) => !existsSync(file));
  if (missing.length > 0) {
    const isFirstStart =
      config.databaseUrl.startsWith('sqlite:') && missing.length === 2 && !(await store.hasRecords());
    if (!isFirstStart) {
      throw new StartupError(
        `${missing.join(' and ')}: not found. Restore it, or, for a new node only, run \`node apps/node/dist/main.js init\`. When it is lost, see docs/backup.md.`,
      );
    }
    createKeyMaterial(config, now);
  }
  const vault = openVault(config);
  if (config.nodeId !== undefined && config.nodeId !== vault.nodeId) {
    throw new StartupError(
      'NODE_ID: differs from the nodeId in KEYS_FILE; certificates name the node, so it cannot change',
    );
  }
  await assertHistoryOf(vault.nodeId, store);
  const secrets = openCommitmentSecrets(config.commitmentSecretFile);
  const lost = (await store.referencedCommitmentSecretIds()).filter((id) => !secrets.has(id));
  if (lost.length > 0) {
    throw new StartupError(
      `COMMITMENT_SECRET_FILE: lacks ${lost.join(', ')}, which stored executions were sealed under. Put it back.`,
    );
  }
  return { vault, secrets };
}

/**
 * Makes KEYS_FILE for a database whose file is lost: with the name of its node, and a new wrapping key. It opens none of
 * the signing keys in the database, so the node signs again after a rotation.
 * @throws StartupError when the file is there, a node runs on the database, or its node has another name
 */
export async function replaceKeysFile(
  { nodeId, keysFile }: Pick<NodeConfig, 'nodeId' | 'keysFile'>,
  store: Pick<Store, 'signingKeys'>,
  now: Date,
): Promise<{ readonly nodeId: string }> {
  if (existsSync(keysFile)) throw new StartupError(`KEYS_FILE: ${keysFile} is there; only a lost file is replaced`);
  if (nodeId === undefined) {
    throw new StartupError('NODE_ID: is required; every certificate of the node has it as meta.attestation.nodeId');
  }
  const whose = await historyOf(nodeId, store);
  if (whose === 'none') throw new StartupError('the database has no key history: run `init` for a new node');
  if (whose === 'another') throw new StartupError('NODE_ID: is not the name of the node of this database');
  const { nodes, databaseMs } = await store.signingKeys.read();
  if (nodes.some(({ seenMs }) => seenMs > databaseMs - LIVE_MS)) {
    throw new StartupError(
      `a node runs on this database, or was killed less than ${LIVE_MS / 1000} s ago: copy its KEYS_FILE, or stop it first`,
    );
  }
  makeFolderOf(keysFile);
  return createKeyVault(keysFile, { nodeId, now, withKey: false });
}

/** Keys on a hardware token open with any KEYS_FILE: only the key history shows whose keys they are. */
async function assertHistoryOf(nodeId: string, store: Pick<Store, 'signingKeys'>): Promise<void> {
  if ((await historyOf(nodeId, store)) !== 'another') return;
  throw new StartupError(
    'KEYS_FILE: is of another node than the key history of this database. Put back the file of the node whose database this is',
  );
}

async function historyOf(nodeId: string, store: Pick<Store, 'signingKeys'>): Promise<'none' | 'this node' | 'another'> {
  const { entries } = await new KeyHistoryLog(nodeId, store.signingKeys).read();
  const [first] = entries;
  if (first === undefined) return 'none';
  return first.prevHash === keyHistoryHead({ nodeId, entries: [] }).hash ? 'this node' : 'another';
}

/** A file of an older release lacks the wrapping key; nodes that share a database must not create one each. */
function openVault({ databaseUrl, keysFile }: KeyConfig): KeyVault {
  const vault = openKeyVault(keysFile);
  if (vault.hasWrappingKey) return vault;
  if (databaseUrl.startsWith('sqlite:')) return addWrappingKey(keysFile);
  throw new StartupError(
    'KEYS_FILE: was made by an earlier release and has no wrapping key. Run `node apps/node/dist/main.js keys upgrade` once, then give the file to every node of the database',
  );
}
