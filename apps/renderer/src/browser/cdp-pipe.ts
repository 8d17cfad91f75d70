import type { Readable, Writable } from 'node:stream';

/** The browser answered a command with an error, cannot be reached, or took too long. */
export class CdpError extends Error {
  override readonly name = 'CdpError';
  readonly reason: 'refused' | 'closed' | 'silent' | 'oversize';
  constructor(reason: CdpError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export type CdpParams = Readonly<Record<string, unknown>>;
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
  readonly prepared?: PreparedParams;
}

/** Members of `params` that many calls send, made once. */
export interface PreparedParams {
  /** The JSON object without its braces, as UTF-8. */
  readonly members: Buffer;
}

/** @param params with at least one member */
export function prepareParams(params: CdpParams): PreparedParams {
  return { members: Buffer.from(JSON.stringify(params).slice(1, -1)) };
}

export interface CdpPipe {
  /** Whether the browser has closed its end: it then runs no longer, or not for long. */
  isClosed(): boolean;
  /** @throws CdpError whose `reason` says whether the browser refused, closed or stayed silent */
  call(method: string, params?: CdpParams, options?: CdpCallOptions): Promise<CdpResult>;
  /** Calls `listener` for every event of one session; returns a function that stops it. */
  onSession(sessionId: string, listener: (event: CdpEvent) => void): () => void;
}

interface Waiting {
  readonly method: string;
  readonly resolve: (result: CdpResult) => void;
  readonly reject: (error: CdpError) => void;
  readonly timer: NodeJS.Timeout;
}

const DEFAULT_CALL_TIMEOUT_MS = 5000;
/** A PNG of the whole canvas as base64 fits; longer messages, which a sketch may cause, are cut off. */
const MAX_MESSAGE_BYTES = 96 * 1024 * 1024;
const NUL = 0;

/**
 * Speaks the Chrome DevTools Protocol over the two ends of `--remote-debugging-pipe`: JSON messages ended by a NUL
 * byte. No port is opened, so nothing but this process can drive the browser.
 */
export function openCdpPipe(toBrowser: Writable, fromBrowser: Readable): CdpPipe {
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, Set<(event: CdpEvent) => void>>();
  let nextId = 1;
  let closed = false;

  const close = (): void => {
    closed = true;
    for (const { reject, timer, method } of waiting.values()) {
      clearTimeout(timer);
      reject(new CdpError('closed', `the browser closed during ${method}`));
    }
    waiting.clear();
  };

  const settle = (id: number, act: (entry: Waiting) => void): void => {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    waiting.delete(id);
    clearTimeout(entry.timer);
    act(entry);
  };

  const take = (text: string): void => {
    const message = JSON.parse(text) as {
      id?: number;
      result?: CdpResult;
      error?: { message: string };
      method?: string;
      params?: CdpResult;
      sessionId?: string;
    };
    if (message.id !== undefined) {
      settle(message.id, ({ method, resolve, reject }) => {
        if (message.error === undefined) resolve(message.result ?? {});
        else reject(new CdpError('refused', `${method}: ${message.error.message.slice(0, 200)}`));
      });
    } else if (message.method !== undefined) {
      const event = { method: message.method, params: message.params ?? {}, sessionId: message.sessionId };
      for (const listener of listeners.get(message.sessionId ?? '') ?? []) listener(event);
    }
  };

  readMessages(fromBrowser, take, (head) => {
    const id = /^\{"id":(\d+)/.exec(head)?.[1];
    if (id === undefined) return;
    settle(Number(id), ({ method, reject }) => {
      reject(new CdpError('oversize', `the answer to ${method} is too large`));
    });
  });
  fromBrowser.on('close', close).on('error', close);
  toBrowser.on('error', close);

  return {
    isClosed: () => closed,
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
        const message = JSON.stringify({ id, method, ...(sessionId !== undefined && { sessionId }), params });
        if (prepared === undefined) {
          toBrowser.write(`${message}\0`);
          return;
        }
        const separator = Object.keys(params).length > 0 ? ',' : '';
        toBrowser.write(`${message.slice(0, -'}}'.length)}${separator}`);
        toBrowser.write(prepared.members);
        toBrowser.write('}}\0');
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

/** Cuts a byte stream at NUL bytes. A message over the limit is skipped and only its beginning is reported. */
function readMessages(stream: Readable, onMessage: (text: string) => void, onOversize: (head: string) => void): void {
  let parts: Buffer[] = [];
  let size = 0;
  let head: string | undefined;
  stream.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(NUL); end !== -1; end = chunk.indexOf(NUL, start)) {
      parts.push(chunk.subarray(start, end));
      if (head === undefined) onMessage(Buffer.concat(parts).toString('utf8'));
      else onOversize(head);
      parts = [];
      size = 0;
      head = undefined;
      start = end + 1;
    }
    if (start === chunk.length) return;
    size += chunk.length - start;
    if (head === undefined) parts.push(chunk.subarray(start));
    if (head === undefined && size > MAX_MESSAGE_BYTES) {
      head = Buffer.concat(parts.slice(0, 2)).subarray(0, 64).toString('latin1');
      parts = [];
    }
  });
}
