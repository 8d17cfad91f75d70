/** Strict JSON in, canonical JSON out. Pure: no network, disk, clock or environment, and no dependency. */
export { jcsV1, svcV1, type CanonicalizationProfile } from './canonical/canonicalize.js';
export { isSameJson } from './canonical/same-json.js';
export { isWellFormed } from './canonical/text.js';
export { JsonError, type JsonErrorCode } from './errors.js';
export { withLongIntegersAsText } from './strict/long-integers.js';
export { MAX_DEPTH, parseJson } from './strict/parse.js';
export { exceedsDepth } from './value/depth.js';
export {
  elementsOf,
  isJsonArray,
  isJsonObject,
  member,
  pickPresent,
  setMember,
  type JsonObject,
  type JsonValue,
} from './value/json-value.js';
export { appendPath, formatPath, shownName } from './value/path.js';
export { visibleText } from './value/visible-text.js';
