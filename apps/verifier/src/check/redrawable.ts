import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { RENDER_SNAPSHOT_TYPE } from '@cer/cer-core';

/** Whether `/redraw.html` can draw what a certificate is about: a still of the portable engine. */
export function isRedrawable(bundle: JsonObject): boolean {
  const snapshot = memberOf(bundle, 'snapshot');
  return (
    memberOf(snapshot, 'type') === RENDER_SNAPSHOT_TYPE &&
    memberOf(memberOf(snapshot, 'engine'), 'name') === 'portable' &&
    memberOf(memberOf(snapshot, 'execution'), 'mode') === 'static'
  );
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? member(value, name) : undefined;
}
