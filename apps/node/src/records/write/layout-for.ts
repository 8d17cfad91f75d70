import type { JsonObject } from '@cer/canonical-json';
import { bundleTypeOf, type Layout } from '@cer/cer-core';

/** The layout of a bundle that this node has just sealed or verified. */
export function layoutFor(bundle: JsonObject): Layout {
  const layout = bundleTypeOf(bundle)?.read(bundle)?.layout;
  if (layout == null) throw new Error('a sealed bundle has a layout');
  return layout;
}
