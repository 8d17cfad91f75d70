import { SILENCE_LIMIT_S } from '../check/silence.js';

/** The text that a node has at an address, or why there is none; `silent`: no byte arrived for `SILENCE_LIMIT_S`. */
export type NodeText = { readonly text: string } | 'not-found' | 'unavailable' | 'silent';

/** Asks without credentials and cache. A large answer may take any time while its bytes arrive. */
export async function fetchText(url: string): Promise<NodeText> {
  const ending = new AbortController();
  let timer = 0;
  const wait = (): void => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      ending.abort();
    }, SILENCE_LIMIT_S * 1000);
  };
  wait();
  try {
    const answer = await fetch(url, {
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: ending.signal,
    });
    if (answer.status === 404) return 'not-found';
    return answer.ok ? { text: await textOf(answer, wait) } : 'unavailable';
  } catch {
    return ending.signal.aborted ? 'silent' : 'unavailable';
  } finally {
    clearTimeout(timer);
  }
}

function textOf({ body }: Response, onBytes: () => void): Promise<string> {
  const watch = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (bytes, controller) => {
      onBytes();
      controller.enqueue(bytes);
    },
  });
  return new Response(body?.pipeThrough(watch)).text();
}
