import type { AuditPackageQuery } from '@cer/cer-core/logs';
import { endingWith, ServiceError, type RequestHead, type ServiceResponse } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { assertDescribed } from '../records/list/described.js';
import type { Slots } from '../limits/slots.js';
import { QueryReader, readRecordQuery, type RecordQuery } from '../records/list/record-query.js';
import { StoreError, type RecordList, type WholeRecord } from '../store/index.js';
import { takeExportSlot } from './export-slots.js';
import { publishedEpochs } from './log-files.js';
import { packageFiles, type PackageDeps } from './package-files.js';
import { zipStream } from './zip-stream.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { RECORD_FILTERS } from '../records/list/list-shapes.js';

export interface ExportDeps extends PackageDeps {
  readonly recordList: RecordList;
  readonly gate: Pick<Gate, 'admit' | 'callerOf'>;
  readonly slots: Slots;
}

/** A tenant's own records as one signed ZIP. @see docs/spec.md, "GET /v1/records/export" */
export function exportRoutes(deps: ExportDeps): DescribedRoute[] {
  const { gate } = deps;
  return [
    {
      method: 'GET',
      path: '/v1/records/export',
      description: {
        group: 'Records',
        summary: "The tenant's own records as one signed package",
        access: { scopes: ['audit', 'certify'] },
        query: RECORD_FILTERS,
        success: { 200: { description: 'The audit package.', mediaTypes: ['application/zip'] } },
        errors: ['ATTESTATION_ERROR'],
      },
      admit: gate.admit('audit', 'certify'),
      handler: (request) => exportPackage(deps, request),
    },
  ];
}

async function exportPackage(deps: ExportDeps, head: RequestHead): Promise<ServiceResponse> {
  const { tenantId } = deps.gate.callerOf(head);
  const reader = new QueryReader(head.query, []);
  const query = readRecordQuery(reader);
  reader.end();
  await assertDescribed(deps.recordList, query);
  const giveBack = await takeExportSlot(deps.slots, tenantId);
  try {
    const shown = await publishedEpochs(deps);
    const snapshot = await snapshotOf(deps.recordList);
    const asOf = deps.now();
    const records = await started(deps.recordList.all({ tenantId, ...query }, snapshot));
    // A package that cannot be signed is refused before the response starts.
    await deps.signing.prove(asOf);
    const files = packageFiles(deps, { tenantId, query: stated(query), asOf }, records, shown);
    const name = `audit-package-${asOf.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.zip`;
    return {
      status: 200,
      headers: {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
      },
      body: endingWith(zipStream(files, asOf), async () => {
        giveBack();
        await records.return?.();
      }),
    };
  } catch (error) {
    giveBack();
    throw error;
  }
}

async function snapshotOf(recordList: RecordList): ReturnType<RecordList['snapshot']> {
  try {
    return await recordList.snapshot();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'STORE_CONTENDED') throw error;
    throw new ServiceError(
      {
        code: 'SERVICE_UNAVAILABLE',
        message: 'records are being written in a transaction that does not end: retry later',
        headers: { 'retry-after': '10' },
      },
      { cause: error },
    );
  }
}

/** Reads the first record, so that an immediate failure of the database gets an error status. */
async function started(records: AsyncGenerator<WholeRecord>): Promise<AsyncIterator<WholeRecord>> {
  let first: IteratorResult<WholeRecord> | null = await records.next();
  return {
    next: async () => {
      const ahead = first;
      first = null;
      return ahead ?? (await records.next());
    },
    return: () => records.return(undefined),
  };
}

function stated({ attestedFrom, attestedTo, appId, bundleType, status, ...others }: RecordQuery): AuditPackageQuery {
  return {
    attestedFrom: attestedFrom ?? null,
    attestedTo: attestedTo ?? null,
    appId: appId ?? null,
    bundleType: bundleType ?? null,
    status: status ?? null,
    ...others,
  };
}
