import { html, type Html } from '@cer/pages';

/** A moment as people read it, UTC to the minute, and as machines do. */
export function moment(iso: string | null, otherwise = 'never'): Html {
  if (iso === null) return html`${otherwise}`;
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
