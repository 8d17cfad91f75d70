import type { VerifyOptions } from '../../src/verify.js';
import type { JsonObject } from './forge.js';
import { isRaw, type Vector } from './vector.js';

/** One file of the vector folder; its README describes the members. */
export interface Family {
  readonly family: string;
  readonly description: string;
  readonly keySets: Readonly<Record<string, JsonObject>>;
  readonly tests: readonly FamilyTest[];
}

export interface FamilyTest {
  readonly id: string;
  readonly title: string;
  readonly rule: string;
  readonly heading: string;
  readonly kind: 'cer' | 'project';
  readonly options?: Pick<VerifyOptions, 'nodeId' | 'requireAttestation' | 'requireFullArtifact'>;
  /** JSON text. */
  readonly bundle: string;
  /** A name in `keySets`; null: the caller has no keys. */
  readonly keySet: string | null;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** The key set that most tests of a family pin. */
const MAIN = 'node';

/** Equal key sets get one name: `node` for the most frequent one, for each other one the id of its first test. */
export function familyOf(family: string, description: string, vectors: readonly Vector[]): Family {
  const texts = vectors.flatMap(({ keySet }) => (keySet === null ? [] : [JSON.stringify(keySet)]));
  const count = (text: string): number => texts.filter((other) => other === text).length;
  const [main] = [...new Set(texts)].sort((left, right) => count(right) - count(left));
  const names = new Map<string, string>(main === undefined ? [] : [[main, MAIN]]);
  const keySets: Record<string, JsonObject> = {};
  const nameOf = (keySet: JsonObject, id: string): string => {
    const text = JSON.stringify(keySet);
    const name = names.get(text) ?? id;
    names.set(text, name);
    keySets[name] = keySet;
    return name;
  };
  const tests = vectors.map((vector) => testOf(vector, nameOf));
  return { family, description, keySets, tests };
}

function testOf(vector: Vector, nameOf: (keySet: JsonObject, id: string) => string): FamilyTest {
  const { name: id, title, rule, heading, kind, options, bundle, keySet, expected } = vector;
  return {
    ...{ id, title, rule, heading, kind },
    ...(options !== undefined && { options }),
    bundle: isRaw(bundle) ? bundle.rawText : JSON.stringify(bundle),
    keySet: keySet === null ? null : nameOf(keySet, id),
    expected,
  };
}

/** The text of a family as it is committed. */
export function familyText(family: Family): string {
  return `${JSON.stringify(family, null, 2)}\n`;
}
