import { confidentialAndV2Cases } from './cases/confidential-and-v2.js';
import { copyCases } from './cases/copies.js';
import { envelopeEdgeCases } from './cases/envelope-edges.js';
import { envelopeCases } from './cases/envelope.js';
import { executionEdgeCases } from './cases/execution-edges.js';
import { executionV1Cases } from './cases/execution-v1.js';
import { jsonCases } from './cases/json.js';
import { keyEdgeCases } from './cases/key-edges.js';
import { keyCases } from './cases/keys.js';
import { olderResealCases } from './cases/older-reseal.js';
import { otherTypeEdgeCases } from './cases/other-type-edges.js';
import { otherTypeCases } from './cases/other-types.js';
import { packageCases } from './cases/packages.js';
import { projectEdgeCases } from './cases/project-edges.js';
import { projectCases } from './cases/projects.js';
import { receiptCases } from './cases/receipt.js';
import { resealEdgeCases } from './cases/reseal-edges.js';
import { resealCases } from './cases/reseal.js';
import { signatureCases } from './cases/signatures.js';
import { toolCases } from './cases/tools.js';
import { familyOf, type Family } from './family.js';

export { keyHistoryFamily } from './cases/key-histories.js';
export { pictureFamily } from './cases/pictures.js';
export { familyText } from './family.js';

/** Every family by the name of its file. */
export async function allFamilies(): Promise<readonly Family[]> {
  return [
    familyOf('execution-v1', 'Bundles of type cer.ai.execution.v1: members, hashes, protocol versions.', [
      ...executionV1Cases(),
      ...(await executionEdgeCases()),
    ]),
    familyOf('tools', 'Tool calls and their hashes in execution bundles.', toolCases()),
    familyOf('json', 'Strict JSON: texts that a verifier refuses, and spellings that it accepts.', await jsonCases()),
    familyOf(
      'confidential-and-v2',
      'Bundles of type cer.ai.execution.v2, and sealed values of protocol 1.3.1.',
      await confidentialAndV2Cases(),
    ),
    familyOf('reseal', 'Redacted reseals, with their provenance, and reseals of older nodes.', [
      ...(await resealCases()),
      ...(await olderResealCases()),
      ...(await resealEdgeCases()),
    ]),
    familyOf('other-types', 'Hash-only timestamps, renders and legacy bundles.', [
      ...(await otherTypeCases()),
      ...(await otherTypeEdgeCases()),
    ]),
    familyOf('receipt', 'Receipts: members, signature, and the bundle that a receipt is about.', [
      ...(await receiptCases()),
      ...(await copyCases()),
    ]),
    familyOf('keys', 'Key sets: which key counts, for which time.', [
      ...(await keyCases()),
      ...(await keyEdgeCases()),
      ...(await signatureCases()),
    ]),
    familyOf('envelope', 'Envelopes: signature over the bundle and its attestation.', [
      ...(await envelopeCases()),
      ...(await envelopeEdgeCases()),
    ]),
    familyOf('packages', 'Packages: a bundle wrapped in the answer of a node.', await packageCases()),
    familyOf('projects', 'Project bundles: registry, chain of steps, project hash, receipt.', [
      ...(await projectCases()),
      ...(await projectEdgeCases()),
    ]),
  ];
}
