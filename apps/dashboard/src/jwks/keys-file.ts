import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { readSecretFile } from '@cer/http-service/config';
import { newKeyPair, OperatorError } from '@cer/http-service/process';
import { makePrivateFile, replacePrivateFile } from '@cer/keys/private-file';
import * as z from 'zod';

/** One ES256 key with its life. */
export interface HandoffKey {
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** Time from which it signs; it is published as soon as it is in the file. */
  readonly signsFrom: Date;
}

export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}

/** A keys file that cannot be used; the message names the file and the rule, never its content. */
export class KeysFileError extends OperatorError {
  override readonly name = 'KeysFileError';
}

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const KeysFile = z.object({
  keys: z
    .array(
      z.object({
        signsFrom: z.iso.datetime(),
        privateKey: z.object({
          kty: z.literal('EC'),
          crv: z.literal('P-256'),
          x: coordinate,
          y: coordinate,
          d: coordinate,
        }),
      }),
    )
    .min(1),
});

type StoredKey = z.output<typeof KeysFile>['keys'][number];

/**
 * Reads the keys, in the order in which they sign.
 * @throws SecretFileError when the file cannot be read or is open to others
 * @throws KeysFileError when it holds no such keys
 */
export function readKeysFile(path: string): readonly HandoffKey[] {
  return readStored(path)
    .map(keyOf)
    .toSorted((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
}

/**
 * Makes the file with one key that signs at once, mode 0600, unless it is there: of two starting processes, one creates
 * it.
 */
export function ensureKeysFile(path: string, now: Date): void {
  makePrivateFile(path, textOf([newKey(now)]));
}

/**
 * Adds a key that signs from `signsFrom` on, and drops those that `keep` does not name. The file is replaced as a whole.
 * @returns the new key's kid
 */
export function addKey(path: string, signsFrom: Date, keep: (kid: string) => boolean): string {
  const added = newKey(signsFrom);
  const kept = readStored(path).filter((stored) => keep(thumbprint(stored.privateKey)));
  replacePrivateFile(path, textOf([...kept, added]));
  return thumbprint(added.privateKey);
}

function readStored(path: string): readonly StoredKey[] {
  try {
    return KeysFile.parse(JSON.parse(readSecretFile(path).reveal())).keys;
  } catch (error) {
    // A parser's message quotes its input.
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      throw new KeysFileError(`keys file ${path} holds no ES256 keys in the form this release writes`);
    }
    throw error;
  }
}

function newKey(signsFrom: Date): StoredKey {
  const jwk = newKeyPair('ec').privateKey.export({ format: 'jwk' });
  return KeysFile.shape.keys.element.parse({ signsFrom: signsFrom.toISOString(), privateKey: jwk });
}

function keyOf({ privateKey: jwk, signsFrom }: StoredKey): HandoffKey {
  const { kty, crv, x, y } = jwk;
  return {
    kid: thumbprint(jwk),
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    publicJwk: { kty, crv, x, y },
    signsFrom: new Date(signsFrom),
  };
}

function thumbprint({ crv, kty, x, y }: PublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

function textOf(keys: readonly StoredKey[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`;
}
