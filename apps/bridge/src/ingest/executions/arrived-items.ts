import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { isJsonArray, isJsonObject, JsonError, member, parseJson, type JsonValue } from '@cer/canonical-json';
import { REQUEST_DEPTH } from '@cer/cer-core/seal';
import {
  arrivedPieces,
  ServiceError,
  validationError,
  type OneAtATime,
  type Reservation,
  type StreamRequest,
} from '@cer/http-service';
import { MAX_BATCH_LINES } from '../../attestation-node/certify-batch.js';
import type { Caller } from '../../control-plane/gate.js';
import type { Item } from '../item.js';
import { hasFewPieces } from '../json-pieces.js';
import { batchElements } from './batch-elements.js';
import { itemOfElement, itemOfValue, TOO_MANY_PIECES } from './execution-item.js';

/** Bytes of a batch that are parsed in one turn of the event loop. */
const SLICE_BYTES = 1024 * 1024;

interface Arriving {
  /** Maximum pause of a body, in ms. */
  readonly stallMs: number;
  readonly inTurn: OneAtATime;
}

/**
 * Reads a body of JSON: the items of a batch, or the one of a single request.
 * @throws ServiceError VALIDATION_ERROR, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, and the error of the reservation
 */
export async function arrivedItems(
  { stallMs, inTurn }: Arriving,
  caller: Caller,
  { body, announcedBytes }: StreamRequest,
  { take }: Reservation,
): Promise<Item | Item[]> {
  const pieces = await arrivedPieces(body, { stallMs, announcedBytes, count: take });
  // Each step is a function of its own: the frame of an async function holds what it read until it ends.
  return inTurn(async () => itemsOf(await pieces.whole(), caller));
}

async function itemsOf(bytes: Buffer, caller: Caller): Promise<Item | Item[]> {
  if (!hasFewPieces(bytes)) throw new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: TOO_MANY_PIECES });
  // A fault has its place in the whole body.
  return (await itemsOfElements(bytes, caller)) ?? itemsOfBody(parsed(bytes), caller);
}

/** The items of a batch, parsed one by one; null where that finds a fault, or something other than a batch. */
async function itemsOfElements(bytes: Buffer, { minimumProtocol }: Caller): Promise<Item[] | null> {
  const elements = batchElements(bytes);
  if (elements === null) return null;
  const items: Item[] = [];
  let pending = 0;
  for (const element of elements) {
    const item = itemOfElement(element, items.length, minimumProtocol);
    if (item === null) return null;
    items.push(item);
    pending += element.length;
    if (pending < SLICE_BYTES) continue;
    pending = 0;
    await nextTurnOfLoop();
  }
  return items;
}

function itemsOfBody(body: JsonValue, { minimumProtocol }: Caller): Item | Item[] {
  const executions = isJsonObject(body) ? member(body, 'executions') : undefined;
  if (executions === undefined) return itemOfValue(body, 0, minimumProtocol);
  if (!isJsonArray(executions) || executions.length === 0 || executions.length > MAX_BATCH_LINES) {
    throw validationError([`executions: must be a list of 1 to ${MAX_BATCH_LINES} certify requests`]);
  }
  return executions.map((request, index) => itemOfValue(request, index, minimumProtocol));
}

function parsed(bytes: Buffer): JsonValue {
  try {
    // The list of a batch adds two levels.
    return parseJson(bytes, { maxDepth: REQUEST_DEPTH + 2 });
  } catch (error) {
    if (error instanceof JsonError) throw validationError([error.message]);
    throw error;
  }
}
