import { html, type Html } from '@cer/pages';

/** A time in UTC to the minute, machine-readable too. */
export function moment(iso: string | null, otherwise = 'never'): Html {
  if (iso === null) return html`${otherwise}`;
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
