import { member, type JsonObject } from '@cer/canonical-json';
import { isRedacted, type LayoutContext } from './layout.js';
import { schemaFinding, type Finding } from '../finding.js';
import type { Fault, Rule } from '../schema/rules.js';

export type MemberRules = readonly (readonly [name: string, rule: Rule])[];

/** Applies rules to the members that are present; does not require any. */
export function checkMembers(
  object: JsonObject,
  path: string,
  rules: MemberRules,
  { resealed }: Pick<LayoutContext, 'resealed'>,
): Finding[] {
  const findings: Finding[] = [];
  for (const [name, rule] of rules) {
    const value = member(object, name);
    if (value === undefined || (resealed && isRedacted(value))) continue;
    const broken = rule(value);
    if (broken !== null) findings.push(schemaFinding(`${path}${name}`, broken));
  }
  return findings;
}

export function toFindings(faults: readonly Fault[]): Finding[] {
  return faults.map(({ path, rule }) => schemaFinding(path, rule));
}
