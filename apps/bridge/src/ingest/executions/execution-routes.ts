import { CerError, isJsonObject, member, parseJson, type JsonValue } from '@cer/cer-core';
import {
  json,
  ServiceError,
  validationError,
  type RequestHead,
  type Route,
  type ServiceResponse,
  type StreamRequest,
} from '@cer/http-service';
import { MAX_BATCH_LINES, MAX_LINE_BYTES } from '../../attestation-node/certify-batch.js';
import type { Caller, Gate } from '../../control-plane/gate.js';
import { byteLines } from '../../ndjson/byte-lines.js';
import { batchCertifier, type CertifyDeps } from '../certify-batch.js';
import { certifyItems } from '../certify-items.js';
import { resultOf, type Item, type Outcome } from '../item.js';
import type { TakeRequest } from '../request-rate.js';
import { itemOfLine, itemOfValue, REQUEST_DEPTH } from './execution-item.js';
import { certifyOne } from './certify-one.js';

export interface ExecutionRouteDeps extends CertifyDeps {
  readonly gate: Gate;
  readonly takeRequest: TakeRequest;
  readonly bodyLimitBytes: number;
  readonly streamLimitBytes: number;
}

const NDJSON = 'application/x-ndjson';

/** @see docs/spec.md, "Evidence bridge: machine path" */
export function executionRoutes(deps: ExecutionRouteDeps): Route[] {
  const { gate, takeRequest, bodyLimitBytes, streamLimitBytes } = deps;
  return [
    {
      method: 'POST',
      path: '/api/v1/ingest/executions',
      admit: async (head) => {
        await gate.admit(head);
        await takeRequest(gate.callerOf(head));
      },
      mediaTypes: ['application/json', NDJSON],
      bodyLimitBytes: (head) => (isNdjson(head) ? streamLimitBytes : bodyLimitBytes),
      body: 'stream',
      handler: async (request) => {
        const caller = gate.callerOf(request);
        if (isNdjson(request)) return streamed(deps, caller, request);
        const body = await jsonBody(request);
        const executions = isJsonObject(body) ? member(body, 'executions') : undefined;
        if (executions === undefined) return certifyOne(deps, caller, body, request.signal);
        return batch(deps, caller, executions, request.signal);
      },
    },
  ];
}

function isNdjson({ headers }: RequestHead): boolean {
  return headers['content-type']?.toLowerCase().startsWith(NDJSON) === true;
}

async function jsonBody(request: StreamRequest): Promise<JsonValue> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request.body) chunks.push(chunk);
  try {
    // The list of a batch adds two levels.
    return parseJson(Buffer.concat(chunks), { maxDepth: REQUEST_DEPTH + 2 });
  } catch (error) {
    if (error instanceof CerError) throw validationError([error.message]);
    throw error;
  }
}

function streamed(deps: ExecutionRouteDeps, caller: Caller, request: StreamRequest): ServiceResponse {
  const groups = itemGroups(request.body, caller);
  return {
    status: 200,
    headers: { 'content-type': NDJSON },
    body: resultLines(certifyItems(groups, batchCertifier(deps, caller, request.signal))),
  };
}

async function* itemGroups(
  body: AsyncIterable<Uint8Array>,
  { minimumProtocol }: Caller,
): AsyncGenerator<readonly Item[]> {
  let index = 0;
  for await (const lines of byteLines(body, MAX_LINE_BYTES)) {
    yield lines.map((line) => itemOfLine(line, index++, minimumProtocol));
  }
}

/** What was accepted is answered; a stream that passes its limit ends with a line that says so. */
async function* resultLines(batches: AsyncIterable<readonly Outcome[]>): AsyncGenerator<string> {
  let index = 0;
  try {
    for await (const outcomes of batches) {
      index += outcomes.length;
      yield outcomes.map((outcome) => `${JSON.stringify(resultOf(outcome))}\n`).join('');
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'PAYLOAD_TOO_LARGE') throw error;
    const last = { index, ok: false, status: 413, certificateHash: null, verificationUrl: null, error: error.message };
    yield `${JSON.stringify(last)}\n`;
  }
}

async function batch(
  deps: ExecutionRouteDeps,
  caller: Caller,
  executions: JsonValue,
  signal: AbortSignal,
): Promise<ServiceResponse> {
  if (!Array.isArray(executions) || executions.length === 0 || executions.length > MAX_BATCH_LINES) {
    throw validationError([`executions: must be a list of 1 to ${MAX_BATCH_LINES} certify requests`]);
  }
  const requests = executions as readonly JsonValue[];
  const items = requests.map((request, index) => itemOfValue(request, index, caller.minimumProtocol));
  const results = [];
  for await (const outcomes of certifyItems(once(items), batchCertifier(deps, caller, signal))) {
    results.push(...outcomes.map(resultOf));
  }
  const isMixed = results.some(({ ok }) => !ok);
  return json(isMixed ? 207 : 200, { results });
}

async function* once(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
