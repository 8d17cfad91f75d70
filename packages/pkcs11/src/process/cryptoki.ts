import { createRequire } from 'node:module';
import { Pkcs11Error } from '../pkcs11-error.js';

/** A handle as issued by the module. */
export type Handle = Buffer;

export interface AttributeTemplate {
  readonly type: number;
  readonly value?: number | boolean | Buffer;
}

/**
 * The module calls used here. Declared here and not imported from the binding's types: the package is optional, and the
 * code must compile without it.
 */
export interface Cryptoki {
  load(path: string): void;
  C_Initialize(options?: { readonly flags: number }): void;
  C_GetSlotList(tokenPresent: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string; readonly flags: number };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_Login(session: Handle, userType: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: readonly AttributeTemplate[]): void;
  C_FindObjects(session: Handle, maxObjectCount: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, template: readonly AttributeTemplate[]): { value: Buffer }[];
  C_GenerateKeyPair(
    session: Handle,
    mechanism: { readonly mechanism: number },
    publicTemplate: readonly AttributeTemplate[],
    privateTemplate: readonly AttributeTemplate[],
  ): { readonly publicKey: Handle; readonly privateKey: Handle };
  C_DestroyObject(session: Handle, object: Handle): void;
  C_SignInit(session: Handle, mechanism: { readonly mechanism: number }, key: Handle): void;
  C_Sign(session: Handle, message: Buffer, into: Buffer): Buffer;
  C_SignAsync(session: Handle, message: Buffer, into: Buffer): Promise<Buffer>;
}

interface Binding {
  readonly PKCS11: new () => Cryptoki;
}

// Constants of PKCS#11 3.0; the binding defines only those of 2.40.
export const CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055;
export const CKM_EDDSA = 0x1057;
export const CKK_EC_EDWARDS = 0x40;
export const CKO_PUBLIC_KEY = 2;
export const CKO_PRIVATE_KEY = 3;
export const CKU_USER = 1;
export const CKA = {
  class: 0x0,
  token: 0x1,
  private: 0x2,
  label: 0x3,
  keyType: 0x100,
  id: 0x102,
  sensitive: 0x103,
  sign: 0x108,
  verify: 0x10a,
  extractable: 0x162,
  ecParams: 0x180,
  ecPoint: 0x181,
} as const;
export const CKF = {
  osLockingOk: 0x2,
  rwSession: 0x2,
  serialSession: 0x4,
  loginRequired: 0x4,
  userPinFinalTry: 0x2_0000,
  userPinLocked: 0x4_0000,
} as const;

/**
 * Loads the binding on demand.
 * @throws Pkcs11Error PKCS11_BINDING_MISSING
 */
export function loadCryptoki(): Cryptoki {
  let loaded: unknown;
  try {
    loaded = createRequire(import.meta.url)('pkcs11js');
  } catch (cause) {
    throw new Pkcs11Error(
      'PKCS11_BINDING_MISSING',
      'the package pkcs11js is not installed: it is compiled when packages are installed. Install python3, make and a C++ compiler, then run `npm ci` again',
      { cause },
    );
  }
  if (!isBinding(loaded)) {
    throw new Pkcs11Error('PKCS11_BINDING_MISSING', 'the package pkcs11js is not the supported one: run `npm ci`');
  }
  return new loaded.PKCS11();
}

function isBinding(value: unknown): value is Binding {
  return typeof value === 'object' && value !== null && 'PKCS11' in value && typeof value.PKCS11 === 'function';
}

/** The name of a module's error, such as `CKR_TOKEN_NOT_PRESENT`; null for any other error. */
export function ckrOf(error: unknown): string | null {
  return error instanceof Error ? (/^CKR_[A-Z0-9_]+/.exec(error.message)?.[0] ?? null) : null;
}
