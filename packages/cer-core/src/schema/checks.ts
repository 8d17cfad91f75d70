import { isRedacted, type LayoutContext } from '../bundle-types/layout.js';
import { member, type JsonObject } from '../json/json-value.js';
import { schemaFinding, type Finding } from '../verify/finding.js';
import type { Fault, Rule } from './rules.js';

export type MemberRules = readonly (readonly [name: string, rule: Rule])[];

/** Applies rules to the members that are there; whether they must be there is another question. */
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
