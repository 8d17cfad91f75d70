import { encodeBase64 } from '@cer/keys';
import { readBounded } from '@cer/ndjson';
import { TlogError, type PolicyWitness } from '@cer/tlog';
import { formatNote, MAX_SIGNATURE_LINES, parseNote, verifyLines, type NoteKey } from '@cer/tlog/note';
import { fetchFault } from '../errors/fetch-fault.js';

/** The answer of a witness to a checkpoint. */
export type WitnessAnswer =
  /** Its lines, each verified, or of a type that is not judged. */
  | { readonly status: 'cosigned'; readonly lines: readonly string[] }
  /** It has seen this size. */
  | { readonly status: 'size'; readonly size: number }
  /** It has seen another history. */
  | { readonly status: 'fork' }
  /** It does not know the log. */
  | { readonly status: 'unknown' }
  /** Not reachable, overloaded, or an answer of no use: later. */
  | { readonly status: 'later'; readonly reason: string };

export interface Submission {
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  /** The checkpoint with the line of the log only. */
  readonly note: string;
}

export type AskWitness = (witness: PolicyWitness, submission: Submission) => Promise<WitnessAnswer>;

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Lines of one witness that are kept: it may have a key of a second type. */
const MAX_LINES = 4;
/** Maximum length of a line that is kept, in characters: every certificate that is read later repeats it in its proof. */
const MAX_LINE_LENGTH = 8 * 1024;

/** Asks a witness for its cosignature. @see https://c2sp.org/tlog-witness */
export const askWitness: AskWitness = async ({ key, url }, { oldSize, proof, note }) => {
  if (url === null) return { status: 'later', reason: 'has no address' };
  const lines = [`old ${String(oldSize)}`, ...proof.map(encodeBase64)];
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, {
      method: 'POST',
      body: `${lines.join('\n')}\n\n${note}`,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const said = await readBounded(response.body, MAX_ANSWER_BYTES);
    if (said === null) throw new Error('the answer is too large');
    return await answerOf(response, Buffer.from(said).toString('utf8'), note, key);
  } catch (error) {
    return { status: 'later', reason: reasonOf(error) };
  }
};

function reasonOf(error: unknown): string {
  const code = fetchFault(error);
  if (code !== null) return `cannot be reached (${code})`;
  return error instanceof Error ? error.name : 'no answer';
}

async function answerOf(response: Response, said: string, note: string, key: NoteKey): Promise<WitnessAnswer> {
  switch (response.status) {
    case 200: {
      const lines = await linesFrom(said, note, key);
      return lines.length > 0 ? { status: 'cosigned', lines } : { status: 'later', reason: 'a wrong cosignature' };
    }
    case 409: {
      const isSize = response.headers.get('content-type')?.startsWith('text/x.tlog.size') === true;
      // Some answer 409 for another root at the size.
      if (!isSize || !/^(0|[1-9][0-9]{0,15})\n?$/.test(said)) return { status: 'fork' };
      return { status: 'size', size: Number(said) };
    }
    case 422:
      return { status: 'fork' };
    case 403:
    case 404:
      return { status: 'unknown' };
    default:
      return { status: 'later', reason: `answers ${String(response.status)}` };
  }
}

/** The lines under the name of the witness; one of its known key must verify, and none of it may fail. */
async function linesFrom(said: string, note: string, key: NoteKey): Promise<readonly string[]> {
  const { text } = parseNote(note);
  const own: string[] = [];
  let isCosigned = false;
  // A note cannot have more lines, and each refused line costs an exception.
  const lines = said.split('\n', MAX_SIGNATURE_LINES + 2).slice(0, -1);
  if (lines.length > MAX_SIGNATURE_LINES) return [];
  for (const line of lines) {
    if (line.length > MAX_LINE_LENGTH) continue;
    const whole = formatNote(text, [`${line}\n`]);
    const [parsed] = linesOf(whole);
    if (parsed?.name !== key.name || own.length >= MAX_LINES) continue;
    if (parsed.keyId === key.id) {
      if (!(await verifies(whole, key))) return [];
      isCosigned = true;
    }
    own.push(`${line}\n`);
  }
  return isCosigned ? own : [];
}

function linesOf(note: string): ReturnType<typeof parseNote>['lines'] {
  try {
    return parseNote(note).lines;
  } catch (error) {
    if (error instanceof TlogError) return [];
    throw error;
  }
}

async function verifies(note: string, key: NoteKey): Promise<boolean> {
  try {
    return (await verifyLines(parseNote(note), [key])).length === 1;
  } catch (error) {
    if (error instanceof TlogError) return false;
    throw error;
  }
}
