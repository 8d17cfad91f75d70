import { isJsonObject, isSameJson, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { canonicalReceipt, readReceipt, type Receipt } from '../attest/receipt.js';
import type { Finding } from '../finding.js';
import { chooseKey, missingKeys } from '../verify/key-choice.js';
import { fail, outcomeOf, skipped, type LayerOutcome } from '../verify/layer.js';
import type { VerifyOptions } from '../verify/options.js';
import type { KeyRescue } from '../verify/key-rescue.js';
import { signatureFault, trustOf, type Trust } from '../verify/signature.js';
import type { TimestampFinding } from '../verify/timestamp-verifier.js';
import { checkTimestamps, timestampsOfReceipt } from '../verify/timestamps.js';
import { absentTransparency, checkTransparency } from '../verify/transparency.js';
import type { Transparency } from '../verify/transparency-verifier.js';

const WHERE = 'meta.attestation.receipt';

export interface NodeReceipt {
  readonly outcome: LayerOutcome;
  /** Node-issued time of registration; null unless the receipt passed. */
  readonly registeredAt: string | null;
  /** External timestamps of the project, the best first. */
  readonly timestamps: readonly TimestampFinding[];
  /** Set when the key was revoked and the receipt is accepted nevertheless. */
  readonly rescue: KeyRescue | null;
  /** The statement of a transparency log about the receipt of the project. */
  readonly transparency: Transparency;
}

/**
 * The node's receipt for the project as a whole, at `meta.attestation`, beside the project's members or beside `bundle`
 * around it; where a value occurs twice both must agree.
 * @param around the object with the project as `bundle`, or the project itself
 * @see docs/spec.md, "Project receipt"
 */
export async function checkNodeReceipt(
  project: JsonObject,
  around: JsonObject,
  options: VerifyOptions,
): Promise<NodeReceipt> {
  const meta = member(project, 'meta');
  const absent = absentTransparency(options);
  const attestation = isJsonObject(meta) ? (member(meta, 'attestation') ?? undefined) : undefined;
  if (attestation !== undefined && !isJsonObject(attestation)) {
    return refused(fail('SCHEMA_ERROR', 'meta.attestation', 'must be an object'), absent);
  }
  const inMeta = attestation ?? {};
  const beside = [...new Set([project, around])];
  const receipts = statedIn([inMeta, ...beside], 'receipt');
  const signatures = statedIn([inMeta, ...beside], 'signature');
  const [payload] = receipts;
  const [signature] = signatures;
  if (attestation === undefined && payload === undefined && signature === undefined) {
    return refused(skipped('no-attestation'), absent);
  }
  if (!isJsonObject(payload) || signature === undefined) {
    return refused(fail('ATTESTATION_MISSING', WHERE, 'is required beside the other parts of an attestation'), absent);
  }
  const trust = trustOf(options);
  const reading = readReceipt(payload);
  const { receipt } = reading;
  if (reading.receipt === null && reading.fault === 'incomplete') {
    return refused(fail('ATTESTATION_MISSING', WHERE, reading.detail), absent);
  }
  if (receipt?.scope !== 'project') {
    const other = invalid(WHERE, 'is not a receipt of a project');
    return refused(outcomeOf([...missingKeys(trust.keySet, WHERE), other]), absent);
  }
  const places = [isJsonObject(meta) ? meta : null, inMeta, ...beside];
  const timestamps = await checkTimestamps(
    { receipt: payload, signature, hash: receipt.hash, places },
    trust.timestamps,
  );
  const label = { appId: null, bundleType: null, kinds: ['project'] };
  const transparency = await checkTransparency([{ receipt: payload, signature, label, places }], options);
  const choice = chooseKey(trust.keySet, receipt.kid, receipt.timestamp, timestampsOfReceipt(timestamps));
  const key = choice.key ?? choice.misdated;
  const fault = key === null ? null : await signatureFault(trust, key, canonicalReceipt(payload), signature);
  if (choice.key === null) {
    const { code, detail } = choice;
    const outcome =
      fault === null ? fail(code, WHERE, detail) : outcomeOf([invalid('meta.attestation.signature', fault)]);
    return refused(outcome, transparency, timestamps);
  }
  const outcome = outcomeOf([
    ...(fault === null ? [] : [invalid('meta.attestation.signature', fault)]),
    ...bindingFindings(project, receipt, trust),
    ...(receipts.every((copy) => isSameJson(copy, payload)) ? [] : [invalid('receipt', `differs from ${WHERE}`)]),
    ...(signatures.every((copy) => copy === signature)
      ? []
      : [invalid('signature', 'differs from meta.attestation.signature')]),
    ...copyFindings(inMeta, 'meta.attestation.', receipt),
    ...beside.flatMap((members) => copyFindings(members, '', receipt)),
  ]);
  if (outcome.status !== 'PASS') return refused(outcome, transparency, timestamps);
  return { outcome, registeredAt: receipt.timestamp, timestamps, rescue: choice.rescue, transparency };
}

function refused(
  outcome: LayerOutcome,
  transparency: Transparency,
  timestamps: readonly TimestampFinding[] = [],
): NodeReceipt {
  return { outcome, registeredAt: null, timestamps, rescue: null, transparency };
}

/** Null means absent. */
function statedIn(holders: readonly JsonObject[], name: string): readonly JsonValue[] {
  return holders.map((holder) => member(holder, name)).filter((value) => value !== undefined && value !== null);
}

function invalid(at: string, detail: string): Finding {
  return { code: 'ATTESTATION_INVALID_SIGNATURE', member: at, detail };
}

function bindingFindings(project: JsonObject, receipt: Receipt, trust: Trust): Finding[] {
  const integrity = member(project, 'integrity');
  const stated = isJsonObject(integrity) ? member(integrity, 'projectHash') : undefined;
  const nodes = [trust.keySet?.nodeId, trust.nodeId].filter((nodeId) => nodeId !== undefined && nodeId !== null);
  return [
    ...(receipt.hash === stated ? [] : [invalid(`${WHERE}.projectHash`, 'names another project')]),
    ...(nodes.every((nodeId) => nodeId === receipt.nodeId) ? [] : [invalid(`${WHERE}.nodeId`, 'names another node')]),
  ];
}

/** Unsigned copies of what the receipt signs. */
function copyFindings(members: JsonObject, path: string, receipt: Receipt): Finding[] {
  const signed = {
    projectHash: receipt.hash,
    registeredAt: receipt.timestamp,
    nodeId: receipt.nodeId,
    kid: receipt.kid,
  };
  return Object.entries(signed).flatMap(([name, value]) => {
    const copy = member(members, name);
    if (copy === undefined || copy === null || copy === value) return [];
    return [invalid(`${path}${name}`, 'is a copy that differs from the signed value')];
  });
}
