// Clients of all kinds at once. A refusal for want of a service is expected; a wrong answer is a breach.
import { setTimeout as sleep } from 'node:timers/promises';
import { weighted } from './random.mjs';

const RACES_OPEN = 20;
const CONTENTS = 3;

/**
 * @param {object} cluster
 * @param {import('./ledger.mjs').Ledger} ledger
 * @param {{renders: import('./renders.mjs').Renders}} options
 * @returns {{stop: () => Promise<void>, render: (nodeUrl?: string) => Promise<void>}} render: one render, certified
 */
export function startLoad(cluster, ledger, { renders, random, clients }) {
  let isOver = false;
  let next = 0;
  const run = async () => {
    while (!isOver) {
      const work = weighted(random, [
        [60, fresh],
        [15, race],
        [10, replay],
        [8, batch],
        [4, confidential],
        [cluster.bridgeUrl === null ? 0 : 3, viaBridge],
        [cluster.noRenderer === null ? 2 : 0, render],
      ]);
      await work();
    }
  };
  const running = Promise.all(Array.from({ length: clients }, run));
  return {
    stop: async () => {
      isOver = true;
      await running;
    },
    render,
  };

  function execution(id, more = {}) {
    return {
      executionId: id,
      provider: 'example',
      model: 'example-1',
      input: `in ${id}`,
      output: 'out',
      createdAt: '2026-01-02T03:04:05.678Z',
      ...more,
    };
  }
  function nextId() {
    next += 1;
    return `t-${next}`;
  }
  function fresh() {
    return certify(execution(nextId()));
  }
  function confidential() {
    const parameters = { temperature: 0, maxTokens: 16, topP: null, seed: null };
    return certify(execution(nextId(), { protocolVersion: '1.3.1', prompt: 'p', parameters }));
  }
  /** All clients meet on a few ids with different contents, on every node. */
  function race() {
    const id = `race-${Math.floor(next / RACES_OPEN)}`;
    return certify(execution(id, { input: 'same', output: `content ${Math.floor(random() * CONTENTS)}` }), true);
  }
  async function replay() {
    const request = ledger.sample(random);
    if (request !== null) await certify(request);
  }

  async function certify(request, mayConflict = false) {
    const answer = await post(anyNode(), '/v1/cer/ai/certify', JSON.stringify(request));
    if (answer === null) return;
    if (answer.status === 200) {
      ledger.acknowledge(request.executionId, JSON.parse(answer.text).certificateHash, answer.text, request);
    } else if (answer.status === 409 && mayConflict) ledger.refused += 1;
    else await wait(answer);
  }

  async function batch() {
    const requests = Array.from({ length: 20 }, () => execution(nextId()));
    const text = requests.map((request) => JSON.stringify(request)).join('\n');
    const answer = await post(anyNode(), '/v1/cer/ai/certify-batch', text, 'application/x-ndjson');
    if (answer?.status !== 200) return wait(answer);
    for (const line of answer.text.split('\n').filter((each) => each !== '')) {
      const { index, status, body } = JSON.parse(line);
      if (status === 200) ledger.acknowledge(requests[index].executionId, body.certificateHash, null, requests[index]);
      else await wait({ status, text: line });
    }
  }

  async function viaBridge() {
    const executions = Array.from({ length: 5 }, () => execution(nextId()));
    const answer = await post(cluster.bridgeUrl, '/api/v1/ingest/executions', JSON.stringify({ executions }));
    if (answer === null || ![200, 207].includes(answer.status)) return wait(answer);
    for (const { index, ok, certificateHash } of JSON.parse(answer.text).results) {
      if (ok) ledger.acknowledge(executions[index].executionId, certificateHash, null, executions[index]);
    }
  }

  async function render(url = anyNode()) {
    const request = renders.requestOf(nextId(), next);
    const answer = await renders.counting(() => post(url, '/api/render', JSON.stringify(request)));
    if (answer?.status === 200) renders.accept(request, JSON.parse(answer.text));
    else await wait(answer);
  }

  function anyNode() {
    return cluster.nodeUrls[Math.floor(random() * cluster.nodeUrls.length)];
  }

  /** @returns null when no whole answer came: the outcome is open, and nothing was acknowledged */
  async function post(url, path, body, type = 'application/json') {
    try {
      const headers = { 'content-type': type, accept: 'application/json', authorization: `Bearer ${cluster.apiKey}` };
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(120_000),
      });
      return { status: answer.status, text: await answer.text() };
    } catch {
      ledger.unanswered += 1;
      await sleep(20);
      return null;
    }
  }

  /** Refusals that outages explain; any other status is a breach. */
  async function wait(answer) {
    if (answer === null) return;
    if (![429, 500, 502, 503].includes(answer.status))
      ledger.breaches.push(`status ${answer.status}: ${answer.text.slice(0, 200)}`);
    ledger.unanswered += 1;
    await sleep(50);
  }
}
