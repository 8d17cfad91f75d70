import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
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
  return entries.flatMap((entry, index) => {
    const before = index === 0 ? null : entries[index - 1];
    const findings: Finding[] = [];
    const isWithdrawn = withdrawn.has(entry.stepId) && member(embedded, entry.stepId) === undefined;
    const expected = before?.certificateHash ?? null;
    if (!isWithdrawn && previous[index] !== expected) {
      findings.push({
        code: 'CHAIN_BREAK_DETECTED',
        member: `embeddedBundles.${entry.stepId}.snapshot.prevStepHash`,
        detail: index === 0 ? 'must be absent in the first step' : 'must name the step registered before it',
        ...(expected !== null && { expected }),
        ...(typeof previous[index] === 'string' && { computed: previous[index] }),
      });
    }
    if (
      before != null &&
      before.sequence !== null &&
      entry.sequence !== null &&
      entry.sequence !== before.sequence + 1
    ) {
      findings.push({
        code: 'CHAIN_BREAK_DETECTED',
        member: `stepRegistry[${index}].sequence`,
        detail: 'must follow the sequence of the step before it',
      });
    }
    return findings;
  });
}

function previousStepHash(bundle: unknown): string | null {
  const snapshot = isJsonObject(bundle) ? member(bundle, 'snapshot') : undefined;
  const hash = isJsonObject(snapshot) ? member(snapshot, 'prevStepHash') : undefined;
  return typeof hash === 'string' ? hash : null;
}
