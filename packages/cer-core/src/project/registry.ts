import { isJsonArray, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash, type Sha256Hash } from '../hash.js';
import { schemaFinding, type Finding } from '../finding.js';
import { faultsOfElements, nonEmptyText } from '../schema/rules.js';

/** One line of `stepRegistry`, as far as this protocol knows its members; it is hashed whole. */
export interface RegistryEntry {
  readonly stepId: string;
  readonly certificateHash: Sha256Hash;
  readonly sequence: number | null;
  readonly executionId: string | null;
  readonly modelIdentity: JsonValue | undefined;
  readonly parentStepIds: readonly string[];
  /** An entry before has this step. Its bundle is judged there alone: a hostile registry may name it any number of times. */
  readonly isRepeated: boolean;
}

export type RegistryReading =
  | { readonly entries: readonly RegistryEntry[]; readonly findings: readonly [] }
  | { readonly entries: null; readonly findings: readonly Finding[] };

/** Reads the registry; faults of form are SCHEMA_ERROR or INVALID_SHA256_FORMAT. */
export function readRegistry(project: JsonObject): RegistryReading {
  const registry = member(project, 'stepRegistry');
  if (!isJsonArray(registry)) return { entries: null, findings: [schemaFinding('stepRegistry', 'must be an array')] };
  const entries: RegistryEntry[] = [];
  const seen = new Set<string>();
  const findings = faultsOfElements(registry, (element, index) => {
    const faults: Finding[] = [];
    const entry = readEntry(element, `stepRegistry[${index}]`, faults);
    if (entry !== null) {
      entries.push({ ...entry, isRepeated: seen.has(entry.stepId) });
      seen.add(entry.stepId);
    }
    return faults;
  });
  return findings.length > 0 ? { entries: null, findings } : { entries, findings: [] };
}

function readEntry(entry: JsonValue, path: string, findings: Finding[]): Omit<RegistryEntry, 'isRepeated'> | null {
  if (!isJsonObject(entry)) {
    findings.push(schemaFinding(path, 'must be an object'));
    return null;
  }
  const before = findings.length;
  const stepId = member(entry, 'stepId');
  const certificateHash = member(entry, 'certificateHash');
  const sequence = member(entry, 'sequence');
  const executionId = member(entry, 'executionId');
  const { parentStepIds: parents = [] } = entry;
  if (nonEmptyText(stepId ?? null) !== null)
    findings.push(schemaFinding(`${path}.stepId`, 'must be a non-empty string'));
  if (!isSha256Hash(certificateHash)) {
    findings.push({
      code: 'INVALID_SHA256_FORMAT',
      member: `${path}.certificateHash`,
      detail: 'must be sha256: and 64 lower-case hex digits',
    });
  }
  if (sequence !== undefined && !Number.isSafeInteger(sequence)) {
    findings.push(schemaFinding(`${path}.sequence`, 'must be an integer'));
  }
  if (executionId !== undefined && typeof executionId !== 'string') {
    findings.push(schemaFinding(`${path}.executionId`, 'must be a string'));
  }
  if (!Array.isArray(parents) || !parents.every((parent) => typeof parent === 'string')) {
    findings.push(schemaFinding(`${path}.parentStepIds`, 'must be an array of strings'));
    return null;
  }
  if (findings.length > before || typeof stepId !== 'string' || !isSha256Hash(certificateHash)) return null;
  return {
    stepId,
    certificateHash,
    sequence: typeof sequence === 'number' ? sequence : null,
    executionId: typeof executionId === 'string' ? executionId : null,
    modelIdentity: member(entry, 'modelIdentity'),
    parentStepIds: parents,
  };
}
