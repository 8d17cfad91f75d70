import { existsSync } from 'node:fs';
import type { Sha256Hash } from '@cer/cer-core';
import type { Signer } from '@cer/keys';
import { createRootFile, openRootFile, removeKeys, type KeyVault } from '@cer/keys/file-signer';
import type { Logger } from '@cer/http-service/process';
import { connectToken } from '@cer/pkcs11';
import type { Team } from '../cores/team.js';
import type { NodeConfig } from './config.js';
import { StartupError } from '../errors/startup-error.js';
import type { SigningKeyStore } from '../store/index.js';
import { importKeys } from '../signing-keys/import-keys.js';
import { KeyOperations } from '../signing-keys/key-operations.js';
import { KeyHistoryLog } from '../signing-keys/key-history-log.js';
import type { SigningKeyHolder } from '../signing/key-holder.js';
import { keyUpkeep, type KeyUpkeep } from '../signing-keys/key-upkeep.js';
import { LiveSigning } from '../signing-keys/live-signing.js';
import { pkcs11KeyHolder } from '../signing-keys/pkcs11-key-holder.js';
import { sealedKeyHolder } from '../signing-keys/sealed-key-holder.js';

type SigningConfig = Pick<
  NodeConfig,
  'keysFile' | 'signer' | 'pkcs11' | 'rootKeyFile' | 'makesRootKey' | 'keySetMaxAgeSeconds'
>;

export interface SigningKeyDeps {
  readonly config: SigningConfig;
  readonly store: SigningKeyStore;
  readonly vault: KeyVault;
  readonly nodeRuntimeHash: Sha256Hash;
  readonly now: () => Date;
  readonly logger: Logger;
  /** The workers of this node: the first changes the key file, and all follow a change of keys. */
  readonly team?: Pick<Team, 'index' | 'contribute' | 'gather'> | null;
  /** Overrides of the configuration; for tests. */
  readonly holders?: readonly [SigningKeyHolder, ...SigningKeyHolder[]];
}

export interface SigningKeys {
  readonly signing: LiveSigning;
  readonly operations: KeyOperations;
  readonly history: KeyHistoryLog;
  readonly upkeep: KeyUpkeep;
  /** Where private keys are; new ones are made by the first. */
  readonly holders: readonly SigningKeyHolder[];
}

/**
 * Opens the signing keys that the nodes of a database share; creates one at the first start.
 * @throws StartupError, KeyError, SignerAwayError
 */
export async function openSigningKeys(deps: SigningKeyDeps): Promise<SigningKeys> {
  const { config, store, vault, nodeRuntimeHash, now, logger, team = null } = deps;
  const [holder, ...others] = deps.holders ?? holdersOf(config, vault, now);
  const holders = new Map([holder, ...others].map((each) => [each.name, each]));
  const { nodeId } = vault;
  const history = new KeyHistoryLog(nodeId, store);
  const root = await openRoot(config, history, now());
  await importKeys({ store, history, vault, holder, root, now });

  const maxAgeSeconds = config.keySetMaxAgeSeconds;
  const signing = new LiveSigning({ store, holders, nodeId, nodeRuntimeHash, maxAgeSeconds, now, logger });
  await signing.start();
  const refreshOthers = team === null ? undefined : followingChanges(team, signing);
  const operations = new KeyOperations({ signing, history, store, holder, maxAgeSeconds, now, logger, refreshOthers });
  const forgetInFile = team !== null && team.index > 0 ? () => undefined : forgetter(config.keysFile, vault);
  const upkeep = keyUpkeep({ signing, history, store, holders, forgetInFile, root, now, logger });
  await upkeep.turn();
  return { signing, operations, history, upkeep, holders: [holder, ...others] };
}

/** @returns lets every worker read the keys again */
function followingChanges(team: Pick<Team, 'contribute' | 'gather'>, signing: LiveSigning): () => Promise<void> {
  team.contribute('keys', async () => {
    await signing.refresh();
    return null;
  });
  return async () => {
    await team.gather('keys');
  };
}

/** The holder that creates new keys comes first; each key is opened by the holder that created it. */
export function holdersOf(
  { pkcs11 }: Pick<SigningConfig, 'pkcs11'>,
  vault: KeyVault,
  now: () => Date,
): [SigningKeyHolder, ...SigningKeyHolder[]] {
  const sealed = sealedKeyHolder(vault);
  return pkcs11 === null ? [sealed] : [pkcs11KeyHolder(connectToken(pkcs11), now), sealed];
}

async function openRoot(
  { rootKeyFile, makesRootKey }: SigningConfig,
  history: KeyHistoryLog,
  now: Date,
): Promise<Signer | null> {
  if (rootKeyFile === null) return null;
  if (existsSync(rootKeyFile)) return openRootFile(rootKeyFile);
  const { entries } = await history.read();
  const hasRoot = entries.some(({ change }) => change.type === 'root-added');
  if (makesRootKey) return hasRoot ? null : createRootFile(rootKeyFile, now);
  throw new StartupError('ROOT_KEY_FILE: not found. Make one with `cer keys root init`, or leave the variable out');
}

function forgetter(keysFile: string, vault: KeyVault): (kids: ReadonlySet<string>) => void {
  let left = vault.keys.map(({ kid }) => kid);
  return (kids) => {
    if (!left.some((kid) => kids.has(kid))) return;
    left = removeKeys(keysFile, kids).keys.map(({ kid }) => kid);
  };
}
