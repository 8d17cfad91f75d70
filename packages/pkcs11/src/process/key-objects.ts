import { randomBytes } from 'node:crypto';
import type { PublicKey } from '@cer/keys';
import { Pkcs11Error } from '../pkcs11-error.js';
import {
  CKA,
  CKK_EC_EDWARDS,
  CKM_EC_EDWARDS_KEY_PAIR_GEN,
  CKO_PRIVATE_KEY,
  CKO_PUBLIC_KEY,
  ckrOf,
  type AttributeTemplate,
  type Cryptoki,
  type Handle,
} from './cryptoki.js';
import { ED25519_PARAMS, isEd25519, publicKeyOfPoint } from './ec-point.js';

/** An Ed25519 key of a token: its private object and, if the token stores one, the public one. */
export interface KeyObjects {
  readonly publicKey: PublicKey;
  readonly label: string;
  readonly isExtractable: boolean;
  readonly privateObject: Handle;
  readonly publicObject: Handle | null;
}

const MAX_FOUND = 64;

/** The Ed25519 keys whose private key is on the token. Other objects are skipped. */
export function listKeys(cryptoki: Cryptoki, session: Handle): KeyObjects[] {
  const publicById = new Map<string, { object: Handle; publicKey: PublicKey }[]>();
  for (const object of find(cryptoki, session, CKO_PUBLIC_KEY)) {
    const publicKey = readPublicKey(cryptoki, session, object);
    const id = readAttribute(cryptoki, session, object, CKA.id)?.toString('hex') ?? '';
    if (publicKey !== null) publicById.set(id, [...(publicById.get(id) ?? []), { object, publicKey }]);
  }
  return find(cryptoki, session, CKO_PRIVATE_KEY).flatMap((privateObject): KeyObjects[] => {
    const id = readAttribute(cryptoki, session, privateObject, CKA.id)?.toString('hex') ?? '';
    const label = readAttribute(cryptoki, session, privateObject, CKA.label)?.toString('utf8') ?? '';
    // A key counts as extractable when the module does not report that it is not.
    const isExtractable = readAttribute(cryptoki, session, privateObject, CKA.extractable)?.[0] !== 0;
    const facts = { label, isExtractable, privateObject };
    const pairs = publicById.get(id) ?? [];
    if (pairs.length > 0) return pairs.map(({ object, publicKey }) => ({ ...facts, publicKey, publicObject: object }));
    // Some tokens store the point with the private key and have no public object.
    const publicKey = readPublicKey(cryptoki, session, privateObject);
    return publicKey === null ? [] : [{ ...facts, publicKey, publicObject: null }];
  });
}

const UNSUPPORTED = new Set([
  'CKR_MECHANISM_INVALID',
  'CKR_MECHANISM_PARAM_INVALID',
  'CKR_FUNCTION_NOT_SUPPORTED',
  'CKR_CURVE_NOT_SUPPORTED',
]);
/** Error codes of modules for an unsupported form of EC_PARAMS. */
const OTHER_PARAMS = new Set([
  'CKR_DOMAIN_PARAMS_INVALID',
  'CKR_ATTRIBUTE_VALUE_INVALID',
  'CKR_TEMPLATE_INCONSISTENT',
  'CKR_CURVE_NOT_SUPPORTED',
]);

/**
 * Creates a key pair with a non-extractable private key.
 * @throws Pkcs11Error PKCS11_ED25519_UNSUPPORTED; PKCS11_KEY_EXTRACTABLE when the token created an extractable key,
 * which is then erased
 */
