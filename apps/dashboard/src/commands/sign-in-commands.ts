import { EmailAddress } from '../account/person.js';
import { readSecretsConfig } from '../config.js';
import { openSecretBox } from '../secrets/secret-box.js';
import { addSecretsKey } from '../secrets/secrets-file.js';
import type { Store } from '../store/index.js';
import { checked } from './checked.js';
import { COMMAND_LINE, CommandError, required, type Command } from './command.js';

/**
 * Seals every secret under a new key. Dashboards that run follow the file; they need the previous key only until the
 * change has ended.
 */
export const rotateSecretsKey: Command = {
  usage: '',
  summary: 'seal all stored secrets under a new key',
  options: {},
  run: async (_values, { env, print, withStore }) => {
    const { SECRETS_KEY_FILE: path } = readSecretsConfig(env);
    await withStore(async (store) => {
      // First under the current key, since the file then loses the one before it.
      await sealUnderCurrent(store, path);
      addSecretsKey(path);
      const [keyId, count] = await sealUnderCurrent(store, path);
      print(`${keyId} is the current key; ${count} secrets are sealed under it again`);
    });
  },
};

async function sealUnderCurrent(store: Store, path: string): Promise<readonly [string, number]> {
  const box = openSecretBox(path);
  const [keyId = ''] = box.keyIds();
  const count = await store.authenticators.resealAll(keyId, (userId, sealed) => {
    const secret = box.open('authenticator', userId, sealed);
    return secret === null ? null : box.seal('authenticator', userId, secret);
  });
  const left = (await store.authenticators.keyIds()).filter((other) => other !== keyId);
  if (left.length > 0) {
    throw new CommandError(`secrets file ${path} lacks a key that stored secrets are sealed under: restore it first`);
  }
  return [keyId, count];
}

export const resetSignIn: Command = {
  usage: '--email E',
  summary: 'remove the authenticator app and passkeys of a user',
  options: { email: { type: 'string' } },
  run: async (values, { print, withStore }) => {
    const email = checked(EmailAddress, 'email', required(values, 'email'));
    await withStore(async (store) => {
      const found = await store.users.findForLogin(email);
      if (found === null) throw new CommandError('--email belongs to no user');
      await store.signInWays.reset(found.user, COMMAND_LINE);
      print('the authenticator app and the passkeys are removed');
    });
  },
};
