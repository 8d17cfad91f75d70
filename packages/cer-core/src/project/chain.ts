import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isRedacted } from '../bundle-types/layout.js';
import { RESEAL } from '../bundle-types/registry.js';
import type { Finding } from '../finding.js';
import type { RegistryEntry } from './registry.js';

/**
 * If one step names its predecessor, all but the first must, each naming the hash registered before it, and their
 * sequence must have no gap. Registry hashes are compared, so a resealed or withdrawn step does not break the chain.
 * @see docs/spec.md, "Chains"
 */
export function checkChain(
  embedded: JsonObject,
  entries: readonly RegistryEntry[],
  withdrawn: ReadonlySet<string>,
): Finding[] {
  const previous = entries.map(({ stepId }) => previousStepHash(member(embedded, stepId)));
  if (previous.every((hash) => hash === null)) return [];
  let lastSequence: number | null = null;
  return entries.flatMap((entry, index) => {
    const before = index === 0 ? null : entries[index - 1];
    const findings: Finding[] = [];
    const bundle = member(embedded, entry.stepId);
    const isHidden = bundle === undefined ? withdrawn.has(entry.stepId) : before !== null && hidesPrevious(bundle);
    const expected = before?.certificateHash ?? null;
    if (!entry.isRepeated && !isHidden && previous[index] !== expected) {
      findings.push({
        code: 'CHAIN_BREAK_DETECTED',
        member: `embeddedBundles.${entry.stepId}.snapshot.prevStepHash`,
        detail: index === 0 ? 'must be absent in the first step' : 'must name the step registered before it',
        ...(expected !== null && { expected }),
        ...(typeof previous[index] === 'string' && { computed: previous[index] }),
      });
    }
    if (lastSequence !== null && entry.sequence !== null && entry.sequence !== lastSequence + 1) {
      findings.push({
        code: 'CHAIN_BREAK_DETECTED',
        member: `stepRegistry[${index}].sequence`,
        detail: 'must follow the sequence that was given before it',
      });
    }
    lastSequence = entry.sequence ?? lastSequence;
    return findings;
  });
}

/** Whether a reseal removed the hash, or the snapshot with it: the whole certificate may have it. */
function hidesPrevious(bundle: JsonValue): boolean {
  if (!isJsonObject(bundle) || member(bundle, 'bundleType') !== RESEAL) return false;
  const snapshot = member(bundle, 'snapshot');
  return !isJsonObject(snapshot) || isRedacted(member(snapshot, 'prevStepHash'));
}

/** A value of any type: one that is not a hash is a broken link, never an absent one. */
function previousStepHash(bundle: unknown): JsonValue {
  const snapshot = isJsonObject(bundle) ? member(bundle, 'snapshot') : undefined;
  return (isJsonObject(snapshot) ? member(snapshot, 'prevStepHash') : undefined) ?? null;
}
