import { jwkThumbprint } from '../fingerprint.js';
import { KeyError } from '../key-error.js';
import { isJsonObject, ownMember } from '../own-member.js';
import { publicKeyFromBase64, toSpkiBase64, type PublicKey } from '../public-key.js';
import { refusal, strictMembers, type StrictMembers } from './read.js';

/** Revocation reasons, with the names of RFC 5280. */
export const REVOCATION_REASONS = ['keyCompromise', 'superseded', 'cessationOfOperation', 'unspecified'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** A root key: it signs key set statements and endorses other roots, but never receipts. */
export interface RootKey {
  /** The RFC 7638 thumbprint of the key. */
  readonly kid: string;
  /** Base64 of the SPKI DER. */
  readonly publicKey: string;
}

/** A signing key as it is added to the history. */
export interface HistoryKey {
  readonly kid: string;
  readonly algorithm: 'Ed25519';
  /** Base64 of the SPKI DER. */
  readonly publicKey: string;
  readonly createdAt: string;
  readonly notBefore: string;
  /** Only for keys imported from an older node. */
  readonly contextUnprotectedBefore?: string;
}

/** A trusted root's endorsement of a new one: its signature over the entry without this member. */
export interface RootEndorsement {
  readonly kid: string;
  /** Base64url, 64 bytes. */
  readonly signature: string;
}

/** The change that one entry of a key history makes. @see docs/spec.md, "Key history" */
export type KeyChange =
  | { readonly type: 'key-added'; readonly key: HistoryKey }
  | { readonly type: 'key-activated'; readonly kid: string }
  | { readonly type: 'key-retired'; readonly kid: string; readonly retiredAt: string }
  | {
      readonly type: 'key-revoked';
      readonly kid: string;
      readonly revokedAt: string;
      readonly reason: RevocationReason;
      readonly compromisedSince?: string;
    }
  | RootIntroduction
  | {
      readonly type: 'root-revoked';
      readonly kid: string;
      readonly reason: RevocationReason;
      readonly compromisedSince?: string;
    };

/** A change that adds a root. Without endorsement only verifiers that pin the root trust it. */
export type RootIntroduction =
  | { readonly type: 'root-added'; readonly root: RootKey; readonly endorsement?: RootEndorsement }
  | {
      readonly type: 'root-replaced';
      /** The root that is replaced. */
      readonly kid: string;
      readonly root: RootKey;
      readonly endorsement?: RootEndorsement;
    };

/**
 * Parses an untrusted change. The result has exactly the members of the input.
 * @throws KeyError KEY_HISTORY_INVALID naming the member and the rule
 */
export function parseKeyChange(value: unknown, place: string): KeyChange {
  const type = isJsonObject(value) ? ownMember(value, 'type') : undefined;
  const read = (required: readonly string[], optional: readonly string[] = []): StrictMembers =>
    strictMembers(value, place, ['type', ...required], optional);
  switch (type) {
    case 'key-added':
      return { type, key: parseHistoryKey(read(['key'])) };
    case 'key-activated':
      return { type, kid: read(['kid']).text('kid') };
    case 'key-retired': {
      const members = read(['kid', 'retiredAt']);
      return { type, kid: members.text('kid'), retiredAt: members.time('retiredAt') };
    }
    case 'key-revoked': {
      const members = read(['kid', 'revokedAt', 'reason'], ['compromisedSince']);
      return { type, kid: members.text('kid'), revokedAt: members.time('revokedAt'), ...revocationOf(members) };
    }
    case 'root-added': {
      const members = read(['root'], ['endorsement']);
      return { type, root: parseRootKey(members), ...endorsementOf(members) };
    }
    case 'root-replaced': {
      const members = read(['kid', 'root'], ['endorsement']);
      return { type, kid: members.text('kid'), root: parseRootKey(members), ...endorsementOf(members) };
    }
    case 'root-revoked': {
      const members = read(['kid', 'reason'], ['compromisedSince']);
      return { type, kid: members.text('kid'), ...revocationOf(members) };
    }
    default:
      throw refusal(`${place}.type`, 'must be a kind of change that this version knows');
  }
}

function revocationOf(members: StrictMembers): { reason: RevocationReason; compromisedSince?: string } {
  const stated = members.text('reason');
  const reason = REVOCATION_REASONS.find((known) => known === stated);
  if (reason === undefined) throw refusal(`${members.place}.reason`, `must be one of ${REVOCATION_REASONS.join(', ')}`);
  return { reason, ...(members.has('compromisedSince') && { compromisedSince: members.time('compromisedSince') }) };
}

function endorsementOf(members: StrictMembers): { endorsement?: RootEndorsement } {
  if (!members.has('endorsement')) return {};
  const endorsement = members.members('endorsement', ['kid', 'signature']);
  return { endorsement: { kid: endorsement.text('kid'), signature: endorsement.text('signature') } };
}

function parseHistoryKey(members: StrictMembers): HistoryKey {
  const key = members.members(
    'key',
    ['kid', 'algorithm', 'publicKey', 'createdAt', 'notBefore'],
    ['contextUnprotectedBefore'],
  );
  const algorithm = key.text('algorithm');
  if (algorithm !== 'Ed25519') throw refusal(`${key.place}.algorithm`, 'must be "Ed25519"');
  readPublicKey(key);
  return {
    kid: key.text('kid'),
    algorithm,
    publicKey: key.text('publicKey'),
    createdAt: key.time('createdAt'),
    notBefore: key.time('notBefore'),
    ...(key.has('contextUnprotectedBefore') && { contextUnprotectedBefore: key.time('contextUnprotectedBefore') }),
  };
}

function parseRootKey(members: StrictMembers): RootKey {
  const root = members.members('root', ['kid', 'publicKey']);
  const kid = root.text('kid');
  if (kid !== jwkThumbprint(readPublicKey(root))) throw refusal(`${root.place}.kid`, "must be the key's thumbprint");
  return { kid, publicKey: root.text('publicKey') };
}

/** Accepts one spelling only: a key with two spellings would be two keys to a reader that compares texts. */
function readPublicKey(members: StrictMembers): PublicKey {
  const text = members.text('publicKey');
  let key: PublicKey;
  try {
    key = publicKeyFromBase64(text);
  } catch (error) {
    if (error instanceof KeyError) throw refusal(`${members.place}.publicKey`, `is unusable (${error.message})`);
    throw error;
  }
  if (toSpkiBase64(key) !== text) throw refusal(`${members.place}.publicKey`, 'must be base64 of the SPKI DER');
  return key;
}
