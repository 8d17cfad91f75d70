/** An observer of a body while the caller reads it. Its methods do not throw. */
export interface Follower {
  handOn(chunk: Uint8Array): void;
  end(): void;
  cancel(): void;
  break(error: unknown): void;
}

/**
 * The same response with a body that is read only when the caller reads: no copy is pulled ahead, so back-pressure,
 * cancellation, bytes and errors are those of the provider's body.
 */
export function pullThrough(response: Response, follower: Follower): Response {
  const { body } = response;
  if (body === null) {
    follower.end();
    return response;
  }
  const isByteStream = takesByteReaders(body);
  const reader = body.getReader();
  const pull = async (
    controller: ReadableByteStreamController | ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> => {
    let result: { readonly done: false; readonly value: Uint8Array<ArrayBuffer> } | { readonly done: true };
    try {
      result = await reader.read();
    } catch (error) {
      follower.break(error);
      controller.error(error);
      return;
    }
    if (result.done) {
      follower.end();
      controller.close();
      // A reader that waits with its own buffer is answered with no bytes.
      if ('byobRequest' in controller) controller.byobRequest?.respond(0);
      return;
    }
    follower.handOn(result.value);
    controller.enqueue(result.value);
  };
  const cancel = async (reason: unknown): Promise<void> => {
    follower.cancel();
    await reader.cancel(reason);
  };
  const stream = isByteStream
    ? new ReadableStream({ type: 'bytes', pull, cancel }, { highWaterMark: 0 })
    : new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
  return withBody(response, stream);
}

function takesByteReaders(body: ReadableStream<Uint8Array>): boolean {
  try {
    body.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    // Not a byte stream: a fetch of the caller's own made it.
    return false;
  }
}

function withBody(response: Response, stream: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected, type } = response;
  const made = new Response(stream, { status, statusText, headers });
  for (const [name, value] of Object.entries({ url, redirected, type })) {
    Object.defineProperty(made, name, { value, configurable: true, enumerable: true });
  }
  return made;
}
