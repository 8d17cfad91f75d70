import { isJsonObject, parseJson, type JsonObject } from '@cer/canonical-json';
import { TEST_NODE_ID } from '@cer/cer-core/testing';
import { parseLogPolicy } from '@cer/tlog';
import { checkRange, verifyEpochEnd, type EpochEnd, type OpenedLeaf } from '@cer/tlog/epoch';
import { deletionDigest, readOpening } from '@cer/tlog/leaf';

import { ask, at, textAt } from '../ask.js';
import { until } from '../timestamps/timestamping-node.js';
import { zipFiles } from '../zip-files.js';
import type { LoggingNode } from './logging-node.js';

/** The files of the audit package of the account. */
export async function packageOf(node: LoggingNode): Promise<ReadonlyMap<string, Buffer>> {
  const headers = { authorization: `Bearer ${node.key}` };
  const answer = await fetch(`${node.node.url}/v1/records/export`, { headers });
  if (answer.status !== 200) throw new Error(`the export was answered ${String(answer.status)}`);
  return await zipFiles(Buffer.from(await answer.arrayBuffer()));
}

/** The answer of the node about all leaves of its account. */
export interface Completeness {
  readonly document: JsonObject;
  readonly lines: readonly JsonObject[];
}

/** Waits until the answer has this many leaves. */
export async function completeness(node: LoggingNode, leaves: number): Promise<Completeness> {
  const { text } = await until(
    () => ask(node.node, 'get', '/v1/log/completeness', { key: node.key }),
    (answer) => answer.status === 200 && answer.text.trimEnd().split('\n').length > leaves,
  );
  const [document, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isJsonObject);
  if (document === undefined) throw new Error('no document');
  return { document, lines };
}

function endOf(value: unknown): EpochEnd {
  const hash = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice('sha256:'.length), 'hex'));
  const siblings = at(value, 'siblings') as readonly string[];
  return {
    epoch: at(value, 'epoch') as number,
    entry: new TextEncoder().encode(textAt(value, 'entry')),
    proof: textAt(value, 'proof'),
    head: { size: at(value, 'head', 'size') as number, root: hash(textAt(value, 'head', 'root')) },
    siblings: siblings.map(hash),
  };
}

function openedLeaf(line: JsonObject): OpenedLeaf {
  const opening = readOpening(line['opening'] ?? null);
  const digest =
    line['deletion'] !== undefined && opening.form === 'owner'
      ? deletionDigest(textAt(line, 'deletion', 'auditHash'), opening.label.deletes ?? [])
      : line['digest'] === undefined
        ? null
        : new Uint8Array(Buffer.from(textAt(line, 'digest').slice('sha256:'.length), 'hex'));
  return { opening, digest };
}

/** The verdict of a reader with the policy of the node. */
export async function verdictOn(node: LoggingNode, { document, lines }: Completeness) {
  const owner = {
    nodeId: TEST_NODE_ID,
    tenantId: textAt(document, 'tenantId'),
    origin: textAt(document, 'origin'),
  };
  const to = endOf(document['to']);
  const end = await verifyEpochEnd(to, owner, parseLogPolicy(node.policy()));
  const code = checkRange({ from: null, to: to.head, peaks: [], leaves: lines.map(openedLeaf) }, owner);
  return { end: end.status, code };
}
