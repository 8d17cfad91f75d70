import { existsSync } from 'node:fs';
import type { TokenAddress, TokenChoice } from '../messages.js';
import { Pkcs11Error } from '../pkcs11-error.js';
import { CKF, ckrOf, CKU_USER, loadCryptoki, type Cryptoki, type Handle } from './cryptoki.js';
import { readPin } from './pin-file.js';
import { SessionPool } from './session-pool.js';

/**
 * Loads the module and logs in to its token.
 * @throws Pkcs11Error naming the setting at fault; otherwise the module's error
 */
export function openToken(address: TokenAddress): SessionPool {
  const cryptoki = loadCryptoki();
  loadModule(cryptoki, address.modulePath);
  const hasThreads = initialize(cryptoki);
  const slot = findSlot(cryptoki, address.token);
  const { flags } = cryptoki.C_GetTokenInfo(slot);
  const first = cryptoki.C_OpenSession(slot, CKF.serialSession);
  if ((flags & CKF.loginRequired) !== 0) logIn(cryptoki, first, flags, address.pinFile);
  return new SessionPool({ cryptoki, slot, first, hasThreads });
}

function loadModule(cryptoki: Cryptoki, path: string): void {
  try {
    cryptoki.load(path);
  } catch {
    const rule = path.includes('/') && !existsSync(path) ? 'not found' : 'is not a PKCS#11 library for this machine';
    throw new Pkcs11Error('PKCS11_MODULE_UNUSABLE', `PKCS#11 module ${path}: ${rule}`);
  }
}

/** @returns whether several threads may call the module */
function initialize(cryptoki: Cryptoki): boolean {
  try {
    cryptoki.C_Initialize({ flags: CKF.osLockingOk });
    return true;
  } catch (error) {
    if (ckrOf(error) !== 'CKR_CANT_LOCK') throw error;
    cryptoki.C_Initialize();
    return false;
  }
}

function findSlot(cryptoki: Cryptoki, choice: TokenChoice): Handle {
  const slots = cryptoki.C_GetSlotList(true).filter((slot) => isChosen(cryptoki, slot, choice));
  const [slot] = slots;
  if (slot === undefined) {
    const what = 'label' in choice ? 'of this label' : 'in this slot';
    throw new Pkcs11Error('PKCS11_UNAVAILABLE', `PKCS#11 token: none ${what} is present`);
  }
  if (slots.length > 1) {
    throw new Pkcs11Error(
      'PKCS11_TOKEN_AMBIGUOUS',
      'PKCS#11 token: several have this label. Give each a different one',
    );
  }
  return slot;
}

function isChosen(cryptoki: Cryptoki, slot: Handle, choice: TokenChoice): boolean {
  if ('slot' in choice) return slot.readBigUInt64LE() === BigInt(choice.slot);
  try {
    // Labels are padded with blanks to 32 bytes.
    return cryptoki.C_GetTokenInfo(slot).label.trimEnd() === choice.label;
  } catch {
    // A token that does not report its info, or was just removed, is not a match.
    return false;
  }
}

const PIN_REFUSALS = new Set([
  'CKR_PIN_INCORRECT',
  'CKR_PIN_INVALID',
  'CKR_PIN_LEN_RANGE',
  'CKR_PIN_EXPIRED',
  'CKR_PIN_LOCKED',
  'CKR_USER_PIN_NOT_INITIALIZED',
]);

/** A token counts wrong PINs and then locks: the last attempt is never used here. */
function logIn(cryptoki: Cryptoki, session: Handle, tokenFlags: number, pinFile: string): void {
  const withhold = (rule: string): Pkcs11Error => new Pkcs11Error('PKCS11_PIN_WITHHELD', `PKCS#11 PIN: ${rule}`);
  if ((tokenFlags & CKF.userPinLocked) !== 0) throw withhold('is locked. Unlock it with the tool of the token');
  if ((tokenFlags & CKF.userPinFinalTry) !== 0) {
    throw withhold(
      'one more wrong PIN would lock the token, so it is not tried. Correct the file, then log in once with the tool of the token',
    );
  }
  try {
    cryptoki.C_Login(session, CKU_USER, readPin(pinFile));
  } catch (error) {
    const ckr = ckrOf(error);
    if (ckr === 'CKR_USER_ALREADY_LOGGED_IN') return;
    if (ckr !== null && PIN_REFUSALS.has(ckr)) {
      throw new Pkcs11Error(
        'PKCS11_PIN_REFUSED',
        `PKCS#11 PIN: refused by the token (${ckr}). It is tried again when the file changes or the service restarts`,
      );
    }
    throw error;
  }
}
