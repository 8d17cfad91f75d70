import { elementsOf, isJsonObject, isSameJson, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { UsageError } from '../usage-error.js';

/** A proof as packages carry it. */
export interface LogProofEntry extends JsonObject {
  readonly proof: string;
  readonly notBefore?: string;
}

/**
 * The certificate, package or project with the proof added: beside the receipt of a package, in `meta` of a bundle.
 * Neither place is covered by hash or envelope. A proof that is there already is not added twice.
 * @throws UsageError for a value that can carry no proof
 */
export function withLogProof(value: JsonValue, entry: LogProofEntry): JsonObject {
  if (!isJsonObject(value)) throw new UsageError('FILE: must be a certificate, a package or a project bundle');
  const inner = member(value, 'bundle');
  if (isJsonObject(inner)) return { ...value, bundle: withLogProof(inner, entry) };
  if (member(value, 'cer') !== undefined) return added(value, entry);
  const meta = member(value, 'meta');
  return { ...value, meta: added(isJsonObject(meta) ? meta : {}, entry) };
}

function added(place: JsonObject, entry: LogProofEntry): JsonObject {
  const listed = member(place, 'logProofs');
  const proofs = elementsOf(listed);
  if (proofs.some((known) => isSameJson(known, entry))) return place;
  return { ...place, logProofs: [...proofs, entry] };
}
