import type { Environment } from '@cer/http-service/config';
import { silentLogger } from '@cer/http-service/process';
import type { Signing } from '../signing/signing.js';
import { loadNodeConfig, type NodeConfig } from '../start/config.js';
import { openKeyMaterial } from '../start/key-material.js';
import { openSigningKeys } from '../start/open-signing-keys.js';
import { describeRuntime } from '../status/runtime.js';
import type { Store } from '../store/index.js';
import { withStore } from './command.js';

/** The node's own database, signed with its own keys. */
export interface SigningWork {
  readonly store: Store;
  readonly signing: Signing;
  readonly now: () => Date;
}

/** Runs `work` on the store that the environment names, with the node's keys. */
export function withSigning<T>(env: Environment, work: (on: SigningWork) => Promise<T>): Promise<T> {
  return withStore(env, (store) => signingOn(loadNodeConfig(env), store, work));
}

export async function signingOn<T>(
  config: NodeConfig,
  store: Store,
  work: (on: SigningWork) => Promise<T>,
): Promise<T> {
  const now = (): Date => new Date();
  const { vault } = await openKeyMaterial(config, store, now());
  const nodeRuntimeHash = describeRuntime(vault.nodeId).hash;
  const keyDeps = { config, store: store.signingKeys, vault, nodeRuntimeHash, now, logger: silentLogger() };
  const { signing, upkeep } = await openSigningKeys(keyDeps);
  try {
    return await work({ store, signing, now });
  } finally {
    await upkeep.stop();
  }
}
