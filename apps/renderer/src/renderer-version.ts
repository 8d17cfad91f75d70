import { createHash } from 'node:crypto';
import { CHROMIUM_FLAGS, LIBRARY_TUNABLES } from './browser/flags.js';
import type { BrowserBinary } from './browser/resolve.js';
import { HASH_SCHEME } from '@cer/sketch-engine/render-rules';
import type { PageBundle } from './sandbox/page-bundle.js';

/** Everything that determines pixels. */
export interface RenderingParts {
  readonly browserVersion: string;
  readonly binary: BrowserBinary;
  readonly bundle: Pick<PageBundle, 'digest' | 'sdkVersion'>;
  readonly fontsDigest: string;
  /** Of the browser's own canvas on this machine. */
  readonly fingerprint: string;
}

/**
 * Names the renderer: `chromium-156.0.8078.79+codemode-1.8.4+<16 hex>`, the digest over the browser's file, the page's
 * scripts (the module of Math is part of them), the fonts, the flags, the hash scheme, and
 * the fingerprint of the browser's canvas on this machine.
 */
export function rendererVersionOf({
  browserVersion,
  binary,
  bundle,
  fontsDigest,
  fingerprint,
}: RenderingParts): string {
  const digest = createHash('sha256')
    .update(
      JSON.stringify([
        binary.digest,
        bundle.digest,
        fontsDigest,
        CHROMIUM_FLAGS,
        LIBRARY_TUNABLES,
        HASH_SCHEME,
        fingerprint,
      ]),
    )
    .digest('hex');
  return `chromium-${browserVersion}+codemode-${bundle.sdkVersion}+${digest.slice(0, 16)}`;
}
