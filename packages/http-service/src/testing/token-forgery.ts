import { createHmac, createSign, type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto';
import { newKeyPair } from '../process/key-pair.js';

type Members = Readonly<Record<string, unknown>>;

/** A token that a service accepts, in parts, and the attacker's resources. */
export interface AttackedToken {
  readonly header: Members;
  readonly claims: Members;
  /** The issuer's own key, for tokens that only state something wrong. */
  readonly key: KeyObject;
  readonly publicKey: KeyObject;
  /** An address of the attacker, which no service may ask. */
  readonly lure: string;
}

/** @returns the token that a service must refuse */
export type Attack = (token: AttackedToken) => string;

/** A part of a compact token. */
export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const textEncoded = (text: string): string => Buffer.from(text).toString('base64url');

/** A compact token, signed by ES256 or RS256 as the kind of the key is. */
export function signedToken(head: string, body: string, key: KeyObject): string {
  const signature = createSign('sha256').update(`${head}.${body}`).sign({ key, dsaEncoding: 'ieee-p1363' });
  return `${head}.${body}.${signature.toString('base64url')}`;
}

/** The attacker's keys, one of each kind: to make one takes long. */
const foreignKeys = new Map<string, KeyPairKeyObjectResult>();

function foreignKey(like: KeyObject): KeyPairKeyObjectResult {
  const kind = like.asymmetricKeyType === 'ec' ? 'ec' : 'rsa';
  const made = foreignKeys.get(kind) ?? newKeyPair(kind);
  foreignKeys.set(kind, made);
  return made;
}

/** Other claims under the issuer's signature over the right ones. */
export const altered: Attack = ({ header, claims, key }) => {
  const [head = '', , signature = ''] = signedToken(encoded(header), encoded(claims), key).split('.');
  return `${head}.${encoded({ ...claims, sub: 'forged' })}.${signature}`;
};

/** A header that the attacker chose, without a signature. */
export const unsigned = (changes: Members): Attack => {
  return ({ header, claims }) => `${encoded({ ...header, ...changes })}.${encoded(claims)}.`;
};
/** A header that the attacker chose and signed. */
export const foreign = (changes: Members | ((token: AttackedToken, own: KeyObject) => Members)): Attack => {
  return (token) => {
    const own = foreignKey(token.key);
    const added = typeof changes === 'function' ? changes(token, own.publicKey) : changes;
    return signedToken(encoded({ ...token.header, ...added }), encoded(token.claims), own.privateKey);
  };
};
/** A header text, for members that occur twice. */
export const foreignText = (change: (text: string) => string): Attack => {
  return ({ header, claims, key }) =>
    signedToken(textEncoded(change(JSON.stringify(header))), encoded(claims), foreignKey(key).privateKey);
};
/** Other claims that the issuer signed. */
export const stating = (changes: Members): Attack => {
  return ({ header, claims, key }) => signedToken(encoded(header), encoded({ ...claims, ...changes }), key);
};
/** Another header that the issuer signed. */
export const headed = (changes: Members): Attack => {
  return ({ header, claims, key }) => signedToken(encoded({ ...header, ...changes }), encoded(claims), key);
};
/** Claims that the issuer never signs, such as none. */
export const bodied = (body: string): Attack => {
  return ({ header, key }) => signedToken(encoded(header), textEncoded(body), key);
};
/** The token with a MAC whose secret the attacker knows. */
export const hmac = (alg: 'HS256' | 'HS384' | 'HS512', secretOf: (key: KeyObject) => string | Buffer): Attack => {
  return ({ header, claims, publicKey }) => {
    const text = `${encoded({ ...header, alg })}.${encoded(claims)}`;
    const mac = createHmac(alg.replace('HS', 'sha'), secretOf(publicKey)).update(text).digest('base64url');
    return `${text}.${mac}`;
  };
};
/** The public key as its issuer may publish it. */
export const pem = (key: KeyObject): string | Buffer => key.export({ format: 'pem', type: 'spki' });
/** The issuer's token with another signature. */
export const resigned = (change: (signature: Buffer) => Buffer): Attack => {
  return ({ header, claims, key }) => {
    const [head = '', body = '', text = ''] = signedToken(encoded(header), encoded(claims), key).split('.');
    return `${head}.${body}.${change(Buffer.from(text, 'base64url')).toString('base64url')}`;
  };
};
/** The issuer's token in another spelling. */
export const respelled = (change: (token: string) => string): Attack => {
  return ({ header, claims, key }) => {
    // Not every signature has a character with two spellings, and ECDSA makes another one each time.
    for (let tries = 0; tries < 100; tries += 1) {
      const token = signedToken(encoded(header), encoded(claims), key);
      const changed = change(token);
      if (changed !== token) return changed;
    }
    throw new Error('the token has no other spelling');
  };
};
