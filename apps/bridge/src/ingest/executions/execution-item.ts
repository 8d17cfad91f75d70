import { isJsonObject, JsonError, member, parseJson, visibleText, type JsonValue } from '@cer/canonical-json';
import { effectiveProtocolVersion } from '@cer/cer-core';
import { REQUEST_DEPTH } from '@cer/cer-core/seal';
import { PROTOCOLS, type ProtocolVersion } from '@cer/control-plane';
import { MAX_LINE_BYTES } from '../../attestation-node/certify-batch.js';
import type { Item } from '../item.js';
import { hasFewPieces, MAX_PIECES } from '../json-pieces.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The refusal of a body or a line with too many objects, lists and members. */
export const TOO_MANY_PIECES = `objects, lists and members: must be at most ${MAX_PIECES}`;

/** Execution ids of spans; callers may not choose them. */
export const OTEL_PREFIX = 'otel:';

/** A certify request as bytes, one line of NDJSON; null is a line over the node's limit. */
export function itemOfLine(line: Uint8Array | null, index: number, minimum: ProtocolVersion): Item {
  if (line === null) {
    const error = `line: must have at most ${MAX_LINE_BYTES} bytes`;
    return { ...NO_LABEL, index, refusal: { status: 413, error } };
  }
  if (!hasFewPieces(line)) return { ...NO_LABEL, index, refusal: { status: 413, error: TOO_MANY_PIECES } };
  let request: JsonValue;
  try {
    request = parseJson(line, { maxDepth: REQUEST_DEPTH });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { ...NO_LABEL, index, refusal: { status: 400, error: `VALIDATION_ERROR: ${visibleText(error.message)}` } };
  }
  return itemOf(request, line, index, minimum);
}

/** A certify request that was parsed already, as one element of a batch. */
export function itemOfValue(request: JsonValue, index: number, minimum: ProtocolVersion): Item {
  return itemOf(request, Buffer.from(JSON.stringify(request)), index, minimum);
}

/**
 * An element of a batch as it is written. Its value is not kept.
 * @returns null where it is not strict JSON
 */
export function itemOfElement(element: Uint8Array, index: number, minimum: ProtocolVersion): Item | null {
  let request: JsonValue;
  try {
    request = parseJson(element, { maxDepth: REQUEST_DEPTH });
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
  return isLine(element) ? itemOf(request, element, index, minimum) : itemOfValue(request, index, minimum);
}

/** Whether the node takes the text as one line. */
function isLine(text: Uint8Array): boolean {
  return text.length <= MAX_LINE_BYTES && !text.includes(NEWLINE) && !text.includes(RETURN);
}

const NO_LABEL = { executionId: null, provider: null, model: null };

function itemOf(request: JsonValue, line: Uint8Array, index: number, minimum: ProtocolVersion): Item {
  const label = {
    index,
    executionId: textMember(request, 'executionId'),
    provider: textMember(request, 'provider'),
    model: textMember(request, 'model'),
  };
  const fault = bridgeFault(request, minimum);
  return fault === null
    ? { ...label, line }
    : { ...label, refusal: { status: 400, error: `VALIDATION_ERROR: ${fault}` } };
}

/** Faults that only the bridge refuses; the node checks everything else. */
function bridgeFault(request: JsonValue, minimum: ProtocolVersion): string | null {
  if (textMember(request, 'executionId')?.startsWith(OTEL_PREFIX) === true) {
    return `executionId: must not begin with ${OTEL_PREFIX}`;
  }
  const version = effectiveProtocolVersion(isJsonObject(request) ? member(request, 'protocolVersion') : undefined);
  const rank = PROTOCOLS.findIndex((known) => known === version);
  if (rank >= 0 && rank < PROTOCOLS.indexOf(minimum)) {
    return `protocolVersion: must be at least ${minimum} in this account`;
  }
  return null;
}

function textMember(request: JsonValue, name: string): string | null {
  const value = isJsonObject(request) ? member(request, name) : undefined;
  return typeof value === 'string' ? value : null;
}
