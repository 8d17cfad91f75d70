import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { isJsonObject, parseJson } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import { certified, TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet } from '@cer/keys/testing';
import { cer, type Said } from '../testing/console.js';
import { Folder } from '../testing/files.js';
import { LocalServers } from '../testing/local-servers.js';

const servers = new LocalServers();
const folder = new Folder();
afterEach(() => servers.close());
afterAll(() => {
  folder.remove();
});

/** A node that seals and signs what it is sent. */
const serveNode = (): Promise<string> =>
  servers.serve((request, response) => {
    void text(request).then(async (body) => {
      const members = parseJson(body);
      response.end(JSON.stringify(isJsonObject(members) ? await certified(members) : {}));
    });
  });

const review = (node: string, ...more: readonly string[]): Promise<Said> =>
  cer(['review', sha256('reviewed'), '--node', node, '--reviewer', 'Ada Example', ...more], {
    env: { CER_API_KEY: 'key' },
  });

describe('cer review', () => {
  it('certifies the decision and seals the person', async () => {
    const comment = folder.write('comment.txt', 'The second clause is missing.');
    const values = folder.file('values.json');
    const made = await review(
      await serveNode(),
      ...['--decision', 'rejected', '--comment', comment, '--seen', comment, '--values', values, '--app', 'desk'],
    );
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    expect(made.stdout).not.toMatch(/Ada Example|second clause/);
    expect(statSync(values).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(values, 'utf8'))).toMatchObject({
      input: { reviewed: sha256('reviewed'), reviewer: 'Ada Example', seen: sha256('The second clause is missing.') },
      output: { decision: 'rejected', comment: 'The second clause is missing.' },
    });
    const keySet = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer: TEST_SIGNER }] });
    const keys = folder.write('keys.json', JSON.stringify(keySet));
    const certificate = folder.write('review.json', made.stdout);
    const said = await cer(['verify', certificate, '--keys', keys]);
    expect(said.stdout).toMatch(/^VERIFIED, CONFIDENTIAL/);
    expect(said.stdout).toMatch(/Human review[^]*rejected, as the producer states/);
    expect(made.stdout).toMatch(/"appId": ?"desk"/);
    const asJson = await cer(['verify', certificate, '--keys', keys, '--json']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      review: { subject: 'certificate', reviewed: sha256('reviewed'), decision: 'rejected' },
    });
    const changed = folder.write('changed.json', made.stdout.replaceAll('rejected', 'approved'));
    const refused = await cer(['verify', changed, '--keys', keys]);
    expect([refused.exitCode, refused.stdout.includes('Human review')]).toEqual([1, false]);
  });

  it.each([
    ['no node is there', null, 'ECONNREFUSED', false],
    ['the node refuses', 400, '"httpStatus": 400', false],
    ['the node fails', 500, '"httpStatus": 500', true],
    ['the answer is no JSON', 0, 'values.json is kept', true],
  ])('keeps the values where the node may have certified them: %s', async (_, status, report, isKept) => {
    const node = await servers.serve((_request, response) => {
      if (status === 0) response.end('ok');
      else response.writeHead(status ?? 200).end('{"error":"INTERNAL_ERROR"}');
    });
    if (status === null) await servers.close();
    const values = folder.file(`${randomUUID()}-values.json`);
    const said = await review(node, '--decision', 'approved', '--values', values);
    expect([said.exitCode, said.stderr]).toEqual([1, expect.stringContaining(report)]);
    expect(existsSync(values)).toBe(isKept);
  });

  it('requires a decision and a new values file before any request', async () => {
    const node = 'http://127.0.0.1:9';
    const values = folder.write('taken.json', '{}');
    const refusals: readonly (readonly [readonly string[], string])[] = [
      [['--decision', 'maybe', '--values', folder.file('a.json')], '--decision: must be one of'],
      [['--decision', 'approved'], '--values is missing'],
      [['--decision', 'approved', '--values', values], 'exists already'],
    ];
    for (const [flags, sentence] of refusals) {
      const { exitCode, stderr } = await review(node, ...flags);
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining(sentence)]);
    }
  });
});
