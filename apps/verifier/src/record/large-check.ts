import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { deserialize, serialize } from 'node:v8';
import { oneAtATime } from '@cer/http-service';
import { readBounded } from '@cer/ndjson';
import type { CheckRequest } from '../check/check-artefact.js';
import type { ArtefactCheck } from '../check/check-result.js';

/** Heap of the process: three times what the largest project of ordinary steps needs, in MiB. */
const HEAP_MIB = 1024;
/** Maximum time of one check, in ms. */
const TIME_MS = 120_000;
/** Bytes of a record up to which it waits for no larger one, which may use up its time. */
const SMALLER_BYTES = 1024 * 1024;
/** Maximum bytes of a result. */
const RESULT_BYTES = 128 * 1024 * 1024;

/** A request whose source is the node's answer. */
export type LargeRequest = CheckRequest & { readonly source: Uint8Array };
export type CheckLarge = (request: LargeRequest) => Promise<ArtefactCheck>;

/**
 * Checks each large record in its own process: JSON of many small values takes 25 times its size, and minutes. Such a
 * record ends its process, and neither delays nor ends this one. Those over 1 MiB are checked one after another, and so
 * are the others, beside them.
 * @param program path of the built check-program.js
 * @returns rejects for a record that needs more memory or time than a check may have
 */
export function createLargeCheck(program: string, heapMib = HEAP_MIB): CheckLarge {
  const [inTurn, smallerInTurn] = [oneAtATime(), oneAtATime()];
  return (request) => {
    const run = (): Promise<ArtefactCheck> => checkInProcess(program, heapMib, request);
    return request.source.length > SMALLER_BYTES ? inTurn(run) : smallerInTurn(run);
  };
}

async function checkInProcess(program: string, heapMib: number, request: LargeRequest): Promise<ArtefactCheck> {
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMib}`, program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    timeout: TIME_MS,
    killSignal: 'SIGKILL',
  });
  // A process that ends before it has read everything has no result, which is reported below.
  child.stdin.on('error', () => undefined).end(serialize(request));
  const [result] = await Promise.all([readBounded(child.stdout, RESULT_BYTES), once(child, 'close')]);
  if (result === null || result.length === 0)
    throw new Error('the record needs more memory or time than a check may have');
  return deserialize(result) as ArtefactCheck;
}
