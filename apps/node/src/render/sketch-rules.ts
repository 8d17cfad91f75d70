import { isJsonArray, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { codemodeRender, effectiveProtocolVersion, isSha256Hash, PROTOCOLS } from '@cer/cer-core';
import { stated } from '@cer/cer-core/seal';

// Rules shared by the routes that run sketches. Each returns its faults as `path: rule`.
// @see docs/spec.md, "Rendering"

export const CANVAS = { width: 1950, height: 2400 } as const;

const MAX_VARS = 10;
const MAX_VAR = 100;

export function codeFaults(value: JsonValue | undefined, path: string): string[] {
  if (value === undefined) return [`${path}: is required`];
  return typeof value === 'string' && value !== '' ? [] : [`${path}: must be a non-empty string`];
}

/** Required: a certificate states the seed, so the producer must. */
export function seedFaults(value: JsonValue | undefined, path: string): string[] {
  if (value === undefined) return [`${path}: is required`];
  return typeof value === 'string' ? [] : [`${path}: must be a string`];
}

/** Required, as the seed is; an empty array means that every variable is 0. */
export function varsFaults(value: JsonValue | undefined, path: string): string[] {
  if (value === undefined) return [`${path}: is required`];
  if (!isJsonArray(value)) return [`${path}: must be an array of numbers`];
  return [
    ...(value.length > MAX_VARS ? [`${path}: must have at most ${MAX_VARS} numbers`] : []),
    ...value.flatMap((item, index) =>
      typeof item === 'number' && item >= 0 && item <= MAX_VAR
        ? []
        : [`${path}[${index}]: must be a number from 0 to ${MAX_VAR}`],
    ),
  ];
}

/** Protocols with commitments do not apply to pictures. */
export function renderProtocolFaults(value: JsonValue | undefined, path: string): string[] {
  const version = effectiveProtocolVersion(value);
  const protocol = version === null ? undefined : PROTOCOLS.get(version);
  if (protocol !== undefined && codemodeRender.supportsProtocol(protocol)) return [];
  const allowed = [...PROTOCOLS.values()]
    .filter((row) => codemodeRender.supportsProtocol(row))
    .map((row) => row.version);
  return [`${path}: must be one of ${allowed.join(', ')}`];
}

export function hashFaults(object: JsonObject, names: readonly string[]): string[] {
  return names
    .filter((name) => stated(object, name) !== undefined && !isSha256Hash(stated(object, name)))
    .map((name) => `${name}: must be sha256: and 64 lower-case hex digits`);
}

export function textOr(value: JsonValue | undefined, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

export function numbersIn(value: JsonValue | undefined): readonly number[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'number') : [];
}
