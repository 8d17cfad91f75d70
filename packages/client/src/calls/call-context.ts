import { platform } from '#client-platform';
import type { ClaimableCall } from './open-calls.js';
import type { ProjectRun } from './project-run.js';

/** The context of the running work. */
export interface CallContext {
  /** The call of a framework that makes the requests. */
  readonly call: ClaimableCall | null;
  readonly project: ProjectRun | null;
}

const OUTSIDE: CallContext = { call: null, project: null };

/** The context of asynchronous work, inherited from its beginning. */
export interface Contexts {
  /** False where asynchronous work inherits nothing, as in browsers. */
  readonly follow: boolean;
  current(): CallContext;
  /** Runs work in the current context with these members replaced. */
  within<R>(changed: Partial<CallContext>, work: () => R): R;
}

export function createContexts(): Contexts {
  const scope = platform.createScope<CallContext>();
  const current = (): CallContext => scope?.current() ?? OUTSIDE;
  return {
    follow: scope !== null,
    current,
    within: (changed, work) => (scope === null ? work() : scope.run({ ...current(), ...changed }, work)),
  };
}
