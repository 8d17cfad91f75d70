import { sha256 } from '@cer/cer-core';
import type { ErrorShaper, ServiceRequest, ServiceResponse } from '@cer/http-service';
import type { AnswerMac } from './mac.js';

const KEEP_ALIVE_MS = 15_000;

/** Sends a `progress` event with this object as its data. */
export type Report = (progress: object) => void;

/**
 * Answers with an event stream: `progress` during the work, then one `result` or `error`, then `mac` over the
 * data of that last event. `error` has `{status, body}` of the equivalent plain answer.
 */
export function progressStream(
  request: ServiceRequest,
  nonce: string,
  mac: AnswerMac,
  shapeError: ErrorShaper,
  work: (report: Report) => Promise<object>,
): ServiceResponse {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
  return { status: 200, headers, body: events(request, nonce, mac, shapeError, work) };
}

async function* events(
  request: ServiceRequest,
  nonce: string,
  mac: AnswerMac,
  shapeError: ErrorShaper,
  work: (report: Report) => Promise<object>,
): AsyncGenerator<string> {
  let latest: object | undefined;
  let wake: () => void = () => undefined;
  let ended: string | undefined;
  void work((progress) => {
    latest = progress;
    wake();
  })
    .then(
      (result) => event('result', JSON.stringify(result)),
      (error: unknown) => {
        const { status, body } = shapeError(error, request.requestId);
        return event(
          'error',
          JSON.stringify({ status, body: typeof body === 'string' ? (JSON.parse(body) as unknown) : null }),
        );
      },
    )
    .then((last) => {
      ended = last;
      wake();
    });
  // A client that reads slower than the work receives only the newest progress.
  while (ended === undefined) {
    const woken = await waitFor(
      () => latest !== undefined || ended !== undefined,
      (resolve) => {
        wake = resolve;
      },
    );
    if (!woken) yield ': still rendering\n\n';
    if (latest !== undefined) yield event('progress', JSON.stringify(latest));
    latest = undefined;
  }
  const data = ended.slice(ended.indexOf('\ndata: ') + '\ndata: '.length, -2);
  yield ended;
  yield event('mac', mac.of(nonce, request.body, sha256(data)));
}

function event(name: string, data: string): string {
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
