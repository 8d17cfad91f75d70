import type { Json, JsonObject } from './forge.js';

/** One test of a family, before it is written. */
export interface Vector {
  /** The id. */
  readonly name: string;
  readonly title: string;
  /** The sentence of the specification that it proves, and its heading in docs/spec.md. */
  readonly rule: string;
  readonly heading: string;
  readonly kind: 'cer' | 'project';
  readonly options?: JsonObject;
  /** A value, or JSON text where bytes matter. */
  readonly bundle: JsonObject | Json | RawText;
  /** Null: the caller has no keys. */
  readonly keySet: JsonObject | null;
  /** Written from the specification by hand. */
  readonly expected: JsonObject;
}

export interface RawText {
  readonly rawText: string;
}

export function raw(rawText: string): RawText {
  return { rawText };
}

export function isRaw(bundle: Vector['bundle']): bundle is RawText {
  return typeof bundle === 'object' && bundle !== null && 'rawText' in bundle;
}

const OUTCOMES: Readonly<Record<string, string>> = { P: 'PASS', F: 'FAIL', S: 'SKIPPED' };

/** `PPPF`: integrity, node signature, receipt consistency, envelope. */
function checksOf(layers: string): JsonObject {
  const [bundleIntegrity = '', nodeSignature = '', receiptConsistency = '', envelope = ''] = Array.from(
    layers,
    (letter) => OUTCOMES[letter] ?? '',
  );
  return { bundleIntegrity, nodeSignature, receiptConsistency, envelope };
}

/** VERIFIED with the layers given: `PSSS` sealed, `PPPS` with a receipt, `PPPP` with an envelope too. */
export function passes(layers: string, more: JsonObject = {}): JsonObject {
  return {
    status: 'VERIFIED',
    code: 'OK',
    checks: checksOf(layers),
    reasonCodes: [],
    classification: 'VERIFIED',
    ...more,
  };
}

/** FAILED with the code, naming the member. */
export function fails(code: string, member: string, layers = 'FSSS', more: JsonObject = {}): JsonObject {
  return { status: 'FAILED', code, member, checks: checksOf(layers), classification: 'FAILED', ...more };
}

/** The parser refuses it before there is anything to verify. */
export function refused(code: 'JSON_SYNTAX' | 'JSON_NOT_STRICT', member = ''): JsonObject {
  return { refused: code, member };
}

/** A group of cases that share prefix and heading. */
export function group(
  prefix: string,
  heading: string,
  keySet: JsonObject | null,
  cases: readonly CaseLine[],
): Vector[] {
  return cases.map(([name, rule, bundle, expected, more]) => ({
    name: `${prefix}-${name}`,
    title: `${prefix.replaceAll('-', ' ')}: ${name.replaceAll('-', ' ')}`,
    rule,
    heading: more?.heading ?? heading,
    kind: more?.kind ?? 'cer',
    bundle,
    keySet: more?.keySet === undefined ? keySet : more.keySet,
    expected,
    ...(more?.options !== undefined && { options: more.options }),
  }));
}

export type CaseLine = readonly [
  name: string,
  rule: string,
  bundle: Vector['bundle'],
  expected: JsonObject,
  more?: {
    readonly keySet?: JsonObject | null;
    readonly options?: JsonObject;
    readonly heading?: string;
    readonly kind?: Vector['kind'];
  },
];
