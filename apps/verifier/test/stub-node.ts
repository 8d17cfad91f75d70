import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testKeySet } from '@cer/keys/testing';
import { TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';

/** The answer of a stub node at one address: JSON, raw text, silence, or what a test writes, when it writes it. */
export type StubAnswer =
  | { readonly status: number; readonly body: unknown }
  | { readonly text: string }
  | 'hang-up'
  | ((response: ServerResponse) => void);

/** A node that answers as a test configures it, honest or not. */
export interface StubNode {
  readonly url: string;
  /** By path with query, e.g. `/v1/cer/public?certificate_hash=…`. */
  readonly answers: Map<string, StubAnswer>;
  /** Every request that arrived. */
  readonly requests: string[];
  close(): Promise<void>;
}

export const KEY_SET_PATH = '/.well-known/svc-node.json';
export const KEY_HISTORY_PATH = '/.well-known/svc-key-history.json';

export async function startStubNode(): Promise<StubNode> {
  const answers = new Map<string, StubAnswer>();
  const requests: string[] = [];
  const keySet = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] });
  answers.set(KEY_SET_PATH, { status: 200, body: keySet });
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const answer = answers.get(request.url ?? '') ?? { status: 404, body: { error: 'NOT_FOUND' } };
    if (answer === 'hang-up') {
      request.socket.destroy();
      return;
    }
    if (typeof answer === 'function') {
      response.setHeader('content-type', 'application/json').setHeader('access-control-allow-origin', '*');
      answer(response);
      return;
    }
    const [status, text] = 'text' in answer ? [200, answer.text] : [answer.status, JSON.stringify(answer.body)];
    response.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' }).end(text);
  });
  const url = await listening(server);
  return { url, answers, requests, close: () => closed(server) };
}

export function certificatePath(hash: string): string {
  return `/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`;
}

export function projectPath(hash: string): string {
  return `/v1/project-bundle/public?project_hash=${encodeURIComponent(hash)}`;
}

export function listening(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
