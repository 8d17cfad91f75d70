import { originHashOf } from '@cer/tlog/note';
import { formatTilePath, type TileName } from '@cer/tlog/tiles';
import { elementsOf, isJsonObject, member } from '@cer/canonical-json';
import { fetchBytes, fetchJson } from '../http/fetch-json.js';

const MAX_NOTE_BYTES = 256 * 1024;
/** 256 entries of the largest size. */
const MAX_TILE_BYTES = 256 * (2 + 0xffff);
const MAX_EVIDENCE_BYTES = 16 * 1024 * 1024;

/** A log as it is served below one address. */
export interface LogSource {
  readonly checkpoint: () => Promise<string>;
  readonly tile: (name: TileName) => Promise<Uint8Array>;
}

/** @param maxMs time for each answer; every method throws FetchFault without a usable one */
export function logAt(address: string, maxMs: number): LogSource {
  return {
    checkpoint: async () => textOf(await fetchBytes(`${address}/checkpoint`, MAX_NOTE_BYTES, maxMs)),
    tile: (name) => fetchBytes(`${address}/${formatTilePath(name)}`, MAX_TILE_BYTES, maxMs),
  };
}

/** The newest checkpoint of a log that a witness cosigned. @throws FetchFault */
export async function witnessedCheckpoint(witness: string, origin: string, maxMs: number): Promise<string> {
  return textOf(await fetchBytes(`${witness}/${originHashOf(origin)}/checkpoint`, MAX_NOTE_BYTES, maxMs));
}

/** Checkpoints that a witness keeps as proof of a split view, each with what it knew. @throws FetchFault */
export async function witnessedEvidence(
  witness: string,
  origin: string,
  maxMs: number,
): Promise<readonly (readonly string[])[]> {
  const body = await fetchJson(`${witness}/evidence/${originHashOf(origin)}`, MAX_EVIDENCE_BYTES, maxMs);
  const listed = isJsonObject(body) ? member(body, 'evidence') : undefined;
  const entries = elementsOf(listed);
  return entries.flatMap((entry) => {
    if (!isJsonObject(entry)) return [];
    const notes = [member(entry, 'note'), member(entry, 'known')];
    return [notes.filter((note) => typeof note === 'string')];
  });
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
