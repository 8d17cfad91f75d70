import { buildProjectBundle, type JsonObject } from '@cer/cer-core';
import { sealed } from '@cer/cer-core/testing';
import { registered } from './records.js';

/** A registered project of so many steps that nobody attested one by one. */
export async function longProject(count: number): Promise<JsonObject> {
  const steps = Array.from({ length: count }, (_, index) => ({
    stepId: `step-${index + 1}`,
    bundle: sealed({ executionId: `exec-${index}` }).bundle,
  }));
  return registered(buildProjectBundle({ projectTitle: 'A long one' }, steps));
}
