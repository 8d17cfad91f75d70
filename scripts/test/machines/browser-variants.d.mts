/** A browser to start in the place of another one. */
export interface BrowserVariant {
  readonly path: string;
  remove(): void;
}

/** @returns why there is none where the browser is another build than the one whose code is known */
export function skiaVariant(browser: string, path: 'without AVX-512' | 'without AVX'): BrowserVariant | string;

export function wrappedVariant(
  browser: string,
  change: { readonly before?: string; readonly flags?: string },
): BrowserVariant;
