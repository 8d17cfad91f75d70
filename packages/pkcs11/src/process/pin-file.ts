import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isPrivate } from '@cer/keys/private-file';
import { Pkcs11Error } from '../pkcs11-error.js';

/**
 * Reads a PIN from its file, without the trailing newline that editors add.
 * @throws Pkcs11Error PKCS11_PIN_FILE_INVALID when it is missing, empty, not a regular file, or when users have
 *   access beside the owner, or the group of a file of root
 */
export function readPin(path: string): string {
  const refuse = (rule: string): Pkcs11Error => new Pkcs11Error('PKCS11_PIN_FILE_INVALID', `PIN file ${path}: ${rule}`);
  let file: number;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer forever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const isMissing = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
    throw refuse(isMissing ? 'does not exist. Make it, or correct PKCS11_PIN_FILE' : 'cannot be opened by this user');
  }
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw refuse('is not a file');
    if (!isPrivate(status)) throw refuse(`users other than its owner have access. Run: chmod 600 ${path}`);
    const pin = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (pin === '') throw refuse('is empty');
    return pin;
  } finally {
    closeSync(file);
  }
}
