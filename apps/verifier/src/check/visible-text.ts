import { visible } from '@cer/pages/visible';
import type { ArtefactCheck } from './check-result.js';

/** A check with every text of the file made visible. Texts for copying, and reports for programs, stay exact. */
export function withVisibleText<Check extends ArtefactCheck>(check: Check): Check {
  const { report, nodeResponse, handCheck } = check;
  // Strings take the place of strings, so it stays a check.
  return { ...(visibleIn(check) as Check), report, nodeResponse, handCheck };
}

function visibleIn(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(visibleIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visibleIn(inner)]));
}
