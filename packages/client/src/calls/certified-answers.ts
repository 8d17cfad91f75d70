import { textOf, type Json } from '../json.js';
import type { Sealed } from '../seal/seal.js';

/** Maximum certificates remembered by the provider's id of their answer. */
const MAX_ANSWERS = 1000;

/** The newest certificates of observed requests, so that a trace names them in place of making its own. */
export interface CertifiedAnswers {
  /** From now on certificates are remembered: before a trace can ask for one, they would only fill the memory. */
  remember(): void;
  add(answer: Json, sealed: Sealed): void;
  /** The newest certificate of an answer with this id; it is found once. */
  take(providerId: string): Sealed | null;
}

export function createCertifiedAnswers(): CertifiedAnswers {
  const sealedById = new Map<string, Sealed>();
  let isAsked = false;
  return {
    remember: () => {
      isAsked = true;
    },
    add: (answer, sealed) => {
      if (!isAsked) return;
      const id = textOf(answer, 'id');
      if (id === null) return;
      sealedById.delete(id);
      sealedById.set(id, sealed);
      const [oldest] = sealedById.keys();
      if (sealedById.size > MAX_ANSWERS && oldest !== undefined) sealedById.delete(oldest);
    },
    take: (providerId) => {
      const sealed = sealedById.get(providerId) ?? null;
      sealedById.delete(providerId);
      return sealed;
    },
  };
}
