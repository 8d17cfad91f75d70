import { ByteParts } from '@cer/ndjson';
import { foldMessages } from './anthropic-messages.js';
import { foldCohere } from './cohere-chat.js';
import type { Fold } from './fold.js';
import { foldGemini } from './google-gemini.js';
import { foldOllama } from './ollama.js';
import { foldChat } from './openai-chat.js';
import { foldResponses } from './openai-responses.js';

/** Routes of model providers by the end of their path, and how each streams. */
const DIALECTS: readonly (readonly [ending: string, fold: () => Fold])[] = [
  ['/chat/completions', foldChat],
  ['/completions', foldChat],
  ['/responses', foldResponses],
  ['/messages', foldMessages],
  ['/embeddings', foldChat],
  [':generateContent', foldGemini],
  [':streamGenerateContent', foldGemini],
  [':embedContent', foldGemini],
  [':batchEmbedContents', foldGemini],
  ['/v2/chat', foldCohere],
  ['/v2/embed', foldCohere],
  ['/v2/rerank', foldCohere],
  ['/api/chat', foldOllama],
  ['/api/generate', foldOllama],
  ['/api/embed', foldOllama],
];

/** Folds of routes whose paths other services have too, such as those of chats and mail: their requests name no model. */
const SHARED: ReadonlySet<() => Fold> = new Set([foldMessages, foldCohere, foldOllama]);

/** A request to a model, as it is sent. */
export interface ModelCall {
  readonly url: URL;
  /** The body as text; null when it cannot be read without consuming it. */
  readonly body: string | null;
  /** The model that the path names; null where the body names it. */
  readonly model: string | null;
  readonly fold: () => Fold;
  /** Which retry of the SDK this is, from 0. */
  readonly attempt: number;
  readonly signal: AbortSignal | null;
}

/** The call that the arguments of a fetch describe; null when they are not a request to a model. */
export function modelCallOf(input: string | URL | Request, init: RequestInit | undefined): ModelCall | null {
  const request = isRequest(input) ? input : null;
  const address = typeof input === 'string' ? input : isRequest(input) ? input.url : input.href;
  if ((init?.method ?? request?.method ?? 'GET').toUpperCase() !== 'POST') return null;
  const url = urlOf(address);
  if (url === null) return null;
  const fold = DIALECTS.find(([ending]) => url.pathname.endsWith(ending))?.[1];
  if (fold === undefined) return null;
  const body = bodyText(init?.body);
  // That of a Request is read later.
  if ((request === null || init?.body != null) && isOther(fold, body)) return null;
  return {
    url,
    body,
    model: fold === foldGemini ? modelIn(url.pathname) : null,
    fold,
    attempt: Number(retryCount(init?.headers ?? request?.headers) ?? 0) || 0,
    signal: init?.signal ?? request?.signal ?? null,
  };
}

export function isRequest(input: string | URL | Request): input is Request {
  return typeof input === 'object' && 'url' in input;
}

/**
 * The same call with the body of a `Request`, which is read from a copy. A body that takes a turn of the event loop is
 * left alone: the call must not wait for what the program produces while it is sent.
 * @param turn resolves in a later turn
 * @returns null when it is no request to a model
 */
export async function withRequestBody(
  call: ModelCall,
  request: Request,
  turn: () => Promise<void>,
): Promise<ModelCall | null> {
  const copy = request.body === null || request.bodyUsed ? null : request.clone().body;
  const body = copy === null ? null : await textWithin(turn(), copy);
  return isOther(call.fold, body) ? null : { ...call, body };
}

/** @returns null when `late` settles before the end of the stream */
async function textWithin(
  late: Promise<void>,
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<string | null> {
  const reader = stream.getReader();
  const parts = new ByteParts();
  for (;;) {
    const read = await Promise.race([reader.read(), late]);
    if (read === undefined) {
      reader.cancel().catch(() => undefined);
      return null;
    }
    if (read.done) return textIn(parts.joined());
    parts.add(read.value);
  }
}

function isOther(fold: () => Fold, body: string | null): boolean {
  if (!SHARED.has(fold)) return false;
  // A form or a stream: Anthropic's SDK sends a message as text.
  return body === null ? fold !== foldMessages : !body.includes('"model"');
}

/**
 * Whether an answer shows that the request was one to another service: chats of programs have Ollama's paths, and its
 * answers are JSON or lines of it.
 */
export function isAnswerOfOther({ fold }: Pick<ModelCall, 'fold'>, response: Response | null): boolean {
  if (fold !== foldOllama || response?.ok !== true) return false;
  return !/^application\/(x-nd)?json\b/i.test(response.headers.get('content-type') ?? '');
}

/** The part of `.../models/MODEL:method`. */
function modelIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf(':'));
}

/** Addresses of calls: a program has few of them, and parsing one takes as long as the rest of recognising a call. */
const urls = new Map<string, URL>();
const MAX_URLS = 100;

/** @returns null for an address that `fetch` refuses */
function urlOf(address: string): URL | null {
  const known = urls.get(address);
  if (known !== undefined) return known;
  try {
    const url = new URL(address);
    if (urls.size >= MAX_URLS) urls.clear();
    urls.set(address, url);
    return url;
  } catch {
    return null;
  }
}

/** The number that SDKs state with each retry. They give `Headers`; a copy of other headers costs time in every call. */
function retryCount(headers: RequestInit['headers'] | undefined): string | null {
  if (headers === undefined) return null;
  return headers instanceof Headers
    ? headers.get('x-stainless-retry-count')
    : new Headers(headers).get('x-stainless-retry-count');
}

/** Streams and forms are left alone: reading them would consume them. */
function bodyText(body: RequestInit['body'] | undefined): string | null {
  if (typeof body === 'string') return body;
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? textIn(body) : null;
}

/** @returns null for bytes that are no text: the hash of what they were replaced by would not be that of the request */
function textIn(bytes: NodeJS.ArrayBufferView | ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['api.openai.com', 'openai'],
  ['api.anthropic.com', 'anthropic'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral'],
  ['api.cohere.com', 'cohere'],
  ['generativelanguage.googleapis.com', 'google'],
  ['ollama.com', 'ollama'],
]);

/** The provider by its host; the host itself where it is another one. */
export function providerOf({ host }: URL): string {
  return PROVIDERS.get(host) ?? host;
}
