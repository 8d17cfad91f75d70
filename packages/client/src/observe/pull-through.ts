/** An observer of a stream, usually of a body, while the caller reads it. Its methods do not throw. */
export interface Follower<Part = Uint8Array> {
  handOn(part: Part): void;
  end(): void;
  cancel(): void;
  break(error: unknown): void;
}

type Controller = ReadableByteStreamController | ReadableStreamDefaultController<Uint8Array>;

/**
 * Reads the next part for the caller.
 * @param to the controller of the caller's stream
 * @returns whether the stream is over
 */
export async function pullPart<Part>(
  reader: ReadableStreamDefaultReader<Part>,
  follower: Follower<Part>,
  to: Pick<ReadableStreamDefaultController<Part>, 'enqueue' | 'close' | 'error'>,
): Promise<boolean> {
  let result: { readonly done: false; readonly value: Part } | { readonly done: true };
  try {
    result = await reader.read();
  } catch (error) {
    follower.break(error);
    to.error(error);
    return false;
  }
  if (result.done) {
    follower.end();
    to.close();
    return true;
  }
  follower.handOn(result.value);
  to.enqueue(result.value);
  return false;
}

/** A body without a reader. No reference may lead from here to the stream of the caller. */
interface Abandoned {
  readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly follower: Follower;
}

/**
 * Programs drop answers unread, and some SDKs let go of a stream that they do not cancel: the call ends when the garbage
 * collector finds its body, and so does the connection, as without an observer. Null where the platform does not say.
 */
const abandoned =
  typeof FinalizationRegistry === 'undefined'
    ? null
    : new FinalizationRegistry<Abandoned>(({ reader, follower }) => {
        follower.cancel();
        // At the edge it also throws: nothing may be sent when a request is over.
        void (async () => reader.cancel())().catch(() => undefined);
      });

/**
 * A body that is read only when the caller reads: no copy is pulled ahead, so back-pressure, cancellation, bytes and errors
 * are those of the provider's body. It is made before that is known: making a stream takes long.
 */
export class ReadBody {
  readonly stream: ReadableStream<Uint8Array>;
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | null = null;
  #follower: Follower | null = null;

  constructor(type: 'bytes' | undefined) {
    const source = {
      pull: this.#pull.bind(this),
      cancel: async (reason: unknown): Promise<void> => {
        this.#follower?.cancel();
        await this.#reader?.cancel(reason);
      },
    };
    this.stream =
      type === 'bytes'
        ? new ReadableStream({ type, ...source }, { highWaterMark: 0 })
        : new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  }

  /** States the provider's body, before the caller reads. */
  readFrom(body: ReadableStream<Uint8Array<ArrayBuffer>>, follower: Follower): void {
    const reader = body.getReader();
    this.#reader = reader;
    this.#follower = follower;
    abandoned?.register(this.stream, { reader, follower });
  }

  async #pull(controller: Controller): Promise<void> {
    const reader = this.#reader;
    const follower = this.#follower;
    if (reader === null || follower === null) return;
    const isOver = await pullPart(reader, follower, controller);
    // A reader that waits with its own buffer is answered with no bytes.
    if (isOver && 'byobRequest' in controller) controller.byobRequest?.respond(0);
  }
}

/**
 * The same response with a body that is followed.
 * @param byteBody returns a byte stream without a source
 */
export function pullThrough(response: Response, follower: Follower, byteBody: () => ReadBody): Response {
  const { body } = response;
  if (body === null) {
    follower.end();
    return response;
  }
  const made = takesByteReaders(body) ? byteBody() : new ReadBody(undefined);
  // A fault here leaves the body to the caller.
  const answer = withBody(response, made.stream);
  made.readFrom(body, follower);
  return answer;
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

/** Members of a response that its constructor does not set, or refuses, as a status above 599. */
const RECEIVED = ['url', 'redirected', 'type', 'status', 'statusText', 'ok'] as const;

function withBody(response: Response, stream: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers } = response;
  const isStandard = status >= 200 && status < 600 && /^[\t\x20-\x7e]*$/.test(statusText);
  const Made = classOf(response);
  const made = asReceived(response, new Made(stream, { headers, ...(isStandard && { status, statusText }) }));
  // Those of an answer from the network refuse changes. Copies have their own, as without an observer.
  return Object.defineProperty(made, 'headers', { value: headers, configurable: true });
}

/** Another fetch, such as that of the package undici, may have its own class. */
function classOf(response: Response): typeof Response {
  const { constructor } = response;
  return response instanceof Response ? Response : (constructor as typeof Response);
}

/** Whether the body of this answer can be followed: that of a web response, which no other reader has. */
export function isReadable(response: Response): boolean {
  const { body, bodyUsed } = response;
  if (bodyUsed || body?.locked === true) return false;
  return (body === null || body instanceof ReadableStream) && 'clone' in classOf(response).prototype;
}

/** States the members of a response on one that was made of it, and on its copies. */
function asReceived(response: Response, made: Response): Response {
  for (const name of RECEIVED) {
    Object.defineProperty(made, name, { value: response[name], configurable: true });
  }
  const clone = (): Response => asReceived(response, classOf(made).prototype.clone.call(made));
  return Object.defineProperty(made, 'clone', { value: clone, configurable: true, writable: true });
}
