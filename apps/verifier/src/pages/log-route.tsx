import type { Route, ServiceResponse } from '@cer/http-service';
import type { LogPolicy } from '@cer/tlog';
import { isSha256Hash } from '@cer/cer-core';
import { checkCheckpoint, checkProof, type CheckpointCheck, type ProofCheck } from '../check/log-check.js';
import type { NodeClient } from '../record/node-client.js';
import { LogPage } from '../view/log-page.js';
import { TEXTS } from '../view/texts.js';
import { page, type PageSettings } from './page-response.js';

interface LogRouteDeps {
  readonly settings: PageSettings;
  readonly node: NodeClient;
  /** The policy of this site; null: signatures of witnesses are not checked. */
  readonly logPolicy: LogPolicy | null;
  readonly now: () => Date;
}

/** The transparency log of the node, and the proof of one certificate. */
export function logRoute({ settings, node, logPolicy, now }: LogRouteDeps): Route {
  const handler = async ({ query }: Parameters<Route['handler']>[0]): Promise<ServiceResponse> => {
    const asked = query.get('certificate_hash')?.trim() ?? null;
    const [log, proof] = await Promise.all([newest(node, logPolicy), proofOf(node, asked, logPolicy)]);
    return page(settings, log === null ? 503 : 200, {
      title: `${TEXTS.log.title} – ${TEXTS.site.name}`,
      description: TEXTS.log.lead,
      path: '/log',
      current: 'log',
      children: <LogPage log={log} asked={asked} proof={proof} now={now()} />,
    });
  };
  return { method: 'GET', path: '/log', handler };
}

async function newest(node: NodeClient, policy: LogPolicy | null): Promise<CheckpointCheck | 'none' | null> {
  const answer = await node.logCheckpoint();
  if (answer.kind === 'found') return checkCheckpoint(answer.text, policy);
  return answer.kind === 'not-found' ? 'none' : null;
}

async function proofOf(
  node: NodeClient,
  asked: string | null,
  policy: LogPolicy | null,
): Promise<ProofCheck | 'none' | null> {
  if (asked === null || asked === '') return null;
  if (!isSha256Hash(asked)) return 'none';
  const proof = await node.logProof(asked);
  if (proof.kind !== 'found') return 'none';
  return node.certificate(
    asked,
    async (record) => (record.kind === 'found' ? await checkProof(proof.text, record.bytes, policy) : null) ?? 'none',
  );
}
