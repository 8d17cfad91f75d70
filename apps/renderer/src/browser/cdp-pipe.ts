import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import {
  CdpMessageError,
  decodeMessage,
  encodeMessage,
  HEAD_BYTES,
  idOf,
  messageBytes,
  type CdpParams,
  type EncodedMembers,
} from './cdp-messages.js';

/** The browser answered a command with an error, cannot be reached, or took too long. */
export class CdpError extends Error {
  override readonly name = 'CdpError';
  readonly reason: 'refused' | 'closed' | 'silent' | 'oversize';
  constructor(reason: CdpError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export type CdpResult = Readonly<Record<string, unknown>>;

export interface CdpEvent {
  readonly method: string;
  readonly params: CdpResult;
  readonly sessionId: string | undefined;
}

export interface CdpCallOptions {
  readonly sessionId?: string;
  /** Time limit of a call, in ms: a browser that does not respond must not block a job. */
  readonly timeoutMs?: number;
  /** Further members of `params`. */
  readonly prepared?: EncodedMembers;
}

export interface CdpPipe {
  /** Whether the browser has closed its end: it then runs no longer, or not for long. */
  isClosed(): boolean;
  /** The error for which this side closed it; undefined while it is open or where the browser closed it. */
  fault(): unknown;
  /** @throws CdpError whose `reason` says whether the browser refused, closed or stayed silent */
  call(method: string, params?: CdpParams, options?: CdpCallOptions): Promise<CdpResult>;
  /** Calls `listener` for every event of one session; returns a function that stops it. */
  onSession(sessionId: string, listener: (event: CdpEvent) => void): () => void;
}

const Members = z.record(z.string(), z.unknown()).default({});
const Message = z.object({
  id: z.number().optional(),
  result: Members,
  error: z.object({ message: z.string() }).optional(),
  method: z.string().optional(),
  params: Members,
  sessionId: z.string().optional(),
});

interface Waiting {
  readonly method: string;
  readonly resolve: (result: CdpResult) => void;
  readonly reject: (error: CdpError) => void;
  readonly timer: NodeJS.Timeout;
}

const DEFAULT_CALL_TIMEOUT_MS = 5000;
/** A PNG of the whole canvas as base64 fits; longer messages, which a sketch may cause, are skipped. */
const MAX_MESSAGE_BYTES = 96 * 1024 * 1024;

/**
 * Speaks the Chrome DevTools Protocol over the two ends of `--remote-debugging-pipe=cbor`. No port is opened, so nothing
 * but this process can drive the browser.
 * @param onClose called once, when the browser can be driven no longer
 */
export function openCdpPipe(
  toBrowser: Writable,
  fromBrowser: Readable,
  onClose: () => void = () => undefined,
): CdpPipe {
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, Set<(event: CdpEvent) => void>>();
  let nextId = 1;
  let closed = false;
  let fault: unknown;

  const close = (): void => {
    if (closed) return;
    closed = true;
    for (const { reject, timer, method } of waiting.values()) {
      clearTimeout(timer);
      reject(new CdpError('closed', `the browser closed during ${method}`));
    }
    waiting.clear();
    onClose();
  };

  const settle = (id: number, act: (entry: Waiting) => void): void => {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    waiting.delete(id);
    clearTimeout(entry.timer);
    act(entry);
  };

  const take = (bytes: Buffer): void => {
    const { data: message } = Message.safeParse(decodeMessage(bytes));
    if (message === undefined) throw new CdpMessageError('a message is neither an answer nor an event');
    if (message.id !== undefined) {
      settle(message.id, ({ method, resolve, reject }) => {
        if (message.error === undefined) resolve(message.result);
        else reject(new CdpError('refused', `${method}: ${message.error.message.slice(0, 200)}`));
      });
    } else if (message.method !== undefined) {
      const event = { method: message.method, params: message.params, sessionId: message.sessionId };
      for (const listener of listeners.get(message.sessionId ?? '') ?? []) listener(event);
    }
  };

  const takeOversize = (head: Buffer): void => {
    const id = idOf(head);
    if (id === undefined) return;
    settle(id, ({ method, reject }) => {
      reject(new CdpError('oversize', `the answer to ${method} is too large`));
    });
  };
  const read = messageReader(take, takeOversize);
  fromBrowser.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      // Nor can what follows be read: the bytes are no message, or a listener found no event that it knows.
      fault = error;
      fromBrowser.destroy();
    }
  });
  fromBrowser.on('close', close).on('error', close);
  toBrowser.on('error', close);

  return {
    isClosed: () => closed,
    fault: () => fault,
    call: (method, params = {}, options = {}) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new CdpError('closed', `the browser is closed: ${method}`));
          return;
        }
        const id = nextId++;
        const timer = setTimeout(() => {
          settle(id, () => {
            reject(new CdpError('silent', `the browser did not answer ${method}`));
          });
        }, options.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS);
        waiting.set(id, { method, resolve, reject, timer });
        const { sessionId, prepared } = options;
        const message = { id, method, ...(sessionId !== undefined && { sessionId }), params };
        toBrowser.cork();
        for (const part of encodeMessage(message, prepared)) toBrowser.write(part);
        toBrowser.uncork();
      }),
    onSession(sessionId, listener) {
      const set = listeners.get(sessionId) ?? new Set();
      listeners.set(sessionId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(sessionId);
      };
    },
  };
}

/** Enough of an answer to read which call it belongs to. */
const BEGINNING_BYTES = 64;

/**
 * Cuts a byte stream into messages. A message over the limit is skipped, and only its beginning is reported.
 * @returns takes the next chunk of the stream
 * @throws CdpMessageError what is returned, for a stream of other bytes; errors of `onMessage`
 */
function messageReader(
  onMessage: (message: Buffer) => void,
  onOversize: (beginning: Buffer) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  /** Of the message that `parts` begins with, once its head is there. */
  let wanted: number | undefined;
  let skipping = 0;

  const keep = (bytes: Buffer): void => {
    parts = [bytes];
    size = bytes.length;
    wanted = undefined;
  };
  const joined = (): Buffer => {
    const [first = Buffer.alloc(0)] = parts;
    return parts.length === 1 ? first : Buffer.concat(parts);
  };
  return (chunk) => {
    const skipped = Math.min(skipping, chunk.length);
    skipping -= skipped;
    if (skipped === chunk.length) return;
    parts.push(chunk.subarray(skipped));
    size += chunk.length - skipped;
    while (size >= HEAD_BYTES) {
      wanted ??= messageBytes(joined());
      if (wanted > MAX_MESSAGE_BYTES) {
        if (size < BEGINNING_BYTES) return;
        const bytes = joined();
        onOversize(bytes.subarray(0, BEGINNING_BYTES));
        skipping = wanted - Math.min(wanted, bytes.length);
        keep(bytes.subarray(wanted));
      } else {
        if (size < wanted) return;
        const bytes = joined();
        const message = bytes.subarray(0, wanted);
        keep(bytes.subarray(wanted));
        onMessage(message);
      }
    }
  };
}
