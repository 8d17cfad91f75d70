import { Pkcs11Error, PKCS11_ERROR_CODES, type Pkcs11ErrorCode } from './pkcs11-error.js';

/** Selects a token of a module by its label or by its slot number. */
export type TokenChoice = { readonly label: string } | { readonly slot: number };

/** The data with which the module process logs in: the path of the PIN file, never the PIN itself. */
export interface TokenAddress {
  readonly modulePath: string;
  readonly token: TokenChoice;
  readonly pinFile: string;
}

/** Requests to the module process. */
export type Request =
  | { readonly operation: 'open'; readonly address: TokenAddress }
  | { readonly operation: 'list' }
  | { readonly operation: 'create'; readonly label: string }
  | { readonly operation: 'find'; readonly kid: string }
  | { readonly operation: 'sign'; readonly kid: string; readonly message: Uint8Array }
  | { readonly operation: 'destroy'; readonly kid: string };

/** A key on a token, described by its public key. */
export interface TokenKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly label: string;
  /** The encoded point, 32 bytes. */
  readonly point: Uint8Array;
}

export interface RequestMessage {
  readonly id: number;
  readonly request: Request;
}

export type ReplyMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly refusal: { readonly code: Pkcs11ErrorCode; readonly message: string } };

/** Validates a result from the other process. @throws Pkcs11Error PKCS11_UNAVAILABLE */
export type ReadResult<T> = (result: unknown) => T;

export const readNothing: ReadResult<null> = () => null;

export const readBytes: ReadResult<Uint8Array> = (result) => {
  if (result instanceof Uint8Array) return result;
  throw unreadable();
};

export const readTokenKey: ReadResult<TokenKey> = (result) => {
  if (typeof result === 'object' && result !== null && 'kid' in result && 'label' in result && 'point' in result) {
    const { kid, label, point } = result;
    if (typeof kid === 'string' && typeof label === 'string') return { kid, label, point: readBytes(point) };
  }
  throw unreadable();
};

export const readTokenKeys: ReadResult<readonly TokenKey[]> = (result) => {
  if (!Array.isArray(result)) throw unreadable();
  return result.map(readTokenKey);
};

/** @returns null for anything but a reply */
export function readReply(message: unknown): ReplyMessage | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null;
  const { id } = message;
  if (typeof id !== 'number') return null;
  if ('result' in message) return { id, result: message.result };
  if (!('refusal' in message)) return null;
  const { refusal } = message;
  if (typeof refusal !== 'object' || refusal === null || !('code' in refusal) || !('message' in refusal)) return null;
  const code = PKCS11_ERROR_CODES.find((known) => known === refusal.code);
  if (code === undefined || typeof refusal.message !== 'string') return null;
  return { id, refusal: { code, message: refusal.message } };
}

function unreadable(): Pkcs11Error {
  return new Pkcs11Error('PKCS11_UNAVAILABLE', 'PKCS#11 process: returned an unreadable answer');
}
