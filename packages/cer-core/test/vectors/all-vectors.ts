import { confidentialAndV2Cases } from './cases/confidential-and-v2.js';
import { envelopeCases } from './cases/envelope.js';
import { executionV1Cases } from './cases/execution-v1.js';
import { jsonCases } from './cases/json.js';
import { keyCases } from './cases/keys.js';
import { otherTypeCases } from './cases/other-types.js';
import { packageCases } from './cases/packages.js';
import { projectCases } from './cases/projects.js';
import { receiptCases } from './cases/receipt.js';
import { resealAndOlderCases } from './cases/reseal.js';
import { toolCases } from './cases/tools.js';
import { isRaw, type Vector } from './vector.js';

export async function allVectors(): Promise<readonly Vector[]> {
  const groups = await Promise.all([
    jsonCases(),
    confidentialAndV2Cases(),
    resealAndOlderCases(),
    otherTypeCases(),
    receiptCases(),
    keyCases(),
    envelopeCases(),
    packageCases(),
    projectCases(),
  ]);
  return [...executionV1Cases(), ...toolCases(), ...groups.flat()];
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The files of one case by name, as they are committed. */
export function filesOf({
  title,
  rule,
  heading,
  kind,
  options,
  bundle,
  keySet,
  expected,
}: Vector): ReadonlyMap<string, string> {
  return new Map([
    ['case.json', pretty({ title, rule, heading, kind, ...(options !== undefined && { options }) })],
    ['bundle.json', isRaw(bundle) ? bundle.rawText : pretty(bundle)],
    ...(keySet === null ? [] : ([['key-set.json', pretty(keySet)]] as const)),
    ['expected.json', pretty(expected)],
  ]);
}
