import { addWrappingKey, openKeyVault } from '@cer/keys/file-signer';
import { loadNodeConfig } from '../start/config.js';
import { createKeyMaterial } from '../start/key-material.js';
import type { Command } from './command.js';

export const initCommand: Command = {
  name: 'init',
  usage: [['init', 'make KEYS_FILE and COMMITMENT_SECRET_FILE of a new node']],
  takesArguments: false,
  run: (_args, env) => {
    const made = createKeyMaterial(loadNodeConfig(env), new Date());
    return made.length === 0 ? 'nothing to do: both files are there' : `made ${made.join(' and ')}`;
  },
};

export const keysUpgradeCommand: Command = {
  name: 'keys upgrade',
  usage: [['keys upgrade', 'give KEYS_FILE of an earlier release its wrapping key']],
  takesArguments: false,
  run: (_args, env) => {
    const { keysFile } = loadNodeConfig(env);
    const { hasWrappingKey } = openKeyVault(keysFile);
    addWrappingKey(keysFile);
    return hasWrappingKey ? 'nothing to do: the wrapping key is there' : `${keysFile} has its wrapping key`;
  },
};
