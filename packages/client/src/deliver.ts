import { textOf, type JsonMembers } from './json.js';
import type { LineResult } from './node-api/lines.js';
import { NodeError } from './node-api/node-error.js';
import { jsonOf, request, type NodeAccess, type RequestOptions } from './node-api/request.js';
import type { CertifiedCall, CertifiedProject } from './settings.js';
import { isMembers } from './json.js';

/** Registers a sealed project by one request: the drain repeats it. @throws NodeError without an answer of a node */
export async function registerProject(access: NodeAccess, text: string, options: RequestOptions): Promise<LineResult> {
  const body = { bytes: text, type: 'application/json' };
  try {
    return {
      index: 0,
      status: 200,
      body: await request(access, 'registerProject', { body, options: { ...options, retries: 0 } }, jsonOf),
    };
  } catch (error) {
    if (!(error instanceof NodeError) || error.status === null || !isFinal(error)) throw error;
    return { index: 0, status: error.status, body: { error: error.code } };
  }
}

/** A refused key can be replaced, and an answer without a code is not of a node, but of what is before it: both are kept. */
function isFinal({ status, code }: NodeError): boolean {
  return status !== 401 && status !== 403 && code !== 'UNEXPECTED_ANSWER';
}

/** @see docs/spec.md, "Certify response" */
export function certifiedCall(answer: JsonMembers): CertifiedCall {
  const { cer } = answer;
  const snapshot = isMembers(cer) ? cer['snapshot'] : null;
  return {
    executionId: textOf(snapshot, 'executionId'),
    certificateHash: textOf(answer, 'certificateHash') ?? '',
    verificationUrl: textOf(answer, 'verificationUrl'),
    answer,
  };
}

/** @see docs/spec.md, "POST /v1/project-bundle/register" */
export function certifiedProject(answer: JsonMembers): CertifiedProject {
  return {
    projectHash: textOf(answer, 'projectHash') ?? '',
    verificationUrl: textOf(answer, 'verificationUrl'),
    answer,
  };
}
