import type { JsonObject } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { sealed } from '@cer/cer-core/testing';
import { registered } from './records.js';

/** A registered project with this number of steps, none of them attested separately. */
export async function longProject(count: number): Promise<JsonObject> {
  const steps = Array.from({ length: count }, (_, index) => ({
    stepId: `step-${index + 1}`,
    bundle: sealed({ executionId: `exec-${index}` }).bundle,
  }));
  return registered(buildProject({ projectTitle: 'A long one' }, steps));
}
