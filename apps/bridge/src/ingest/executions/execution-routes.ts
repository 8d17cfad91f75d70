import {
  json,
  oneAtATime,
  ServiceError,
  type RequestHead,
  type ServiceResponse,
  type StreamRequest,
  type ByteBudget,
  type Reservation,
} from '@cer/http-service';
import { COUNT, free, object, TEXT, TEXT_OR_NULL } from '@cer/http-service/openapi';
import { byteLines } from '@cer/ndjson';
import { MAX_LINE_BYTES } from '../../attestation-node/certify-batch.js';
import type { Caller, Gate } from '../../control-plane/gate.js';
import type { DescribedRoute } from '../../openapi/route-description.js';
import { batchCertifier, type CertifyDeps } from '../certify-batch.js';
import { certifyItems, type CertifyBatch } from '../certify-items.js';
import { resultOf, type Item, type Outcome } from '../item.js';
import type { TakeRequest } from '../request-rate.js';
import { arrivedItems } from './arrived-items.js';
import { certifyOne } from './certify-one.js';
import { itemOfLine } from './execution-item.js';

export interface ExecutionRouteDeps extends CertifyDeps {
  readonly gate: Gate;
  readonly takeRequest: TakeRequest;
  readonly bodyLimitBytes: number;
  readonly streamLimitBytes: number;
  readonly byteBudget: ByteBudget;
  /** Maximum pause of a body, in ms; a stream may pause. */
  readonly stallMs: number;
}

const NDJSON = 'application/x-ndjson';
const NEWLINE = 0x0a;

/** Why a stream may end while it is answered: packed bytes that cannot be unpacked, its size, the room that is left. */
const LAST_LINE_STATUS: ReadonlyMap<string, number> = new Map([
  ['VALIDATION_ERROR', 400],
  ['PAYLOAD_TOO_LARGE', 413],
  ['SERVICE_UNAVAILABLE', 503],
]);

const RESULTS = object({
  results: {
    type: 'array',
    items: object(
      {
        ...{ index: COUNT, ok: { type: 'boolean' }, status: COUNT },
        ...{ certificateHash: TEXT_OR_NULL, verificationUrl: TEXT_OR_NULL },
      },
      { error: TEXT },
    ),
  },
});
const OF_NODE = { description: 'The answer of the node.', schema: free('As POST /v1/cer/ai/certify of the node.') };

const EXECUTIONS: DescribedRoute['description'] = {
  group: 'Ingest',
  summary: 'Certify executions',
  access: 'key',
  body: {
    schema: free('A certify request of the node, or `executions`: a list of 1 to 500 of them.'),
    otherTypes: [NDJSON],
  },
  success: {
    200: {
      description: 'The answer of the node without openings, or all results; lines of them for lines.',
      schema: { anyOf: [RESULTS, OF_NODE.schema] },
      mediaTypes: ['application/json', NDJSON],
    },
    207: { description: 'Results, some of them refused.', schema: RESULTS },
    409: OF_NODE,
    410: OF_NODE,
    422: OF_NODE,
  },
  errors: ['VALIDATION_ERROR', 'BAD_CERTIFICATE'],
};

/** @see docs/spec.md, "Evidence bridge: machine path" */
export function executionRoutes(deps: ExecutionRouteDeps): DescribedRoute[] {
  const { gate, takeRequest, bodyLimitBytes, streamLimitBytes } = deps;
  // A large body may take several times its bytes while it is parsed.
  const inTurn = oneAtATime();
  return [
    {
      method: 'POST',
      path: '/api/v1/ingest/executions',
      description: EXECUTIONS,
      admit: async (head) => {
        await gate.admit(head);
        await takeRequest(gate.callerOf(head));
      },
      mediaTypes: ['application/json', NDJSON],
      bodyLimitBytes: (head) => (isNdjson(head) ? streamLimitBytes : bodyLimitBytes),
      body: 'stream',
      handler: async (request) => {
        const caller = gate.callerOf(request);
        const reservation = deps.byteBudget.reserve(caller.tenantId);
        if (isNdjson(request)) return streamed(deps, caller, request, reservation);
        try {
          const items = await arrivedItems({ stallMs: deps.stallMs, inTurn }, caller, request, reservation);
          if (Array.isArray(items)) return await batch(deps, caller, items, request.signal);
          return await certifyOne(deps, caller, items, request.signal);
        } finally {
          reservation.release();
        }
      },
    },
  ];
}

function isNdjson({ headers }: RequestHead): boolean {
  return headers['content-type']?.toLowerCase().startsWith(NDJSON) === true;
}

function streamed(
  deps: ExecutionRouteDeps,
  caller: Caller,
  request: StreamRequest,
  reservation: Reservation,
): ServiceResponse {
  const groups = itemGroups(countedLines(request.body, reservation), caller);
  const certify = countedBatches(batchCertifier(deps, caller, request.signal), reservation);
  return {
    status: 200,
    headers: { 'content-type': NDJSON },
    body: resultLines(certifyItems(groups, certify), reservation),
  };
}

/** Counts the received bytes of the incomplete line; complete lines are counted in batches. */
async function* countedLines(body: AsyncIterable<Uint8Array>, reservation: Reservation): AsyncGenerator<Uint8Array> {
  let partialBytes = 0;
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= 0) {
      reservation.give(partialBytes);
      partialBytes = 0;
    }
    // Bytes beyond the limit of a line are discarded.
    const more = Math.min(chunk.length - end - 1, MAX_LINE_BYTES - partialBytes);
    reservation.take(more);
    partialBytes += more;
    yield chunk;
  }
}

/** Counts the batches on their way; one that has no room is to be sent again. */
function countedBatches(certify: CertifyBatch, reservation: Reservation): CertifyBatch {
  return async (batch) => {
    const bytes = batch.reduce((sum, item) => sum + ('line' in item ? item.line.length : 0), 0);
    reservation.take(bytes);
    try {
      return await certify(batch);
    } finally {
      reservation.give(bytes);
    }
  };
}

async function* itemGroups(
  body: AsyncIterable<Uint8Array>,
  { minimumProtocol }: Caller,
): AsyncGenerator<readonly Item[]> {
  let index = 0;
  for await (const lines of byteLines(body, MAX_LINE_BYTES)) {
    yield lines.map(({ bytes }) => itemOfLine(bytes, index++, minimumProtocol));
  }
}

/** Accepted items are answered; a stream that cannot be read to its end has a last line that reports it. */
async function* resultLines(
  batches: AsyncIterable<readonly Outcome[]>,
  reservation: Reservation,
): AsyncGenerator<string> {
  let index = 0;
  try {
    for await (const outcomes of batches) {
      index += outcomes.length;
      yield outcomes.map((outcome) => `${JSON.stringify(resultOf(outcome))}\n`).join('');
    }
  } catch (error) {
    const refused: ServiceError | undefined = error instanceof ServiceError ? error : undefined;
    const status = refused === undefined ? undefined : LAST_LINE_STATUS.get(refused.code);
    if (refused === undefined || status === undefined) throw error;
    const last = { index, ok: false, status, certificateHash: null, verificationUrl: null, error: refused.message };
    yield `${JSON.stringify(last)}\n`;
  } finally {
    reservation.release();
  }
}

async function batch(
  deps: ExecutionRouteDeps,
  caller: Caller,
  items: readonly Item[],
  signal: AbortSignal,
): Promise<ServiceResponse> {
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
