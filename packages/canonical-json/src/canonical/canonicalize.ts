import { JsonError } from '../errors.js';
import { MAX_DEPTH } from '../strict/parse.js';
import { findCanonicalFault } from './fault.js';
import type { LoneSurrogates } from './text.js';
import { createCanonicalWriter } from './writer.js';

/** A canonicalization profile by the name that reports give it. */
export interface CanonicalizationProfile {
  readonly name: 'svc-v1' | 'jcs-v1';
  /**
   * @returns the canonical JSON text; its UTF-8 bytes are what is hashed and signed
   * @throws JsonError NO_CANONICAL_FORM with the path of the value that has no canonical form
   * @see docs/spec.md, "Canonicalization profiles"
   */
  readonly canonicalize: (value: unknown) => string;
}

function profile(name: CanonicalizationProfile['name'], loneSurrogates: LoneSurrogates): CanonicalizationProfile {
  const write = createCanonicalWriter(loneSurrogates, MAX_DEPTH.canonical);
  return {
    name,
    canonicalize: (value) => {
      const text = write(value);
      if (text !== null) return text;
      const fault = findCanonicalFault(value, loneSurrogates, MAX_DEPTH.canonical);
      throw new JsonError('NO_CANONICAL_FORM', fault?.path ?? '', fault?.rule ?? 'has no canonical form');
    },
  };
}

/** The legacy profile of protocol 1.2.0: like jcs-v1, but a lone surrogate is written as a lower-case escape. */
export const svcV1 = profile('svc-v1', 'escape');

/** RFC 8785, the JSON Canonicalization Scheme, strictly. */
export const jcsV1 = profile('jcs-v1', 'refuse');
