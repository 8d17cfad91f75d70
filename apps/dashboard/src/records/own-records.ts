import { isSha256Hash } from '@cer/cer-core';
import { pathParam, ServiceError, type RequestHead, type ServiceResponse } from '@cer/http-service';
import type { NodeRecords, RecordRow, RecordsPage } from './node-records.js';

/** The first query that finds something, else the last: a hash may be of a certificate or of a project. */
export async function firstFound(
  queries: readonly URLSearchParams[],
  list: (query: URLSearchParams) => Promise<RecordsPage>,
): Promise<RecordsPage> {
  let page: RecordsPage = { records: [], nextCursor: null };
  for (const query of queries) {
    page = await list(query);
    if (page.records.length > 0) break;
  }
  return page;
}

/** The query that finds something, for an export. */
export async function fitting(
  nodeRecords: NodeRecords,
  tenantId: string,
  queries: readonly URLSearchParams[],
): Promise<URLSearchParams> {
  const [first = new URLSearchParams(), ...others] = queries;
  for (const query of others.length === 0 ? [] : queries) {
    const { records } = await nodeRecords.list(tenantId, new URLSearchParams([...query, ['limit', '1']]));
    if (records.length > 0) return query;
  }
  return first;
}

/** @throws ServiceError NOT_FOUND */
export async function ownRecord(
  nodeRecords: Pick<NodeRecords, 'list'>,
  tenantId: string,
  hash: string,
): Promise<RecordRow> {
  const query = new URLSearchParams({ certificate_hash: hash, order: 'oldest', limit: '2' });
  const { records } = await nodeRecords.list(tenantId, query);
  const row = records.find(({ kind }) => kind === 'full') ?? records[0];
  if (row === undefined) throw unknownCertificate();
  return row;
}

/** The hash in the path of a request. @throws ServiceError NOT_FOUND */
export function hashOf(head: RequestHead): string {
  const hash = pathParam(head, 'hash');
  if (!isSha256Hash(hash)) throw unknownCertificate();
  return hash;
}

function unknownCertificate(): ServiceError {
  return new ServiceError({ code: 'NOT_FOUND', message: 'This account has no such certificate.' });
}

/** The certificate as a download. */
export async function certificateFile(
  nodeRecords: NodeRecords,
  tenantId: string,
  hash: string,
): Promise<ServiceResponse> {
  const text = await nodeRecords.certificateText(tenantId, hash);
  return file('application/json', `certificate-${hash.slice('sha256:'.length, 23)}.json`, `${text}\n`);
}

export function file(type: string, name: string, body: ServiceResponse['body']): ServiceResponse {
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}
