import { platform } from '#client-platform';
import type { ClaimableCall } from './open-calls.js';
import { processWide } from './process-wide.js';
import type { ProjectRun } from './project-run.js';

/** The context of the running work. */
export interface CallContext {
  /** The call of a framework that makes the requests; every client of the process has it. */
  readonly call: ClaimableCall | null;
  readonly project: ProjectRun | null;
}

/** The context of asynchronous work, inherited from its beginning. */
export interface Contexts {
  /** False where asynchronous work inherits nothing, as in browsers. */
  readonly follow: boolean;
  current(): CallContext;
  /** Runs the work of a call, if it is one, which certifies the call around it, such as that of a telemetry around a middleware. */
  withinCall<R>(call: ClaimableCall | null, work: () => R): R;
  withinProject<R>(project: ProjectRun, work: () => R): R;
}

const framework = processWide('framework calls', () => ({ scope: platform.createScope<ClaimableCall>() }));

export function createContexts(): Contexts {
  const calls = framework().scope;
  const projects = platform.createScope<ProjectRun>();
  return {
    follow: projects !== null,
    current: () => ({ call: calls?.current() ?? null, project: projects?.current() ?? null }),
    withinCall: (call, work) => {
      if (calls === null || call === null) return work();
      const outer = calls.current();
      if (outer !== undefined) outer.isClaimed = true;
      return calls.run(call, work);
    },
    withinProject: (project, work) => (projects === null ? work() : projects.run(project, work)),
  };
}
