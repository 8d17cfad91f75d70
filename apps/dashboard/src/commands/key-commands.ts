import { isApiKey, isScope, SCOPES, type Scope } from '@cer/control-plane';
import { issueApiKey, issuedKeyOf } from '../account/api-key.js';
import { PlainName } from '../account/person.js';
import { readKeysConfig } from '../config.js';
import { ensureKeysFile } from '../jwks/keys-file.js';
import { rotateSigningKeys } from '../jwks/signing-keys.js';
import { checked, tenantNamed } from './checked.js';
import { COMMAND_LINE, CommandError, required, type Command } from './command.js';

export const createApiKey: Command = {
  usage: '--tenant NAME [--name N] [--scopes a,b] [--key-stdin]',
  summary: 'print a new API key, once, or add the one on standard input',
  options: {
    tenant: { type: 'string' },
    name: { type: 'string' },
    scopes: { type: 'string' },
    'key-stdin': { type: 'boolean' },
  },
  run: async (values, { print, readInput, withStore }) => {
    const tenantName = required(values, 'tenant');
    const name = checked(PlainName, 'name', typeof values['name'] === 'string' ? values['name'] : COMMAND_LINE);
    const scopes = typeof values['scopes'] === 'string' ? scopesIn(values['scopes']) : SCOPES;
    const moved = values['key-stdin'] === true ? await readInput() : undefined;
    if (moved !== undefined && !isApiKey(moved)) {
      throw new CommandError('--key-stdin: must be an API key, cer_live_ and 43 characters');
    }
    const { key, ...kept } = moved === undefined ? issueApiKey() : issuedKeyOf(moved);
    await withStore(async (store) => {
      const { tenantId } = await tenantNamed(store, tenantName);
      const known = await store.apiKeys.findByHash(kept.keyHash);
      if (known !== null && known.key.tenantId !== tenantId) {
        throw new CommandError('--key-stdin: the key belongs to another tenant');
      }
      if (known === null) await store.apiKeys.create({ tenantId, name, scopes, ...kept }, COMMAND_LINE);
      // An imported key is not printed: the caller has it.
      print(moved === undefined ? key : `${kept.prefix}…`);
    });
  },
};

function scopesIn(list: string): readonly Scope[] {
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const scopes = names.filter(isScope);
  if (scopes.length !== names.length) throw new CommandError(`--scopes: must be of ${SCOPES.join(', ')}`);
  return scopes;
}

export const initJwks: Command = {
  usage: '',
  summary: 'make the handoff keys where there are none',
  options: {},
  run: async (_values, { env, print, now }) => {
    const { JWKS_KEYS_FILE } = readKeysConfig(env);
    ensureKeysFile(JWKS_KEYS_FILE, now());
    print(`the handoff keys are in ${JWKS_KEYS_FILE}`);
  },
};

export const rotateJwks: Command = {
  usage: '[--immediate]',
  summary: 'publish a new handoff key, which signs after ten minutes; --immediate: now, and drop the others',
  options: { immediate: { type: 'boolean' } },
  run: async (values, { env, print, now }) => {
    const { JWKS_KEYS_FILE } = readKeysConfig(env);
    const { kid, signsFrom } = rotateSigningKeys(JWKS_KEYS_FILE, now(), values['immediate'] === true);
    print(`${kid} signs from ${signsFrom.toISOString()}`);
  },
};
