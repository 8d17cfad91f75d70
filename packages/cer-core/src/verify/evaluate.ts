import { exceedsDepth, isJsonObject, MAX_DEPTH, member, type JsonObject } from '@cer/canonical-json';
import { BUNDLE_TYPES, PROJECT } from '../bundle-types/registry.js';
import { PROTOCOLS } from '../protocols/protocols.js';
import { conclude, type BesideLayers } from './conclude.js';
import { checkEnvelope } from './envelope.js';
import { unreadable, type Evaluation } from './evaluation.js';
import { collectEvidence, type Evidence } from './evidence.js';
import { schemaFinding } from '../finding.js';
import { checkIntegrity } from './integrity.js';
import { evaluateOlderReseal } from './older-reseal.js';
import type { VerifyOptions } from './options.js';
import { checkReceipt } from './receipt.js';
import { trustOf } from './signature.js';
import { isLabelledOlderReseal, readSubject, type Registries } from './subject.js';
import { checkTimestamps, type TimestampSources } from './timestamps.js';
import { checkTransparency, transparencySubjects } from './transparency.js';
import { unwrap } from './unwrap.js';

/**
 * Verifies a bundle or package of unknown content. Offline and pure: it trusts only the caller's key set, never throws
 * on hostile input, and returns FAILED for anything it does not understand.
 * @see docs/spec.md, "Verification"
 */
export async function evaluateCer(input: unknown, options: VerifyOptions): Promise<Evaluation> {
  try {
    return await evaluate(input, options);
  } catch {
    // An unforeseen error is FAILED. Its message may quote the input, so it is not shown.
    return unreadable({ code: 'UNKNOWN_ERROR', member: '', detail: 'verification ended unexpectedly' }, options);
  }
}

async function evaluate(input: unknown, options: VerifyOptions): Promise<Evaluation> {
  if (exceedsDepth(input, MAX_DEPTH.canonical)) {
    return unreadable(
      schemaFinding('', `nested deeper than ${MAX_DEPTH.canonical} levels`, 'BUNDLE_CORRUPTED'),
      options,
    );
  }
  const unwrapped = unwrap(input);
  if (unwrapped.bundle === null) return unreadable(unwrapped.finding, options);
  const { bundle, packaging } = unwrapped;
  // The label of a project around a certificate loosens nothing: it is read as one wherever the kind is not stated.
  if ([input, packaging, bundle].some((held) => isJsonObject(held) && member(held, 'bundleType') === PROJECT)) {
    return unreadable(schemaFinding('bundleType', 'is a project bundle: verify it as a project'), options);
  }

  const registries: Registries = {
    protocols: options.protocols ?? PROTOCOLS,
    bundleTypes: options.bundleTypes ?? BUNDLE_TYPES,
  };
  const trust = trustOf(options);
  const read = readSubject(bundle, packaging, registries);
  const evidence = collectEvidence(bundle, packaging);
  const timestamps = await checkTimestamps(timestampSources(bundle, evidence), trust.timestamps);
  const transparency = await checkTransparency(transparencySubjects(bundle, packaging, evidence), options);
  const beside: BesideLayers = { timestamps, transparency };
  if (isLabelledOlderReseal(bundle)) return evaluateOlderReseal(read, evidence, beside, trust, options);
  const integrity = checkIntegrity(read);
  // Both signatures go to the crypto thread pool at once; neither layer depends on the other's outcome.
  const [receipt, envelope] = await Promise.all([
    checkReceipt(read, evidence, timestamps, trust),
    checkEnvelope(read, evidence, timestamps, integrity.hashed, trust),
  ]);
  return conclude(read, evidence, integrity, receipt, envelope, beside, options);
}

function timestampSources(bundle: JsonObject, { receipt, signature, timestampPlaces }: Evidence): TimestampSources {
  return { receipt, signature, hash: member(bundle, 'certificateHash'), places: timestampPlaces };
}
