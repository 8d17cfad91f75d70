import { isJsonArray, isJsonObject, isSameJson, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { REDACTED } from '../bundle-types/layout.js';
import { RESEAL } from '../bundle-types/registry.js';
import type { Finding } from '../finding.js';
import type { RegistryEntry } from './registry.js';

// Consistency of the parts of a project. All faults are STEP_REGISTRY_MISMATCH. @see docs/spec.md, "Project structure"

function mismatch(member: string, detail: string, expected?: string, computed?: string): Finding {
  return {
    code: 'STEP_REGISTRY_MISMATCH',
    member,
    detail,
    ...(expected !== undefined && { expected }),
    ...(computed !== undefined && { computed }),
  };
}

/** @param withdrawn steps that the node withdrew; only they may be missing */
export function checkStructure(
  project: JsonObject,
  entries: readonly RegistryEntry[],
  withdrawn: ReadonlySet<string>,
): Finding[] {
  return [
    ...checkCount(project, entries),
    ...checkUnique(entries),
    ...checkParents(entries),
    ...checkEmbedded(project, entries, withdrawn),
    ...checkSteps(project, entries),
  ];
}

function checkCount(project: JsonObject, entries: readonly RegistryEntry[]): Finding[] {
  if (entries.length === 0) return [mismatch('stepRegistry', 'must have at least one step')];
  const totalSteps = member(project, 'totalSteps');
  return totalSteps === entries.length ? [] : [mismatch('totalSteps', 'must be the number of registered steps')];
}

function checkUnique(entries: readonly RegistryEntry[]): Finding[] {
  return (['stepId', 'sequence', 'certificateHash', 'executionId'] as const).flatMap((name) => {
    const seen = new Set<string | number>();
    return entries.flatMap((entry, index) => {
      const value = entry[name];
      if (value === null) return [];
      if (seen.has(value)) return [mismatch(`stepRegistry[${index}].${name}`, 'must be unique in the registry')];
      seen.add(value);
      return [];
    });
  });
}

function checkParents(entries: readonly RegistryEntry[]): Finding[] {
  const known = new Map(entries.map((entry) => [entry.stepId, entry]));
  const unknown = entries.flatMap(({ parentStepIds }, index) =>
    parentStepIds.some((parent) => !known.has(parent))
      ? [mismatch(`stepRegistry[${index}].parentStepIds`, 'must name registered steps')]
      : [],
  );
  if (unknown.length > 0) return unknown;
  return hasCycle(entries) ? [mismatch('stepRegistry', 'must have no cycle of parents')] : [];
}

/** Kahn's algorithm: without recursion, so a long chain of hostile parents cannot exhaust the stack. */
function hasCycle(entries: readonly RegistryEntry[]): boolean {
  const waitingFor = new Map(entries.map(({ stepId, parentStepIds }) => [stepId, new Set(parentStepIds).size]));
  const children = new Map<string, string[]>();
  for (const { stepId, parentStepIds } of entries) {
    for (const parent of new Set(parentStepIds)) {
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [stepId]);
      else siblings.push(stepId);
    }
  }
  const ready = entries.filter(({ parentStepIds }) => parentStepIds.length === 0).map(({ stepId }) => stepId);
  let done = 0;
  for (let stepId = ready.pop(); stepId !== undefined; stepId = ready.pop()) {
    done += 1;
    for (const child of children.get(stepId) ?? []) {
      const left = (waitingFor.get(child) ?? 0) - 1;
      waitingFor.set(child, left);
      if (left === 0) ready.push(child);
    }
  }
  return done < waitingFor.size;
}

