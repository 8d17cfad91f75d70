import type { CanonicalizationProfile } from '@cer/canonical-json';
import { jcsV1, svcV1 } from '../profiles.js';

/** All that varies with `snapshot.protocolVersion`. A new protocol needs a row here and a vector family. */
export interface Protocol {
  readonly version: string;
  readonly profile: CanonicalizationProfile;
  /** plain: input and output leave only hashes; commitments: they are sealed objects. */
  readonly sealing: 'plain' | 'commitments';
  /** The verdict of an attested bundle whose content is valid. */
  readonly verdict: 'VERIFIED' | 'VERIFIED_CONFIDENTIAL';
  /** Members every snapshot must have beyond those of its bundle type. */
  readonly requiredMembers: readonly string[];
  /** The members `parameters` must have, exactly; null leaves it free. */
  readonly exactParameters: readonly string[] | null;
}

const fourParameters = ['temperature', 'maxTokens', 'topP', 'seed'] as const;

const rows: readonly Protocol[] = [
  {
    version: '1.2.0',
    profile: svcV1,
    sealing: 'plain',
    verdict: 'VERIFIED',
    requiredMembers: [],
    exactParameters: null,
  },
  {
    version: '1.3.0',
    profile: jcsV1,
    sealing: 'plain',
    verdict: 'VERIFIED',
    requiredMembers: [],
    exactParameters: null,
  },
  {
    version: '1.3.1',
    profile: jcsV1,
    sealing: 'commitments',
    verdict: 'VERIFIED_CONFIDENTIAL',
    requiredMembers: ['prompt', 'parameters', 'input', 'output'],
    exactParameters: fourParameters,
  },
];

/** A Map, so that `"__proto__"` and `"constructor"` find nothing. */
export type ProtocolRegistry = ReadonlyMap<string, Protocol>;

export function protocolRegistry(protocols: readonly Protocol[]): ProtocolRegistry {
  return new Map(protocols.map((protocol) => [protocol.version, protocol]));
}

export const PROTOCOLS: ProtocolRegistry = protocolRegistry(rows);

/** The version that an absent or null `protocolVersion` means. */
export const IMPLIED_PROTOCOL_VERSION = '1.2.0';

/** The version that the node recommends for new records. */
export const RECOMMENDED_PROTOCOL_VERSION = '1.3.1';

/** The protocol of human reviews: input and output become commitments. @see docs/spec.md, "Human reviews" */
export const REVIEW_PROTOCOL_VERSION = '1.3.1';

/** The version a bundle or request is under: absent and null are 1.2.0; any other non-string is not a version. */
export function effectiveProtocolVersion(stated: unknown): string | null {
  if (stated === undefined || stated === null) return IMPLIED_PROTOCOL_VERSION;
  return typeof stated === 'string' ? stated : null;
}

/** The row for a stated `protocolVersion`, or null: verifiers fail closed on unknown values. */
export function protocolFor(stated: unknown, registry: ProtocolRegistry = PROTOCOLS): Protocol | null {
  const version = effectiveProtocolVersion(stated);
  return version === null ? null : (registry.get(version) ?? null);
}
