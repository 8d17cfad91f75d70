// npm run test:chart
// Renders infra/helm with helm itself and decodes every object strictly by the types of Kubernetes.
// Both are built from the Go module proxy, which takes minutes the first time; says so in one line where Go is missing.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../setup/options.mjs';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.18.6';
const root = join(import.meta.dirname, '..', '..');
const tools = join(root, '.data', 'tools');
const chart = join(root, 'infra', 'helm');
const helm = join(tools, 'helm');
const KUBERNETES = ['--kube-version', '1.31.0'];

/** Values with which the chart must render. */
const ACCEPTED = [
  [],
  ['--set', 'services.bridge.enabled=false,services.dashboard.enabled=false,services.renderer.enabled=false'],
  ['--set', 'services.renderer.autoscaling.enabled=true,services.bridge.autoscaling.enabled=true'],
  [
    '--set',
    'ingress.className=nginx,ingress.tlsSecret=tls,testApiKeySecret=key,databaseCaSecret=ca,restoreMark.existingClaim=marks',
  ],
  [
    '--set',
    'networkPolicy.egressTo[0].ipBlock.cidr=10.0.0.0/8,networkPolicy.ingressFrom[0].namespaceSelector.matchLabels.a=b,networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.c=d',
  ],
  [
    '--set',
    'services.node.files[0].secret=cer-alerts,services.node.env.ALERTS_FILE=/run/files/cer-alerts/alerts.json,services.node.files[1].configMap=cer-log',
  ],
  [
    '--set',
    'services.node.env.TSA_MODE=batch,services.node.env.LOG_LEVEL=warn,services.node.env.DRAIN_TIMEOUT_MS=1200000,image.pullSecrets[0].name=registry',
  ],
];
/** Values that the schema must refuse. */
const REFUSED = [
  'services.node.replicas=0',
  'service.node.enabled=true',
  'hosts.node=UPPER',
  'services.node.env.lower=1',
  'services.node.files[0].secret=a,services.node.files[0].configMap=b',
  'services.node.files[0].secret=a,services.node.files[1].secret=a',
  'services.node.env.ADMIN_SECRET=in-the-values',
  'services.dashboard.env.OIDC_CLIENT_SECRET=in-the-values',
  'services.node.env.PORT=4999',
  'services.node.autoscaling.min=9',
  'existingSecrets.tokens=Upper',
  'restoreMark.existingClaim=a b',
];

readOptions(import.meta.filename);
if (spawnSync('go', ['version']).error !== undefined) {
  console.log('test:chart: not run: Go is not installed');
  process.exit(0);
}
if (!existsSync(helm)) {
  console.log(`building helm (${HELM}) ...`);
  run('go', ['install', HELM], { env: { ...process.env, GOBIN: tools, GOFLAGS: '-mod=mod' } });
}
const check = join(tools, 'chart-check');
run('go', ['build', '-o', check, '.'], { cwd: join(chart, 'check') });

console.log(lastLine(run(helm, ['lint', '--strict', chart])));
let passed = 0;
for (const values of ACCEPTED) {
  const manifests = run(helm, ['template', 'cer', chart, ...KUBERNETES, ...values]);
  const exponent = /^.*: "?[\d.]+e\+\d+"?$/m.exec(manifests)?.[0];
  if (exponent !== undefined) fail(`${values[1] ?? ''}: no service reads${exponent}`);
  console.log(`${values[1] ?? 'default values'}: ${lastLine(run(check, [], { input: manifests }))}`);
  passed += 1;
}
for (const [, values] of readFileSync(join(chart, 'README.md'), 'utf8').matchAll(/^```yaml\n(.*?)^```/gms)) {
  const manifests = run(helm, ['template', 'cer', chart, ...KUBERNETES, '--values', '-'], { input: values });
  console.log(`values of its README: ${lastLine(run(check, [], { input: manifests }))}`);
  passed += 1;
}
for (const value of REFUSED) {
  const { status, stderr } = spawnSync(helm, ['template', 'cer', chart, ...KUBERNETES, '--set', value], {
    encoding: 'utf8',
  });
  if (status === 0) fail(`${value}: was accepted`);
  console.log(`${value}: refused: ${lastLine(stderr)}`);
  passed += 1;
}
const manifests = run(helm, ['template', 'cer', chart, ...KUBERNETES]);
/** Objects that the check must refuse, so that its success is meaningful. */
for (const [what, faulty, says] of [
  ['a misspelled field', manifests.replaceAll('containerPort:', 'containerport_:'), 'unknown field'],
  ['an Ingress of every path', manifests.replaceAll('pathType: Exact', 'pathType: Prefix'), 'forwards /metrics'],
]) {
  const { status, stderr } = spawnSync(check, [], { input: faulty, encoding: 'utf8' });
  if (status === 0 || !stderr.includes(says)) fail(`${what} was accepted: ${stderr}`);
  console.log(`${what}: refused: ${lastLine(stderr)}`);
  passed += 1;
}
console.log(`${passed} passed, 0 failed`);

/** @returns the standard output; ends this process when the program fails */
function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...options,
  });
  if (status !== 0) fail(`${program} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}

function fail(message) {
  console.error(`test:chart: ${message}`);
  process.exit(1);
}

function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}
