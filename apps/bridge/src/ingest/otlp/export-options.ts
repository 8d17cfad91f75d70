import { PROTOCOLS, type ProtocolVersion } from '@cer/control-plane';
import { checkQuery, validationError, type RequestHead } from '@cer/http-service';
import * as z from 'zod';
import type { ProjectionRules } from './projection.js';

const Query = z.strictObject({
  protocol: z.enum(PROTOCOLS).optional(),
  content: z.enum(['optional', 'required']).optional(),
  project: z.literal('trace').optional(),
});

export interface ExportOptions extends ProjectionRules {
  /** Seal each trace as a project when its root span has ended. */
  readonly sealsTraces: boolean;
}

/**
 * The options in the query of the address.
 * @param minimum of the account; never undercut
 * @throws ServiceError VALIDATION_ERROR, also for unknown parameters
 */
export function exportOptions({ query }: Pick<RequestHead, 'query'>, minimum: ProtocolVersion): ExportOptions {
  const { protocol, content, project } = checkQuery(Query, query);
  if (protocol !== undefined && PROTOCOLS.indexOf(protocol) < PROTOCOLS.indexOf(minimum)) {
    throw validationError([`protocol: must be at least ${minimum} in this account`]);
  }
  return {
    protocolVersion: protocol ?? minimum,
    content: content ?? 'required',
    sealsTraces: project === 'trace',
  };
}
