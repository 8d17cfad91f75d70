import { isSha256Hash, type Finding } from '@cer/cer-core';
import { evaluateCer, type Evaluation, type TimestampVerifier, type TransparencyVerifier } from '@cer/cer-core/verify';
import { EXIT, type ExitCode } from '../exit-code.js';
import { loadPinnedKeys, type PinFlags } from '../key-history/pinned-history.js';
import type { KeyLookup } from '../trusted-keys/key-material.js';
import { TIMEOUT_MS, timeoutMs } from '../http/timeout.js';
import type { Io } from '../io.js';
import { printable, printableJson } from '../printable.js';
import { VERIFIER } from '../version.js';
import { writeReport } from '../report/write-report.js';
import { UsageError } from '../usage-error.js';
import { askNode, nodeAddress, refused, talking } from './node-client.js';

export interface VerifyByHashFlags {
  readonly hash: string;
  readonly node: string | undefined;
  readonly pins: PinFlags;
  readonly timestamps: TimestampVerifier | null;
  readonly transparency: TransparencyVerifier | null;
  readonly requireLog: boolean;
  readonly asJson: boolean;
  readonly requireAttestation: boolean;
}

/**
 * Fetches the public record of a hash from a node and verifies it here. The node that was asked is the caller's pin,
 * unless other keys are named.
 * @see docs/spec.md, "Command line"
 */
export async function verifyByHash(flags: VerifyByHashFlags, io: Io): Promise<ExitCode> {
  const { hash } = flags;
  if (!isSha256Hash(hash)) throw new UsageError('--hash: must be sha256: and 64 lower-case hex digits');
  const address = nodeAddress(flags.node, io);
  const maxMs = timeoutMs(io, TIMEOUT_MS.others);
  return talking(io, async () => {
    const answer = await askNode({ address, maxMs }, 'lookup', { query: { certificate_hash: hash } });
    if (answer.status === 404) return notFound(hash, flags.asJson, io);
    if (answer.status !== 200) return refused(answer, io);
    const pins = flags.pins.history === undefined ? { ...flags.pins, keys: flags.pins.keys ?? address } : flags.pins;
    const keys: KeyLookup = await loadPinnedKeys(pins, null, io);
    // A project is not a valid answer, even a genuine one.
    const evaluation = await evaluateCer(answer.body, {
      keySet: keys.material?.keySet ?? null,
      timestamps: flags.timestamps,
      transparency: flags.transparency,
      requireLog: flags.requireLog,
      requireAttestation: flags.requireAttestation,
      verifiedAt: io.now().toISOString(),
    });
    return writeReport({ kind: 'certificate', evaluation: asked(evaluation, hash) }, keys, flags.asJson, io);
  });
}

function notFound(hash: string, asJson: boolean, io: Io): ExitCode {
  const report = { status: 'NOT_FOUND', certificateHash: hash, reasonCodes: ['RECORD_NOT_FOUND'], verifier: VERIFIER };
  io.stdout.write(
    asJson
      ? `${printableJson(report)}\n`
      : `NOT FOUND\n  The node has no public record of ${printable(hash, 80)}: it never had one, or it was hidden or removed.\n`,
  );
  return EXIT.notFound;
}

/** A node may answer with a genuine certificate that is another one than was asked for. */
function asked(evaluation: Evaluation, hash: string): Evaluation {
  if (isAbout(evaluation, hash)) return evaluation;
  const finding: Finding = {
    code: 'CERTIFICATE_HASH_MISMATCH',
    member: 'certificateHash',
    detail: 'is of another certificate than was asked for',
    expected: hash,
    ...(evaluation.certificateHash !== null && { computed: evaluation.certificateHash }),
  };
  return { ...evaluation, status: 'FAILED', code: finding.code, findings: [finding, ...evaluation.findings] };
}

/** Without keys nothing is verified, and the original that a reseal claims contradicts nothing. */
function isAbout({ certificateHash, code, provenance }: Evaluation, hash: string): boolean {
  if (certificateHash === hash) return true;
  const isUndecided = code === 'VERIFICATION_MATERIAL_UNAVAILABLE';
  return provenance?.originalCertificateHash === hash && (provenance.state === 'proven' || isUndecided);
}
