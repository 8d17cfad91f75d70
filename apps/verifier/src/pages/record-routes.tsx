import { isSha256Hash, type Sha256Hash } from '@cer/cer-core';
import type { VerificationReport } from '@cer/cer-core/verify';
import {
  json,
  pathParam,
  ServiceError,
  type Route,
  type ServiceRequest,
  type ServiceResponse,
} from '@cer/http-service';
import { VERIFIER_NAME } from '../check/check-result.js';
import type { CheckRecord, RecordCheck, RecordKind } from '../record/record-check.js';
import { verdictTitle } from '../view/embed-code.js';
import { RecordPage } from '../view/record-page.js';
import { recordPath } from '../view/record-path.js';
import { TEXTS } from '../view/texts.js';
import { messagePage } from './message-page.js';
import { entityTag, page, pageProtection, prefersJson, unlessUnchanged, type PageSettings } from './page-response.js';

export interface RecordRouteDeps {
  readonly settings: PageSettings;
  readonly checkRecord: CheckRecord;
  readonly now: () => Date;
}

/** While the node cannot be asked; seconds. */
export const RETRY = { 'retry-after': '5' };

/** HTTP statuses of records that are not shown; 200 for others. */
export const STATUS_OF_HEADLINE: Readonly<Record<string, number>> = { notFound: 404, unavailable: 503 };

/** The pages of certificates and projects, and their reports. @see docs/spec.md, "Verifier pages" */
export function recordRoutes(deps: RecordRouteDeps): Route[] {
  const kinds: readonly (readonly [string, RecordKind])[] = [
    ['/c/:hash', 'certificate'],
    ['/p/:hash', 'project'],
  ];
  return kinds.flatMap(([path, kind]): Route[] => [
    { method: 'GET', path, handler: (request) => recordPage(deps, kind, request, prefersJson(request)) },
    { method: 'GET', path: `${path}/report.json`, handler: (request) => recordPage(deps, kind, request, true) },
  ]);
}

async function recordPage(
  deps: RecordRouteDeps,
  kind: RecordKind,
  request: ServiceRequest,
  asJson: boolean,
): Promise<ServiceResponse> {
  const { settings } = deps;
  const hash = pathParam(request, 'hash');
  if (!isSha256Hash(hash)) {
    if (asJson)
      throw new ServiceError({ code: 'NOT_FOUND', message: 'hash: must be sha256: and 64 lower-case hex digits' });
    return messagePage(settings, request, 404, { title: TEXTS.lookup.badQuery, lead: TEXTS.lookup.badHash });
  }
  const checked = await deps.checkRecord(kind, hash);
  const status = STATUS_OF_HEADLINE[checked.outcome.headline] ?? 200;
  const etag = entityTag(settings.buildId, kind, hash, checked.version, asJson ? 'json' : 'html');
  const make = (): ServiceResponse =>
    asJson ? json(status, reportOf(checked, kind, hash, deps.now())) : htmlPage(settings, kind, hash, checked, status);
  const answer = unlessUnchanged(request, etag, 'Accept', asJson ? {} : pageProtection(settings), make);
  return status === 503
    ? { ...answer, status, headers: { ...answer.headers, ...RETRY, 'cache-control': 'no-store' } }
    : answer;
}

function htmlPage(
  settings: PageSettings,
  kind: RecordKind,
  hash: Sha256Hash,
  checked: RecordCheck,
  status: number,
): ServiceResponse {
  const { outcome, check } = checked;
  return page(settings, status, {
    title: verdictTitle(outcome, hash),
    description: TEXTS.headlines[outcome.headline].lead,
    path: recordPath(kind, hash),
    oembed: `${settings.publicUrl}/oembed?url=${encodeURIComponent(`${settings.publicUrl}${recordPath(kind, hash)}`)}`,
    state: { kind, hash, server: outcome, logPolicy: settings.logPolicy },
    children: (
      <RecordPage
        kind={kind}
        hash={hash}
        outcome={outcome}
        check={check}
        publicUrl={settings.publicUrl}
        publicNodeUrl={settings.publicNodeUrl}
      />
    ),
  });
}

/** The report; a record that is not there, or a node that does not answer, has one too. */
function reportOf({ check, outcome }: RecordCheck, kind: RecordKind, hash: Sha256Hash, at: Date): VerificationReport {
  if (check !== null) return check.report;
  const isMissing = outcome.headline === 'notFound';
  return {
    status: isMissing ? 'NOT_FOUND' : 'FAILED',
    checks: {
      bundleIntegrity: 'SKIPPED',
      nodeSignature: 'SKIPPED',
      receiptConsistency: 'SKIPPED',
      envelope: 'SKIPPED',
    },
    reasonCodes: [isMissing ? 'RECORD_NOT_FOUND' : 'VERIFICATION_MATERIAL_UNAVAILABLE'],
    certificateHash: kind === 'certificate' ? hash : null,
    bundleType: null,
    verifiedAt: at.toISOString(),
    verifier: VERIFIER_NAME,
  };
}
