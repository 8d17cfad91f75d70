import type { JsonValue } from '@cer/canonical-json';
import type { Attributes } from './span.js';

interface Branch {
  value?: JsonValue;
  readonly children: Map<string, Branch>;
}

const MAX_SEGMENTS = 24;

/**
 * Rebuilds a value that was flattened into attributes such as `gen_ai.prompt.0.content`: levels whose names are all
 * whole numbers become lists in their order, others objects in the order of their names. Where a name is both a value
 * and a level, the value becomes the level's member `value`.
 * @param prefix with its last dot
 * @returns undefined when no attribute has the prefix
 */
export function unflatten(attributes: Attributes, prefix: string): JsonValue | undefined {
  const root: Branch = { children: new Map() };
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix)) continue;
    let branch = root;
    for (const segment of name.slice(prefix.length).split('.', MAX_SEGMENTS)) {
      const next = branch.children.get(segment) ?? { children: new Map() };
      branch.children.set(segment, next);
      branch = next;
    }
    branch.value = value;
  }
  return root.children.size === 0 ? undefined : joined(root);
}

function joined({ value, children }: Branch): JsonValue {
  if (children.size === 0) return value ?? null;
  const names = [...children.keys()];
  if (value === undefined && names.every((name) => /^\d{1,9}$/.test(name))) {
    return [...children].sort(([a], [b]) => Number(a) - Number(b)).map(([, child]) => joined(child));
  }
  const members = [...children]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, child]): [string, JsonValue] => [name, joined(child)]);
  return Object.fromEntries(value === undefined ? members : [...members, ['value', value]]);
}
