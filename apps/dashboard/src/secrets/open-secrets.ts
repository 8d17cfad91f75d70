import { openSecretBox, type SecretBox } from './secret-box.js';
import { ensureSecretsFile, SecretsFileError } from './secrets-file.js';

/**
 * Opens the secrets file for a dashboard that starts, and makes it while nothing is sealed.
 * @param sealedUnder ids of the keys that stored secrets are sealed under
 * @returns undefined without a file
 * @throws SecretFileError and SecretsFileError, also when a stored secret would not open: its user could not sign in
 */
export function openSecrets(path: string | undefined, sealedUnder: readonly string[]): SecretBox | undefined {
  if (path === undefined) {
    if (sealedUnder.length === 0) return undefined;
    throw new SecretsFileError('SECRETS_KEY_FILE is required: people of this dashboard have authenticator apps');
  }
  if (sealedUnder.length === 0) ensureSecretsFile(path);
  const box = openSecretBox(path);
  const known = box.keyIds();
  if (sealedUnder.some((keyId) => !known.includes(keyId))) {
    throw new SecretsFileError(`secrets file ${path} lacks a key that stored secrets are sealed under: restore it`);
  }
  return box;
}
