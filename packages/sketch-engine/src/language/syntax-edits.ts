import type { AnyNode } from 'acorn';

/** A change of a script's text. */
export interface Edit {
  readonly at: number;
  /** Number of characters of the script that it replaces. */
  readonly removes: number;
  readonly text: string;
}

export function insertion(at: number, text: string): Edit {
  return { at, removes: 0, text };
}

interface Visitor {
  readonly enter: (node: AnyNode) => void;
  readonly leave: (node: AnyNode) => void;
}

/** Visits every node without recursion: a sketch may be nested as deeply as the parser allows. */
export function walk(root: AnyNode, { enter, leave }: Visitor): void {
  const pending: { readonly node: AnyNode; readonly isLeft: boolean }[] = [{ node: root, isLeft: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, isLeft } = next;
    if (isLeft) {
      leave(node);
      continue;
    }
    enter(node);
    pending.push({ node, isLeft: true });
    for (const value of Object.values(node).flat() as unknown[])
      if (isNode(value)) pending.push({ node: value, isLeft: false });
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string';
}

/** Of several at one place, the earlier in the list comes first: outer nodes open first, inner ones close first. */
export function applyEdits(script: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { at, removes, text } of [...edits].sort((a, b) => a.at - b.at)) {
    parts.push(script.slice(done, at), text);
    done = at + removes;
  }
  return [...parts, script.slice(done)].join('');
}
