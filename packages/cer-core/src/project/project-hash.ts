import { member, pickPresent, type JsonObject } from '@cer/canonical-json';
import { svcV1 } from '../profiles.js';
import { sha256, type Sha256Hash } from '../hash.js';

export const PROJECT_HASH_ALGORITHM = 'sha256-canonical-json';

/** Members in hash scope, each taken whole when present; embedded bundles are covered through the registry's hashes. */
const PROJECT_HASHED_MEMBERS = [
  'bundleType',
  'version',
  'protocolVersion',
  'projectBundleId',
  'projectTitle',
  'startedAt',
  'completedAt',
  'totalSteps',
  'stepRegistry',
  'projectGoal',
  'projectSummary',
  'appName',
  'frameworkName',
] as const;

/**
 * @returns the hash over the project's own members and its whole step registry, under svc-v1
 * @throws CerError CANONICALIZATION_ERROR
 * @see docs/spec.md, "Project hash"
 */
export function computeProjectHash(project: JsonObject): Sha256Hash {
  return sha256(svcV1.canonicalize(projectForHash(project)));
}

export function projectForHash(project: JsonObject): JsonObject {
  const tags = member(project, 'tags');
  const hasTags = Array.isArray(tags) && tags.length > 0;
  return { ...pickPresent(project, PROJECT_HASHED_MEMBERS), ...(hasTags && { tags }) };
}
