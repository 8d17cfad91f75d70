// The suite's own canonical text, by RFC 8785 for well-formed values, and its own hashes: it expects nothing that the
// implementation under test computed.
import { createHash, createHmac } from 'node:crypto';

/** @returns {string} the canonical text of a JSON value without lone surrogates */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
}

export function sha256(text) {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The hash of a raw input or output: a string as its bytes, another value as canonical JSON. */
export function valueHash(value) {
  return sha256(bytesOf(value));
}

/** The sealed form of a value under 1.3.1. @param {Buffer} salt */
export function commitmentTo(value, salt) {
  const commitment = `sha256:${createHmac('sha256', salt).update(bytesOf(value)).digest('hex')}`;
  return { _redacted: true, scheme: 'hmac-sha256-v1', commitment };
}

function bytesOf(value) {
  return typeof value === 'string' ? value : canonical(value);
}

const HASHED = [
  'bundleType',
  'version',
  'createdAt',
  'snapshot',
  'context',
  'contextSummary',
  'policyEvaluation',
  'protectedSet',
];

/** The bundle with its certificateHash, over the members in hash scope. */
export function withHash(bundle) {
  const hashed = Object.fromEntries(HASHED.filter((name) => name in bundle).map((name) => [name, bundle[name]]));
  return { ...bundle, certificateHash: sha256(canonical(hashed)) };
}
