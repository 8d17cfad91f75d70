import { exceedsDepth, MAX_DEPTH, member, type JsonObject } from '@cer/canonical-json';
import { BUNDLE_TYPES } from '../bundle-types/registry.js';
import { PROTOCOLS } from '../protocols/protocols.js';
import { schemaFinding, type Finding } from '../finding.js';
import { checkIntegrity, type Integrity } from './integrity.js';
import { findingsOf } from './layer.js';
import { readSubject, type Subject } from './subject.js';

/** Findings of layer 1 in a bundle, for a node that attests it. */
export interface ContentCheck {
  readonly subject: Subject;
  readonly findings: readonly Finding[];
  /** The hashed text, which attesting reuses. */
  readonly hashed: Integrity['hashed'];
}

/** Layer 1 alone: form and hashes, no signature. @see docs/spec.md, "Layer 1: integrity" */
export function checkContent(bundle: JsonObject): ContentCheck {
  const subject = readSubject(bundle, null, { protocols: PROTOCOLS, bundleTypes: BUNDLE_TYPES });
  const { outcome, hashed } = checkIntegrity(subject);
  if (isTooDeep(bundle, hashed)) {
    return { subject, findings: [schemaFinding('', `nested deeper than ${MAX_DEPTH.canonical} levels`)], hashed: null };
  }
  return { subject, findings: findingsOf(outcome), hashed };
}

/** Of members with a canonical form the depth is known: there is none below. */
function isTooDeep(bundle: JsonObject, hashed: Integrity['hashed']): boolean {
  if (hashed === null) return exceedsDepth(bundle, MAX_DEPTH.canonical);
  const { projection } = hashed;
  return Object.keys(bundle).some((name) => {
    const value = member(bundle, name);
    return value !== member(projection, name) && exceedsDepth(value, MAX_DEPTH.canonical - 1);
  });
}
