import type { VNode } from 'preact';
import { TEXTS } from './texts.js';

/** Text to copy; the button works wherever the page's script runs, and is hidden where it does not. */
export function CopyBlock({
  id,
  label,
  text,
  note,
}: {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly note?: string;
}): VNode {
  return (
    <div class="copy-block">
      <div class="copy-head">
        <h3 id={`${id}-label`}>{label}</h3>
        <CopyButton target={id} label={label} />
      </div>
      <pre id={id} tabIndex={0} role="region" aria-labelledby={`${id}-label`}>
        {text}
      </pre>
      {note !== undefined && <p class="note">{note}</p>}
    </div>
  );
}

export function CopyButton({ target, label }: { readonly target: string; readonly label: string }): VNode {
  return (
    <button type="button" class="copy needs-script" data-copy={target} aria-label={`${TEXTS.site.copy}: ${label}`}>
      {TEXTS.site.copy}
    </button>
  );
}

/** A hash: never broken by a search, always whole for a copy. */
export function Hash({ value, id }: { readonly value: string; readonly id?: string }): VNode {
  return (
    <code class="hash" {...(id !== undefined && { id })}>
      {value}
    </code>
  );
}
