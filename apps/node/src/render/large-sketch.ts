import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { LargeSketchKind } from '../large-work/large-job.js';
import { parseImageRequest } from './render-image.js';
import { parseRenderRequest } from './verify-request.js';

/** Members that the routes read. All others are ignored, however large they are. */
const IMAGE_MEMBERS = ['code', 'seed', 'VAR', 'width', 'height', 'protocolVersion', 'engine', 'certify', 'executionId'];
const RENDER_MEMBERS = ['executionId', 'expectedHash', 'expectedAnimationHash', 'expectedPosterHash'];
const SNAPSHOT_MEMBERS = ['code', 'seed', 'vars', 'protocolVersion', 'engine', 'rendererVersion'];
const EXECUTION_MEMBERS = ['mode', 'totalFrames', 'fps'];

/** Characters of JSON of an array or object up to which it is kept: an engine has some hundred. */
const MAX_CHARACTERS = 4096;

/**
 * Checks a large request about a sketch, and reduces it to the members that its route reads. The route parses and
 * checks the result quickly, and answers as it would answer the whole request.
 * @throws ServiceError VALIDATION_ERROR with every fault
 */
export function reducedSketch(kind: LargeSketchKind, body: JsonValue, tenantId: string): JsonObject {
  if (kind === 'image') {
    parseImageRequest(body, tenantId);
    return isJsonObject(body) ? picked(body, IMAGE_MEMBERS) : {};
  }
  parseRenderRequest(body, tenantId);
  const snapshot = partOf(body, 'snapshot');
  const execution = picked(partOf(snapshot, 'execution'), EXECUTION_MEMBERS);
  return {
    ...picked(isJsonObject(body) ? body : {}, RENDER_MEMBERS),
    snapshot: { ...picked(snapshot, SNAPSHOT_MEMBERS), execution },
  };
}

function picked(object: JsonObject, names: readonly string[]): JsonObject {
  const members = names.map((name) => [name, member(object, name)] as const);
  return Object.fromEntries(
    members.flatMap(([name, value]) => (value === undefined ? [] : [[name, withoutLargeParts(value)]])),
  );
}

/**
 * No route reads into large arrays and objects. An engine without its versions is refused, as it would be with them.
 */
function withoutLargeParts(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || JSON.stringify(value).length <= MAX_CHARACTERS) return value;
  const name = isJsonObject(value) ? member(value, 'name') : undefined;
  return name === undefined ? {} : { name };
}

function partOf(value: JsonValue, name: string): JsonObject {
  const part = isJsonObject(value) ? member(value, name) : undefined;
  return isJsonObject(part) ? part : {};
}