function checkEmbedded(
  project: JsonObject,
  entries: readonly RegistryEntry[],
  withdrawn: ReadonlySet<string>,
): Finding[] {
  const embedded = member(project, 'embeddedBundles');
  if (!isJsonObject(embedded)) return [mismatch('embeddedBundles', 'must be an object of bundles by stepId')];
  const registered = new Set(entries.map(({ stepId }) => stepId));
  const hasStray = Object.keys(embedded).some((stepId) => !registered.has(stepId));
  return [
    // One finding for any number of them, since it names no step.
    ...(hasStray ? [mismatch('embeddedBundles', 'holds a bundle of no registered step')] : []),
    ...entries.flatMap((entry, index) => {
      if (entry.isRepeated) return [];
      const bundle = member(embedded, entry.stepId);
      if (bundle === undefined && withdrawn.has(entry.stepId)) return [];
      const path = `stepRegistry[${index}]`;
      if (!isJsonObject(bundle)) return [mismatch(path, 'has no embedded bundle')];
      // A package would be compared by its outer members here, but verified by its inner bundle.
      if (isPackage(bundle)) {
        return [mismatch(path, 'embeds a package, where the bundle itself is required')];
      }
      return checkEntryAgainstBundle(entry, bundle, path);
    }),
  ];
}

/** Whether a value in the place of a step has a bundle inside. */
export function isPackage(bundle: JsonValue): boolean {
  return isJsonObject(bundle) && ['cer', 'bundle'].some((name) => Object.hasOwn(bundle, name));
}

/** A reseal's own hash always differs; the signature check compares the hash that its receipt names. */
function checkEntryAgainstBundle(entry: RegistryEntry, bundle: JsonObject, path: string): Finding[] {
  const findings: Finding[] = [];
  const hash = member(bundle, 'certificateHash');
  const isReseal = member(bundle, 'bundleType') === RESEAL;
  if (hash !== entry.certificateHash && !isReseal) {
    findings.push(
      mismatch(
        `${path}.certificateHash`,
        'differs from the embedded bundle',
        entry.certificateHash,
        typeof hash === 'string' ? hash : undefined,
      ),
    );
  }
  const snapshot = member(bundle, 'snapshot');
  if (!isJsonObject(snapshot)) return findings;
  const differs = (registered: JsonValue | undefined, name: string): boolean => {
    const own = member(snapshot, name);
    if (registered === undefined || own === undefined || (isReseal && own === REDACTED)) return false;
    return !isSameJson(own, registered);
  };
  if (differs(entry.executionId ?? undefined, 'executionId'))
    findings.push(mismatch(`${path}.executionId`, 'differs from the snapshot'));
  if (differs(entry.modelIdentity, 'modelIdentity'))
    findings.push(mismatch(`${path}.modelIdentity`, 'differs from the snapshot'));
  return findings;
}

const REGISTRY_MEMBERS = [
  'stepId',
  'sequence',
  'executionId',
  'modelIdentity',
  'parentStepIds',
  'stepLabel',
  'stepType',
];

/** Locally built bundles repeat their steps here. */
function checkSteps(project: JsonObject, entries: readonly RegistryEntry[]): Finding[] {
  const steps = member(project, 'steps');
  if (steps === undefined) return [];
  const registry = member(project, 'stepRegistry');
  const agrees = (name: string, step: JsonObject, index: number): boolean => {
    const registered = isJsonArray(registry) ? registry[index] : undefined;
    const own = isJsonObject(registered) ? member(registered, name) : undefined;
    const again = member(step, name);
    return again === undefined || own === undefined || isSameJson(again, own);
  };
  if (!isJsonArray(steps) || steps.length !== entries.length)
    return [mismatch('steps', 'must list the registered steps')];
  return steps.flatMap((step, index) => {
    const entry = entries[index];
    if (!isJsonObject(step) || entry === undefined) return [mismatch(`steps[${index}]`, 'must be an object')];
    const isSame =
      member(step, 'certificateHash') === entry.certificateHash &&
      REGISTRY_MEMBERS.every((name) => agrees(name, step, index));
    return isSame ? [] : [mismatch(`steps[${index}]`, 'differs from the registry')];
  });
}
