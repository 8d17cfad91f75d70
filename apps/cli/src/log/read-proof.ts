import { isJsonObject, JsonError, parseJson, type JsonValue } from '@cer/canonical-json';
import { parseTlogProof, TlogError } from '@cer/tlog';
import { parseCheckpoint } from '@cer/tlog/note';
import { nameOf, readBytes } from '../files/read-bytes.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import type { LogProofEntry } from './attach-proof.js';

const MAX_PROOF_BYTES = 1024 * 1024;

/**
 * Reads a proof from a file: a tlog-proof, or JSON `{proof, notBefore?}` as a node answers it.
 * @throws UsageError for a file that is neither
 */
export async function readLogProof(source: string, io: Pick<Io, 'stdin'>): Promise<LogProofEntry> {
  const text = new TextDecoder().decode(await readBytes(source, io.stdin, MAX_PROOF_BYTES));
  const entry = proofEntry(text);
  if (entry === null) throw new UsageError(`${nameOf(source)}: is not a tlog-proof, nor JSON with proof and notBefore`);
  return entry;
}

/** @returns null for a text that is not a proof */
export function proofEntry(text: string): LogProofEntry | null {
  try {
    const entry = text.trimStart().startsWith('{') ? entryOf(parseJson(text)) : { proof: text };
    if (entry === null) return null;
    parseTlogProof(entry.proof);
    if (entry.notBefore !== undefined) parseCheckpoint(entry.notBefore);
    return entry;
  } catch (error) {
    if (error instanceof TlogError || error instanceof JsonError) return null;
    throw error;
  }
}

function entryOf(value: JsonValue): LogProofEntry | null {
  if (!isJsonObject(value)) return null;
  const { proof, notBefore } = value;
  if (typeof proof !== 'string') return null;
  return typeof notBefore === 'string' ? { proof, notBefore } : { proof };
}
