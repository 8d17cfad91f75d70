import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { cer, type Said } from '../testing/console.js';
import { readSample, sample } from '../testing/files.js';
import { LocalServers } from '../testing/local-servers.js';

const servers = new LocalServers();
const project = readSample('project.json');
const embedded = member(project, 'embeddedBundles');
const stepIds = Object.keys(isJsonObject(embedded) ? embedded : {});
const hashOf = (bundle: unknown): unknown => (isJsonObject(bundle) ? member(bundle, 'certificateHash') : undefined);

afterEach(() => servers.close());

/** A node that registers a project once every step is attested, and names at most `named` missing steps at once. */
function nodeThatNeedsSteps(named = 1000): { readonly listener: RequestListener; readonly asked: string[] } {
  const asked: string[] = [];
  const attested = new Set<unknown>();
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const lines = body.split('\n').filter((line) => line !== '');
      if (request.url === '/api/attest-batch') {
        asked.push(`attest ${lines.length}`);
        for (const line of lines) attested.add(hashOf(JSON.parse(line)));
        response.end(lines.map((_, index) => `{"index":${index},"status":200,"body":{"ok":true}}\n`).join(''));
        return;
      }
      asked.push('register');
      const missingSteps = stepIds
        .map((stepId, index) => ({ index, stepId, certificateHash: hashOf(stepOf(stepId)) }))
        .filter(({ certificateHash }) => !attested.has(certificateHash))
        .slice(0, named);
      response.statusCode = missingSteps.length === 0 ? 200 : 400;
      response.end(
        JSON.stringify(
          missingSteps.length === 0
            ? { ok: true, projectHash: 'registered' }
            : { error: 'ATTESTATION_MISSING', missingSteps },
        ),
      );
    });
  };
  return { listener, asked };
}

const stepOf = (stepId: string): unknown => (isJsonObject(embedded) ? member(embedded, stepId) : undefined);

const register = (node: string, ...more: string[]): Promise<Said> =>
  cer(['register-project', sample('project.json'), '--node', node, ...more], { env: { CER_API_KEY: 'key' } });

describe('cer register-project', () => {
  it('shows which steps are missing, and attests none unasked', async () => {
    const { listener, asked } = nodeThatNeedsSteps();
    const { exitCode, stderr } = await register(await servers.serve(listener));
    expect([exitCode, asked]).toEqual([1, ['register']]);
    expect(JSON.parse(stderr)).toMatchObject({
      reason: 'ATTESTATION_MISSING',
      missingSteps: stepIds.map((stepId) => ({ stepId })),
    });
  });

  it('attests the missing steps in one batch and registers', async () => {
    const { listener, asked } = nodeThatNeedsSteps();
    const { exitCode, stdout, stderr } = await register(await servers.serve(listener), '--attest-steps');
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { ok: true, projectHash: 'registered' }]);
    expect(stderr).toBe(`cer: attested ${stepIds.length} steps\n`);
    expect(asked).toEqual(['register', `attest ${stepIds.length}`, 'register']);
  });

  it('continues when the node names some steps at once', async () => {
    const { listener, asked } = nodeThatNeedsSteps(1);
    expect((await register(await servers.serve(listener), '--attest-steps')).exitCode).toBe(0);
    expect(asked).toEqual([...stepIds.flatMap(() => ['register', 'attest 1']), 'register']);
  });

  it('reports a refused step and registers nothing', async () => {
    const body = JSON.stringify({ error: 'RECORD_REMOVED', message: 'record removed' });
    const missing: JsonObject = {
      error: 'ATTESTATION_MISSING',
      missingSteps: [{ index: 1, stepId: stepIds[1] ?? '' }],
    };
    const node = await servers.serve((request, response) => {
      response.statusCode = request.url === '/api/attest-batch' ? 200 : 400;
      response.end(response.statusCode === 200 ? `{"index":0,"status":409,"body":${body}}\n` : JSON.stringify(missing));
    });
    const { exitCode, stdout, stderr } = await register(node, '--attest-steps');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toMatchObject({
      reason: 'RECORD_REMOVED',
      details: [`stepRegistry[1]: step ${stepIds[1]} was not attested: RECORD_REMOVED: record removed`],
    });
  });

  it.each([
    ['the same steps again', () => stepIds[0] ?? ''],
    ['steps that the project does not have', (asked: number) => `other-${asked}`],
  ])('ends where a node names %s', async (_what, stepId: (asked: number) => string) => {
    let asked = 0;
    const node = await servers.serve((request, response) => {
      asked += 1;
      const isBatch = request.url === '/api/attest-batch';
      response.statusCode = isBatch ? 200 : 400;
      const refusal = { error: 'ATTESTATION_MISSING', missingSteps: [{ index: 0, stepId: stepId(asked) }] };
      response.end(isBatch ? '{"index":0,"status":200,"body":{}}\n' : JSON.stringify(refusal));
    });
    const { exitCode, stderr } = await register(node, '--attest-steps');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('"reason": "ATTESTATION_MISSING"');
    expect(asked).toBeLessThan(5);
  });

  it('reports a refused batch as the node words it', async () => {
    const node = await servers.serve((request, response) => {
      const isBatch = request.url === '/api/attest-batch';
      response.statusCode = isBatch ? 403 : 400;
      const refusal = { error: 'ATTESTATION_MISSING', missingSteps: [{ index: 0, stepId: stepIds[0] ?? '' }] };
      response.end(
        JSON.stringify(isBatch ? { error: 'FORBIDDEN', message: 'this key lacks the scope certify' } : refusal),
      );
    });
    const { exitCode, stderr } = await register(node, '--attest-steps');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ reason: 'FORBIDDEN', httpStatus: 403 });
  });
});
