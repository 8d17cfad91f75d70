import type { Outcome } from '../check/headline.js';
import { recordPath } from './record-path.js';
import { TEXTS } from './texts.js';

/** Pixels of the frame; a page that embeds it may give it another size. */
export const EMBED_SIZE = { width: 480, height: 120 } as const;

export interface EmbeddedRecord {
  readonly kind: 'certificate' | 'project';
  readonly hash: string;
  /** Absolute, from configuration only. */
  readonly publicUrl: string;
}

/** The verdict and the hash, as titles of pages and frames. */
export function verdictTitle({ headline }: Outcome, hash: string): string {
  return `${TEXTS.headlines[headline].title}: ${shortHash(hash)}`;
}

/** The element with which a page of another site shows the verdict. */
export function embedCode({ kind, hash, publicUrl }: EmbeddedRecord, size: { width: number; height: number }): string {
  const attributes = {
    src: `${publicUrl}/embed${recordPath(kind, hash)}`,
    title: `${TEXTS.embed.title[kind]} ${shortHash(hash)}`,
    width: String(size.width),
    height: String(size.height),
    loading: 'lazy',
    sandbox: 'allow-popups allow-popups-to-escape-sandbox',
    style: 'border:0;max-width:100%',
  };
  const text = Object.entries(attributes).map(([name, value]) => ` ${name}="${value.replaceAll('&', '&amp;')}"`);
  return `<iframe${text.join('')}></iframe>`;
}

export function shortHash(hash: string): string {
  return `${hash.slice(0, 15)}…`;
}
