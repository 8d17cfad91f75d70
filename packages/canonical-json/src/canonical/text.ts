/** The complement of `"`, `\`, controls and surrogates: the engine searches it faster than the class itself. */
const needsCare = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
const surrogate = /[\ud800-\udfff]/;
const loneSurrogate = /\p{Surrogate}/u;

/** False when the text holds half of a surrogate pair, which UTF-8 cannot express. */
export function isWellFormed(text: string): boolean {
  // Most text has no surrogate, and a search by code points takes four times as long.
  return !surrogate.test(text) || !loneSurrogate.test(text);
}

/** True when the text between quotes is its JSON: no character needs an escape or is half of a pair. */
export function isPlain(text: string): boolean {
  return !needsCare.test(text);
}

/** The treatment of half a surrogate pair inside canonical JSON: the only difference between the two profiles. */
export type LoneSurrogates = 'escape' | 'refuse';

/** Quotes as RFC 8785 does; null for a lone surrogate that is to be refused. */
export function quote(text: string, loneSurrogates: LoneSurrogates): string | null {
  return isPlain(text) ? `"${text}"` : escape(text, loneSurrogates);
}

/** `quote` for text that is not plain. */
export function escape(text: string, loneSurrogates: LoneSurrogates): string | null {
  // JSON.stringify writes minimal escapes and a lone surrogate as \ud800, in lower case: exactly svc-v1.
  if (loneSurrogates === 'refuse' && !isWellFormed(text)) return null;
  return JSON.stringify(text);
}
