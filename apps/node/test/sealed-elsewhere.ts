import { randomUUID } from 'node:crypto';

import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { bundleTypeOf, PROTOCOLS } from '@cer/cer-core';
import { sealBundle } from '@cer/cer-core/seal';
import { sealed } from '@cer/cer-core/testing';

/** A v1 bundle under 1.2.0 that was sealed elsewhere, with any members in its snapshot. */
export function sealedElsewhere({ snapshot, ...members }: { readonly snapshot: JsonObject } & JsonObject): JsonObject {
  const usual = sealed({ executionId: randomUUID() }).bundle;
  const usualSnapshot = usual['snapshot'];
  if (!isJsonObject(usualSnapshot)) throw new Error('a sealed bundle has a snapshot');
  const bundle: JsonObject = { ...usual, ...members, snapshot: { ...usualSnapshot, ...snapshot } };
  const layout = bundleTypeOf(bundle)?.read(bundle)?.layout;
  const protocol = PROTOCOLS.get('1.2.0');
  if (layout == null || protocol === undefined) throw new Error('v1 has a layout and a protocol');
  return sealBundle(bundle, layout, protocol).bundle;
}
