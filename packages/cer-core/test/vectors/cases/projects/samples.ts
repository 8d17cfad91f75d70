import { object, pick, reseal, v1 } from '../../forge.js';
import { project, register, step } from './project.js';

/** Projects, and bundles for their steps, that the cases change. */
export type ProjectSamples = Awaited<ReturnType<typeof projectSamples>>;

export async function projectSamples() {
  const one = step('exec-a');
  const two = step('exec-b');
  const good = project([one, two]);
  const chainedTwo = step('exec-b', { prevStepHash: one['certificateHash'] ?? null });
  const chained = project([one, chainedTwo]);
  const registered = await register(good);
  const resealedOne = await reseal(v1({ executionId: 'exec-a', prompt: '[REDACTED]' }), {
    receipt: {
      scope: 'reseal',
      originalCertificateHash: one['certificateHash'] ?? null,
      redactionPolicy: 'public.v1:snapshot.prompt',
    },
  });
  const proven = { ...resealedOne, meta: pick(object(resealedOne['meta']), ['attestation']) };
  const withoutLink = await reseal(v1({ executionId: 'exec-b', prompt: '[REDACTED]', prevStepHash: '[REDACTED]' }), {
    receipt: {
      scope: 'reseal',
      originalCertificateHash: chainedTwo['certificateHash'] ?? null,
      redactionPolicy: 'public.v1:snapshot.prevStepHash,snapshot.prompt',
    },
  });
  const otherReseal = await reseal(v1({ executionId: 'exec-a', prompt: '[REDACTED]' }));
  const three = [one, chainedTwo, step('exec-c', { prevStepHash: chainedTwo['certificateHash'] ?? null })] as const;
  return { one, two, good, chainedTwo, chained, three, registered, proven, withoutLink, otherReseal };
}
