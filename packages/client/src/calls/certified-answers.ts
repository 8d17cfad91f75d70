import { textOf, type Json } from '../json.js';
import type { Sealed } from '../seal/seal.js';

/** Maximum answers remembered by the provider's id. */
const MAX_ANSWERS = 1000;

/** An answer that has a certificate. */
export interface CertifiedAnswer {
  /** Null for an answer that is older than the first processor of traces. */
  readonly sealed: Sealed | null;
}

/** The newest answers of observed requests, so that a trace names their certificates in place of making its own. */
export interface CertifiedAnswers {
  /** From now on certificates are kept: before a trace can ask for one, ids are enough, and bundles fill the memory. */
  remember(): void;
  add(answer: Json, sealed: Sealed): void;
  /** The newest answer with this id; it is found once. */
  take(providerId: string): CertifiedAnswer | null;
}

export function createCertifiedAnswers(): CertifiedAnswers {
  const sealedById = new Map<string, Sealed | null>();
  let isAsked = false;
  return {
    remember: () => {
      isAsked = true;
    },
    add: (answer, sealed) => {
      const id = textOf(answer, 'id');
      if (id === null) return;
      sealedById.delete(id);
      sealedById.set(id, isAsked ? sealed : null);
      const [oldest] = sealedById.keys();
      if (sealedById.size > MAX_ANSWERS && oldest !== undefined) sealedById.delete(oldest);
    },
    take: (providerId) => {
      const sealed = sealedById.get(providerId);
      sealedById.delete(providerId);
      return sealed === undefined ? null : { sealed };
    },
  };
}
