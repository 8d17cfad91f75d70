/** One request, ready to be sent. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** After these milliseconds the node counts as gone; each transport says what it measures. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Headers of an answer. */
export interface AnswerHeaders {
  /** @param name in lower case. @returns null when it is absent */
  get(name: string): string | null;
}

export interface TransportAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** The bytes as they arrive. Leaving the loop over them gives up the rest. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Gives up a body that is not read. */
  discard(): void;
}

/**
 * How requests reach a node. It follows no redirect, and throws an error with the name `TimeoutError` for a node that
 * counts as gone; every other error means that the node cannot be reached.
 */
export interface Transport {
  /** Sends a request. @param read gets the answer when its head is there; its body may outlive the exchange */
  exchange<T>(request: TransportRequest, read: (answer: TransportAnswer) => Promise<T>): Promise<T>;
}

/** The error of a node that counts as gone. */
export function timeoutError(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'TimeoutError' });
}
