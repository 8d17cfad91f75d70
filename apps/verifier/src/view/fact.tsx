import type { ComponentChildren, VNode } from 'preact';

/** One line of a definition list. */
export function Fact({
  name,
  note,
  children,
}: {
  readonly name: string;
  readonly note?: string | null;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>
        {children}
        {note != null && <span class="note"> {note}</span>}
      </dd>
    </div>
  );
}
