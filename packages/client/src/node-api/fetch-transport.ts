import { NodeError } from './node-error.js';
import { timeoutError, type Transport, type TransportAnswer } from './transport.js';

/**
 * Sends requests with `fetch`. The timeout is the time for the whole exchange; for a body that outlives it, the longest
 * wait for the next bytes.
 */
export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return {
    exchange: async ({ method, url, headers, body, timeoutMs, signal }, read) => {
      const timeout = new AbortController();
      const timer = setTimeout(() => {
        timeout.abort();
      }, timeoutMs);
      const signals = signal === undefined ? [timeout.signal] : [timeout.signal, signal];
      try {
        const response = await fetch(url, {
          method,
          headers: new Headers(headers),
          ...(body !== null && { body }),
          redirect: 'manual',
          signal: AbortSignal.any(signals),
        });
        return await read(answerOf(response, timeoutMs));
      } catch (error) {
        if (error instanceof NodeError || !timeout.signal.aborted) throw error;
        throw timeoutError('no answer in time', error);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** The used part of a stream's reader: the declarations of Node.js and of browsers differ. */
interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

function answerOf({ status, headers, body }: Response, silenceMs: number): TransportAnswer {
  let reader: ByteReader | null = null;
  const bytes = (): ByteReader | null => (reader ??= body?.getReader() ?? null);
  return {
    status,
    headers,
    body: { [Symbol.asyncIterator]: () => chunksOf(bytes(), silenceMs) },
    discard: () => {
      if (bytes() !== null) giveUp(bytes());
    },
  };
}

async function* chunksOf(reader: ByteReader | null, silenceMs: number): AsyncGenerator<Uint8Array> {
  let isOpen = reader !== null;
  try {
    while (isOpen) {
      const chunk = await nextOf(reader, silenceMs);
      if (chunk === undefined) isOpen = false;
      else yield chunk;
    }
  } finally {
    if (isOpen) giveUp(reader);
  }
}

/** @throws TimeoutError after `silenceMs` without bytes */
async function nextOf(reader: ByteReader | null, silenceMs: number): Promise<Uint8Array | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(timeoutError('no bytes in time'));
    }, silenceMs);
  });
  try {
    return (await Promise.race([reader?.read(), silence]))?.value;
  } finally {
    clearTimeout(timer);
  }
}

/** A stream that broke rejects its own end too; its reader got the error. */
function giveUp(reader: ByteReader | null): void {
  reader?.cancel().catch(() => undefined);
}
