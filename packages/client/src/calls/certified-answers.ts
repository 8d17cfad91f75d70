import type { Sealed } from '../seal/seal.js';

/** Maximum names of answers remembered; an answer has up to three, and one more behind a gateway. */
const MAX_NAMES = 3000;

/** A call and the hash of its certificate. */
export interface SealedCall {
  readonly executionId: string;
  readonly certificateHash: string;
}

/** An answer that has a certificate. */
export interface CertifiedAnswer {
  /** Null for an answer that is older than the first processor of traces. */
  readonly sealed: Sealed | null;
}

/** An answer that the program has, and its certificate once it has one. */
export interface ObservedAnswer {
  certificate: SealedCall | null;
}

interface Named extends CertifiedAnswer {
  /** Null for an answer without a certificate. */
  readonly call: SealedCall | null;
  /** Several answers had this name. */
  readonly isShared: boolean;
  isTaken: boolean;
}

/** The newest answers of observed requests, by their names: ids of the provider, and the hashes of their content. */
export interface CertifiedAnswers {
  /** From now on certificates are kept: before a trace can ask for one, hashes are enough, and bundles fill the memory. */
  remember(): void;
  /**
   * @param names null for those that the answer does not have
   * @param sealed null for an answer without a certificate
   * @returns its call, without the bundle
   */
  add(names: readonly (string | null)[], sealed: Sealed | null): SealedCall | null;
  /** The newest answer with this name; it is found once. */
  take(name: string): CertifiedAnswer | null;
  /** The one answer with this name; null where several have it. */
  find(name: string): SealedCall | null;
  /** Do answers have this name? */
  isKnown(name: string): boolean;
  /** Responses in the hands of the program. */
  readonly responses: WeakMap<object, ObservedAnswer>;
}

export function createCertifiedAnswers(): CertifiedAnswers {
  const named = new Map<string, Named>();
  let isAsked = false;
  return {
    remember: () => {
      isAsked = true;
    },
    add: (names, sealed) => {
      const call =
        sealed === null ? null : { executionId: sealed.executionId, certificateHash: sealed.certificateHash };
      for (const name of new Set(names)) {
        if (name === null) continue;
        const isShared = named.delete(name);
        named.set(name, { call, sealed: isAsked ? sealed : null, isShared, isTaken: false });
        const [oldest] = named.keys();
        if (named.size > MAX_NAMES && oldest !== undefined) named.delete(oldest);
      }
      return call;
    },
    take: (name) => {
      const found = named.get(name);
      if (found === undefined || found.call === null || found.isTaken) return null;
      found.isTaken = true;
      return found;
    },
    find: (name) => {
      const found = named.get(name);
      return found === undefined || found.isShared ? null : found.call;
    },
    isKnown: (name) => named.has(name),
    responses: new WeakMap(),
  };
}
