import { isWellFormed } from '@cer/canonical-json';
import { executionRequestFaults } from '@cer/cer-core/seal';
import type { CertificatesOptions } from './settings.js';

/** A test of an option that is stated, and the rule in words. */
type Rule = readonly [isValid: (value: unknown) => boolean, rule: string];

const TEXT: Rule = [(value) => typeof value === 'string', 'must be a string'];
const AMOUNT: Rule = [(value) => typeof value === 'number' && value >= 0, 'must be a number, at least 0'];
const FUNCTION: Rule = [(value) => typeof value === 'function', 'must be a function'];
const LABEL = 'must be a string of 1 to 256 characters, none of them a control character or a lone surrogate';
const oneOf = (...values: readonly string[]): Rule => [
  (value) => typeof value === 'string' && values.includes(value),
  `must be one of ${values.join(', ')}`,
];

/** One rule for each option; null where a function below, or the reader of the option, checks its value. */
const RULES: Readonly<Record<keyof CertificatesOptions, Rule | null>> = {
  appId: [isPlainLabel, LABEL],
  nodeUrl: null,
  apiKey: TEXT,
  spoolDir: [(value) => value === null || typeof value === 'string', 'must be a string, or null'],
  maxSpoolBytes: AMOUNT,
  maxSpoolAgeMs: AMOUNT,
  maxContentBytes: AMOUNT,
  onFull: oneOf('count', 'throw-before-call'),
  certify: FUNCTION,
  protocol: oneOf('1.2.0', '1.3.0', '1.3.1'),
  confidential: [
    (value) => typeof memberOf(value, 'prompt') === 'string' && typeof memberOf(value, 'onOpenings') === 'function',
    'must be an object with the string prompt and the function onOpenings',
  ],
  redaction: null,
  coverage: [
    (value) => typeof value === 'object' && value !== null && isInterval(memberOf(value, 'everyMs')),
    'must be an object, and its everyMs a number above 0',
  ],
  meter: null,
  onCertified: FUNCTION,
  onProject: FUNCTION,
  onDeadLetter: FUNCTION,
  waitUntil: FUNCTION,
  onError: FUNCTION,
  fetch: FUNCTION,
  timeoutMs: AMOUNT,
  retries: AMOUNT,
};

const NAMES = Object.entries(RULES);

/**
 * Programs without types give what types refuse: with a misspelt name, or a value of another type, calls would have no
 * certificate, or the certificate of content that was to be masked.
 * @throws TypeError that names the option and its rule
 */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError("certificates: takes an object of options, such as { appId: 'travel-desk' }");
  }
  for (const [name, value] of Object.entries(options)) {
    const [, rule] = NAMES.find(([known]) => known === name) ?? [];
    if (rule === undefined) throw new TypeError(`${name}: is not an option. The options are ${namesOf()}`);
    if (rule !== null && value !== undefined && !rule[0](value)) throw new TypeError(`${name}: ${rule[1]}`);
  }
  if (memberOf(options, 'appId') === undefined) throw new TypeError('appId: is required');
  const redaction = memberOf(options, 'redaction');
  if (redaction !== undefined) checkRedaction(redaction);
  const confidential = memberOf(options, 'confidential');
  if (confidential !== undefined) checkConfidential(confidential);
}

/** As certificates take both: no call would get a certificate with another value. */
function checkConfidential(confidential: unknown): void {
  const prompt = memberOf(confidential, 'prompt');
  if (typeof prompt !== 'string' || !isWellFormed(prompt)) {
    throw new TypeError('confidential.prompt: must not contain a lone surrogate');
  }
  const stated = memberOf(confidential, 'parameters');
  if (stated !== undefined && (typeof stated !== 'object' || stated === null)) {
    throw new TypeError('confidential.parameters: must be an object');
  }
  const parameters = { temperature: 0, maxTokens: 0, topP: null, seed: null, ...stated };
  const call = { protocolVersion: '1.3.1', provider: 'any', model: 'any', input: '', output: '', prompt, parameters };
  const [fault] = executionRequestFaults(call);
  if (fault !== undefined) throw new TypeError(`confidential.${fault}`);
}

/** With a redaction of another form content would pass for masked, or the certificate not say that it is. */
function checkRedaction(redaction: unknown): void {
  const name = memberOf(redaction, 'name');
  if (!isLabel(name)) throw new TypeError('redaction.name: must have 1 to 256 characters');
  if (!isWellFormed(name)) throw new TypeError('redaction.name: must not contain a lone surrogate');
  if (typeof memberOf(redaction, 'redact') !== 'function') {
    throw new TypeError('redaction.redact: must be a function');
  }
}

function namesOf(): string {
  return NAMES.map(([name]) => name).join(', ');
}

function isLabel(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 256;
}

/** As certificates take the names of programs, providers and tools: no call would get a certificate with another one. */
function isPlainLabel(value: unknown): value is string {
  return isLabel(value) && isPlain(value);
}

function isPlain(text: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f]/.test(text) && isWellFormed(text);
}

function isInterval(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value > 0);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** @throws TypeError for a request, as where a program passes `cer.fetch` on in place of what it returns */
export function checkFetchOptions(options: unknown): void {
  if (options === undefined) return;
  const isRequest = options instanceof URL || options instanceof Request;
  if (typeof options !== 'object' || options === null || isRequest) {
    throw new TypeError(
      'cer.fetch: takes { provider, fetch } and returns the fetch that certifies: pass cer.fetch(), not cer.fetch',
    );
  }
  const provider = memberOf(options, 'provider');
  if (provider !== undefined && !isPlainLabel(provider)) throw new TypeError(`provider: ${LABEL}`);
}

/** @throws TypeError for anything but a client of an SDK, such as its class */
export function checkClient(observer: string, client: unknown, example: string): void {
  if (typeof memberOf(client, 'withOptions') === 'function') return;
  throw new TypeError(`${observer}: takes a client of the SDK, such as ${example}`);
}

/** @throws TypeError for other arguments than those of `run` */
export function checkRun(options: unknown, work: unknown): void {
  if (typeof memberOf(options, 'project') === 'string' && typeof work === 'function') return;
  throw new TypeError("run: takes { project }, such as { project: 'case-7' }, and a function");
}

/** @throws TypeError for other arguments than those of `tool` */
export function checkTool(name: unknown, tool: unknown): void {
  if (typeof name !== 'string' || typeof tool !== 'function') {
    throw new TypeError("tool: takes a name and a function, such as cer.tool('weather', weather)");
  }
  if (!isPlain(name)) throw new TypeError('tool: the name must not contain a control character or a lone surrogate');
}
