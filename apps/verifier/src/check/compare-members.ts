import { isJsonArray, isJsonObject, isSameJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { BUNDLE_TYPES, PROTOCOLS } from '@cer/cer-core';
import { readSubject, unwrap } from '@cer/cer-core/verify';
import { visible } from '@cer/pages/visible';

/** One member in which two bundles differ. */
export interface MemberDifference {
  readonly path: string;
  /** Null: absent. Raw input and output are compared but not shown. */
  readonly left: string | null;
  readonly right: string | null;
  /** Does the certificate hash of either bundle cover it? */
  readonly isHashed: boolean;
}

export interface Comparison {
  readonly differences: readonly MemberDifference[];
  readonly sameMembers: number;
}

const RAW_VALUES: ReadonlySet<string> = new Set(['snapshot.input', 'snapshot.output']);
const RAW_TOOL_VALUE = /^snapshot\.toolCalls\[\d+\]\.(?:input|output)(?:\.|\[|$)/;
const MAX_SHOWN = 300;

/** Compares two bundles or packages member by member; null when one of them is neither. */
export function compareBundles(left: JsonValue, right: JsonValue): Comparison | null {
  const [a, b] = [unwrap(left).bundle, unwrap(right).bundle];
  if (a === null || b === null) return null;
  const leftLeaves = leavesOf(a);
  const rightLeaves = leavesOf(b);
  const hashed = new Set([...hashedMembers(a), ...hashedMembers(b)]);
  const paths = [...new Set([...leftLeaves.keys(), ...rightLeaves.keys()])];
  const differing = paths.filter((path) => !isSameLeaf(leftLeaves.get(path), rightLeaves.get(path)));
  return {
    differences: differing.map((path) => ({
      path: visible(path),
      left: shown(path, leftLeaves.get(path)),
      right: shown(path, rightLeaves.get(path)),
      isHashed: hashed.has(path.split(/[.[]/)[0] ?? ''),
    })),
    sameMembers: paths.length - differing.length,
  };
}

function hashedMembers(bundle: JsonObject): readonly string[] {
  const { reading } = readSubject(bundle, null, { protocols: PROTOCOLS, bundleTypes: BUNDLE_TYPES });
  return reading?.layout?.hashedMembers ?? [];
}

function isSameLeaf(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return left !== undefined && right !== undefined && isSameJson(left, right);
}

function shown(path: string, value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  if (RAW_VALUES.has(path) || RAW_TOOL_VALUE.test(path) || /^snapshot\.(?:input|output)[.[]/.test(path)) return '…';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return visible(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/;

/** A unique path for every member: `a.b` is the member b of a, never the member "a.b". */
export function memberPath(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** Every leaf value by path; empty containers are leaves too. */
export function leavesOf(value: JsonValue, path = '', leaves = new Map<string, JsonValue>()): Map<string, JsonValue> {
  if (isJsonArray(value) && value.length > 0) {
    value.forEach((item, index) => leavesOf(item, `${path}[${index}]`, leaves));
  } else if (isJsonObject(value) && Object.keys(value).length > 0) {
    for (const [name, item] of Object.entries(value)) {
      if (item !== undefined) leavesOf(item, memberPath(path, name), leaves);
    }
  } else leaves.set(path, value);
  return leaves;
}
