import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { PROJECT } from '../bundle-types/registry.js';
import { CerError } from '../errors.js';
import { isSha256Hash } from '../hash.js';
import { computeProjectHash, PROJECT_HASH_ALGORITHM } from './project-hash.js';

/** A step to register: its bundle and further members of its registry entry. */
export interface ProjectStep {
  readonly stepId: string;
  readonly bundle: JsonObject;
  /** Further registry members: stepLabel, stepType, recordedAt, modelIdentity, parentStepIds. */
  readonly registryMembers?: JsonObject;
}

/**
 * Builds a project bundle from sealed steps; integrity only, until a node registers it.
 * @param info the project's own members: projectBundleId, projectTitle, startedAt, …
 * @throws CerError INVALID_SHA256_FORMAT when a step has no certificateHash
 */
export function buildProject(info: JsonObject, steps: readonly ProjectStep[]): JsonObject {
  const stepRegistry = steps.map(({ stepId, bundle, registryMembers }, index): JsonObject => {
    const certificateHash = member(bundle, 'certificateHash');
    if (!isSha256Hash(certificateHash)) {
      throw new CerError(
        'INVALID_SHA256_FORMAT',
        `steps[${index}].certificateHash`,
        'must be sha256: and 64 lower-case hex digits',
      );
    }
    const snapshot = member(bundle, 'snapshot');
    const executionId = isJsonObject(snapshot) ? member(snapshot, 'executionId') : undefined;
    return {
      stepId,
      sequence: index,
      certificateHash,
      ...(typeof executionId === 'string' && { executionId }),
      ...registryMembers,
    };
  });
  const project: JsonObject = {
    bundleType: PROJECT,
    version: '0.1',
    ...info,
    totalSteps: steps.length,
    stepRegistry,
  };
  return {
    ...project,
    integrity: { algorithm: PROJECT_HASH_ALGORITHM, projectHash: computeProjectHash(project) },
    embeddedBundles: Object.fromEntries(steps.map(({ stepId, bundle }) => [stepId, bundle])),
  };
}
