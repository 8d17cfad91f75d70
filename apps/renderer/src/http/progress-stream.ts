import { sha256 } from '@cer/cer-core';
import type { ErrorShaper, ServiceRequest, ServiceResponse } from '@cer/http-service';
import type { AnswerMac } from './mac.js';

const KEEP_ALIVE_MS = 15_000;

/** Sends a `progress` event with this object as its data. */
export type Report = (progress: object) => void;

/** How an answer is bound to its request, and how a failure is presented. */
export interface AnswerForm {
  readonly nonce: string;
  readonly mac: AnswerMac;
  readonly shapeError: ErrorShaper;
}

interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/**
 * Answers with an event stream: `progress` during the work, then one `result` or `error`, then `mac` over the
 * data of that last event. `error` has `{status, body}` of the equivalent plain answer.
 */
export function progressStream(
  request: ServiceRequest,
  form: AnswerForm,
  work: (report: Report) => Promise<object>,
): ServiceResponse {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
  return { status: 200, headers, body: events(request, form, work) };
}

async function* events(
  request: ServiceRequest,
  { nonce, mac, shapeError }: AnswerForm,
  work: (report: Report) => Promise<object>,
): AsyncGenerator<string> {
  let latest: object | undefined;
  let wake: () => void = () => undefined;
  let last: StreamEvent | undefined;
  void work((progress) => {
    latest = progress;
    wake();
  })
    .then(
      (result) => ({ name: 'result', data: JSON.stringify(result) }),
      (error: unknown) => {
        const { status, body } = shapeError(error, request.requestId);
        const plain: unknown = typeof body === 'string' ? JSON.parse(body) : null;
        return { name: 'error', data: JSON.stringify({ status, body: plain }) };
      },
    )
    .then((ended) => {
      last = ended;
      wake();
    });
  // A client that reads slower than the work receives only the newest progress.
  while (last === undefined) {
    const woken = await waitFor(
      () => latest !== undefined || last !== undefined,
      (resolve) => {
        wake = resolve;
      },
    );
    if (!woken) yield ': still rendering\n\n';
    if (latest !== undefined) yield textOf({ name: 'progress', data: JSON.stringify(latest) });
    latest = undefined;
  }
  yield textOf(last);
  yield textOf({ name: 'mac', data: mac.of(nonce, request.body, sha256(last.data)) });
}

function textOf({ name, data }: StreamEvent): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

/** Whether it settled before the keep-alive is due. */
function waitFor(isTrue: () => boolean, onWake: (wake: () => void) => void): Promise<boolean> {
  if (isTrue()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve(false);
    }, KEEP_ALIVE_MS);
    onWake(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