export function createKey(cryptoki: Cryptoki, session: Handle, label: string): KeyObjects {
  const { publicKey: publicObject, privateKey: privateObject } = generate(cryptoki, session, label);
  const publicKey = readPublicKey(cryptoki, session, publicObject);
  const isExtractable = readAttribute(cryptoki, session, privateObject, CKA.extractable)?.[0] !== 0;
  const isSensitive = readAttribute(cryptoki, session, privateObject, CKA.sensitive)?.[0] === 1;
  if (publicKey !== null && !isExtractable && isSensitive) {
    return { publicKey, label, isExtractable, privateObject, publicObject };
  }
  cryptoki.C_DestroyObject(session, privateObject);
  cryptoki.C_DestroyObject(session, publicObject);
  throw publicKey === null
    ? new Pkcs11Error('PKCS11_ED25519_UNSUPPORTED', 'PKCS#11 token: made a key that is not one of Ed25519')
    : new Pkcs11Error('PKCS11_KEY_EXTRACTABLE', 'PKCS#11 token: made a key that could be read out; it was erased');
}

/** Erases a key, the private object first. */
export function destroyKey(cryptoki: Cryptoki, session: Handle, key: KeyObjects): void {
  cryptoki.C_DestroyObject(session, key.privateObject);
  if (key.publicObject !== null) cryptoki.C_DestroyObject(session, key.publicObject);
}

function generate(cryptoki: Cryptoki, session: Handle, label: string): ReturnType<Cryptoki['C_GenerateKeyPair']> {
  const both: AttributeTemplate[] = [
    { type: CKA.token, value: true },
    { type: CKA.label, value: Buffer.from(label, 'utf8') },
    // The attribute that links the two objects.
    { type: CKA.id, value: randomBytes(16) },
  ];
  for (const [at, params] of ED25519_PARAMS.entries()) {
    try {
      return cryptoki.C_GenerateKeyPair(
        session,
        { mechanism: CKM_EC_EDWARDS_KEY_PAIR_GEN },
        [
          ...both,
          { type: CKA.private, value: false },
          { type: CKA.verify, value: true },
          { type: CKA.ecParams, value: params },
        ],
        [
          ...both,
          { type: CKA.private, value: true },
          { type: CKA.sensitive, value: true },
          { type: CKA.extractable, value: false },
          { type: CKA.sign, value: true },
        ],
      );
    } catch (error) {
      const ckr = ckrOf(error);
      const isLast = at === ED25519_PARAMS.length - 1;
      if (ckr !== null && OTHER_PARAMS.has(ckr) && !isLast) continue;
      if (ckr !== null && (UNSUPPORTED.has(ckr) || OTHER_PARAMS.has(ckr))) break;
      throw error;
    }
  }
  throw new Pkcs11Error('PKCS11_ED25519_UNSUPPORTED', 'PKCS#11 token: makes no Ed25519 keys');
}

function find(cryptoki: Cryptoki, session: Handle, objectClass: number): Handle[] {
  cryptoki.C_FindObjectsInit(session, [
    { type: CKA.class, value: objectClass },
    { type: CKA.keyType, value: CKK_EC_EDWARDS },
  ]);
  const found: Handle[] = [];
  try {
    for (;;) {
      const some = cryptoki.C_FindObjects(session, MAX_FOUND);
      if (some.length === 0) return found;
      found.push(...some);
    }
  } finally {
    cryptoki.C_FindObjectsFinal(session);
  }
}

function readPublicKey(cryptoki: Cryptoki, session: Handle, object: Handle): PublicKey | null {
  const params = readAttribute(cryptoki, session, object, CKA.ecParams);
  const point = readAttribute(cryptoki, session, object, CKA.ecPoint);
  return params !== null && isEd25519(params) && point !== null ? publicKeyOfPoint(point) : null;
}

/** @returns null when the object lacks the attribute or does not reveal it */
function readAttribute(cryptoki: Cryptoki, session: Handle, object: Handle, type: number): Buffer | null {
  try {
    return cryptoki.C_GetAttributeValue(session, object, [{ type }])[0]?.value ?? null;
  } catch (error) {
    const ckr = ckrOf(error);
    if (ckr === 'CKR_ATTRIBUTE_TYPE_INVALID' || ckr === 'CKR_ATTRIBUTE_SENSITIVE') return null;
    throw error;
  }
}
