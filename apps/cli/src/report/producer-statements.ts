import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';

/** Times that the producer wrote into a certificate; no node vouches for them. */
export interface StatedTimes {
  readonly createdAt: string | null;
  readonly timestamp: string | null;
}

export function statedTimes(bundle: JsonObject | null): StatedTimes | null {
  if (bundle === null) return null;
  const snapshot = member(bundle, 'snapshot');
  return {
    createdAt: textOrNull(bundle, 'createdAt'),
    timestamp: isJsonObject(snapshot) ? textOrNull(snapshot, 'timestamp') : null,
  };
}

/** Members of the snapshot that say what was executed, as label and text; only those that are there. */
export function statedExecution(bundle: JsonObject | null): [string, string][] {
  const snapshot = bundle === null ? undefined : member(bundle, 'snapshot');
  if (!isJsonObject(snapshot)) return [];
  return EXECUTION_MEMBERS.flatMap(([name, label]): [string, string][] => {
    const text = textOrNull(snapshot, name);
    return text === null ? [] : [[label, text]];
  });
}

const EXECUTION_MEMBERS = [
  ['executionId', 'Execution'],
  ['provider', 'Provider'],
  ['model', 'Model'],
  ['modelVersion', 'Model version'],
  ['appId', 'Application'],
  ['prompt', 'Prompt'],
] as const;

function textOrNull(object: JsonObject, name: string): string | null {
  const value = member(object, name);
  return typeof value === 'string' ? value : null;
}
