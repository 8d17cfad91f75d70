import { faultOfLife, readLifeTexts, readStatus } from './key-entry.js';
import type { KeyError } from './key-error.js';
import type { KeyLife } from './key-set-document.js';
import { isJsonObject, ownMember } from './own-member.js';

/** A key of a key file. Secret: must never be logged. */
export interface KeyFileKey extends KeyLife {
  readonly kid: string;
  /** Base64 of the PKCS#8 DER. */
  readonly privateKey: string;
}

/** The JSON content of a key file. */
export interface KeyFile {
  readonly nodeId: string;
  /** Base64 of the 32 bytes that encrypt the keys in a database; absent in files of older releases. */
  readonly wrappingKey?: string;
  readonly keys: readonly KeyFileKey[];
}

/** Serializes a key file. */
export function writeKeyFile(file: KeyFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/**
 * Parses the text of a key file; the keys themselves are not checked here.
 * @param refuse creates the error for a violated rule, so that messages name the file
 * @throws the error that `refuse` returns; messages never quote the text
 */
export function readKeyFile(text: string, refuse: (rule: string) => KeyError): KeyFile {
  const value = parseJson(text, refuse);
  if (!isJsonObject(value)) throw refuse('must hold a JSON object {nodeId, keys}');
  const nodeId = ownMember(value, 'nodeId');
  if (typeof nodeId !== 'string' || nodeId === '') throw refuse('nodeId must be a non-empty string');
  const keys: unknown = ownMember(value, 'keys');
  if (!Array.isArray(keys)) throw refuse('keys must be an array');
  const wrappingKey: unknown = ownMember(value, 'wrappingKey');
  if (wrappingKey !== undefined && typeof wrappingKey !== 'string') throw refuse('wrappingKey must be a string');
  return {
    nodeId,
    ...(wrappingKey !== undefined && { wrappingKey }),
    keys: keys.map((key: unknown, at) => readKey(key, (rule) => refuse(`keys[${at}]: ${rule}`))),
  };
}

function parseJson(text: string, refuse: (rule: string) => KeyError): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text around the fault, which may be a private key.
    throw refuse('must hold JSON; it looks cut off or is another kind of file. Restore it from a backup');
  }
}

function readKey(value: unknown, refuse: (rule: string) => KeyError): KeyFileKey {
  if (!isJsonObject(value)) throw refuse('must be an object');
  const text = (name: string): string => {
    const member = ownMember(value, name);
    if (typeof member !== 'string') throw refuse(`${name} must be a string`);
    return member;
  };
  const required = {
    kid: text('kid'),
    privateKey: text('privateKey'),
    createdAt: text('createdAt'),
    notBefore: text('notBefore'),
  };
  text('status');
  const fault = faultOfLife(value);
  if (fault !== null) throw refuse(fault);
  const { retiredAt, revokedAt, compromisedSince, revocationReason } = readLifeTexts(value);
  return {
    ...required,
    status: readStatus(value),
    ...(retiredAt !== undefined && { retiredAt }),
    ...(revokedAt !== undefined && { revokedAt }),
    ...(compromisedSince !== undefined && { compromisedSince }),
    ...(revocationReason !== undefined && { revocationReason }),
  };
}
