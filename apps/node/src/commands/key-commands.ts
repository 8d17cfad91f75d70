import { addWrappingKey, openKeyVault } from '@cer/keys/file-signer';
import { loadNodeConfig } from '../start/config.js';
import { createKeyMaterial, replaceKeysFile } from '../start/key-material.js';
import { withStore, type Command } from './command.js';

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

export const keysReplaceCommand: Command = {
  name: 'keys replace',
  usage: [['keys replace', 'make KEYS_FILE of NODE_ID again, whose file is lost']],
  takesArguments: false,
  run: (_args, env) =>
    withStore(env, async (store) => {
      const config = loadNodeConfig(env);
      const { nodeId } = await replaceKeysFile(config, store, new Date());
      return `made ${config.keysFile} of ${nodeId}: give it to every node of the database, start one, and rotate with "immediate": true when /ready says that KEYS_FILE does not open the signing key`;
    }),
};
