import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { at, objectAt } from '../ask.js';
import { startTestNode, type TestNode } from '../test-node.js';

// Follows the workflow of examples/n8n, with the expressions and requests that n8n would make, against a node.

const FILE = join(__dirname, '../../../../examples/n8n/certify-model-call.json');
const COMPLETION = { id: 'chatcmpl-1', choices: [{ index: 0, message: { role: 'assistant', content: 'Lisbon' } }] };

interface Step {
  readonly name: string;
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

let node: TestNode;
let key: string;
beforeAll(async () => {
  node = await startTestNode();
  key = await node.newKey();
});
afterAll(() => node.close());

/** The steps in the order of their connections. */
function stepsOf(workflow: unknown): Step[] {
  const steps = new Map((at(workflow, 'nodes') as readonly Step[]).map((step) => [step.name, step]));
  const found: Step[] = [];
  for (let name: unknown = 'Start'; typeof name === 'string'; name = nextOf(workflow, name)) {
    const step = steps.get(name);
    if (step === undefined) throw new Error(`no step ${name}`);
    found.push(step);
  }
  return found;
}

function nextOf(workflow: unknown, name: string): unknown {
  return at(workflow, 'connections', name, 'main', 0, 0, 'node');
}

const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new Error('the parameter is not text');
  return value;
};

describe('examples/n8n', () => {
  it('certifies a model call and replays it when retried', async () => {
    const steps = stepsOf(JSON.parse(readFileSync(FILE, 'utf8')));
    expect(steps.map(({ name }) => name)).toEqual(['Start', 'Request', 'Call the model', 'Certify', 'Verify']);

    const outputs = new Map<string, unknown>();
    const env = { OPENAI_BASE_URL: 'http://models.test/v1', CER_NODE_URL: node.url };
    const valueOf = (template: unknown, input: unknown): string => {
      const text = textOf(template);
      if (!text.startsWith('=')) return text;
      return text.slice(1).replaceAll(/\{\{(.*?)\}\}(?!\})/gs, (_, expression: string) =>
        String(
          runInNewContext(expression, {
            $json: input,
            $env: env,
            $workflow: { id: 'w1' },
            $execution: { id: '7' },
            $itemIndex: 0,
            $: (name: string) => ({ item: { json: outputs.get(name) } }),
          }),
        ),
      );
    };
    const send = async (step: Step, input: unknown): Promise<Response> => {
      const { method, url, jsonBody, authentication } = step.parameters;
      const headers = {
        'content-type': 'application/json',
        ...(authentication === 'genericCredentialType' && { authorization: `Bearer ${key}` }),
      };
      return fetch(valueOf(url, input), { method: textOf(method), headers, body: valueOf(jsonBody, input) });
    };

    let json: unknown = {};
    for (const step of steps) {
      if (step.name === 'Request') json = JSON.parse(valueOf(step.parameters['jsonOutput'], json));
      else if (step.name === 'Call the model') {
        expect(valueOf(step.parameters['url'], json)).toBe('http://models.test/v1/chat/completions');
        expect(JSON.parse(valueOf(step.parameters['jsonBody'], json))).toEqual(outputs.get('Request'));
        json = COMPLETION;
      } else if (step.type === 'n8n-nodes-base.httpRequest') {
        const response = await send(step, json);
        if (step.name === 'Certify') {
          expect((await send(step, json)).headers.get('x-idempotent-replay')).toBe('true');
        }
        expect(response.status).toBe(200);
        json = await response.json();
      }
      outputs.set(step.name, json);
    }
    expect(json).toMatchObject({ status: 'verified' });
    const snapshot = objectAt(outputs.get('Certify'), 'cer', 'snapshot');
    expect(snapshot).toMatchObject({ executionId: 'n8n-w1-7-0', model: 'gpt-4.1' });
  });
});
