import type { Contexts } from './call-context.js';
import { checkRun } from '../check-options.js';
import type { JsonMembers } from '../json.js';
import { labelOf } from '../seal/execution-of.js';
import { uuidV7 } from '../uuid-v7.js';
import { ProjectRun, type ProjectFacts } from './project-run.js';

export interface ProjectOptions {
  /** Its title in clear: the first 256 characters, `unnamed` for an empty one. */
  readonly project: string;
}

export interface ProjectDeps {
  readonly appId: string;
  readonly contexts: Contexts;
  /** Stores a sealed project bundle; does not throw. */
  readonly store: (project: JsonMembers) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Runs work whose calls become the steps of one project. Results and errors are those of the work. A call that is still
 * open when the work ends has its own certificate, and the tags of the project show that it is missing.
 * @throws TypeError for other arguments than its own, and Error where asynchronous work inherits nothing, as in browsers
 */
export async function runProject<T>(deps: ProjectDeps, options: ProjectOptions, work: () => T): Promise<Awaited<T>> {
  checkRun(options, work);
  if (!deps.contexts.follow) throw new Error('run: this platform has no AsyncLocalStorage');
  const run = new ProjectRun(deps.contexts.current().project);
  const begun = beginProject(deps, options.project);
  try {
    const result = await deps.contexts.withinProject(run, work);
    sealProject(deps, run, { ...begun, outcome: 'complete' });
    return result;
  } catch (error) {
    sealProject(deps, run, { ...begun, outcome: 'failed' });
    throw error;
  }
}

type BegunProject = Omit<ProjectFacts, 'completedAt' | 'outcome'>;

export function beginProject({ appId }: ProjectDeps, title: string): BegunProject {
  const now = new Date();
  return {
    projectBundleId: uuidV7(now.getTime()),
    title: labelOf(title, 'unnamed'),
    appId,
    startedAt: now.toISOString(),
  };
}

/** Seals the steps so far and stores the project. Does not throw. */
export function sealProject(deps: ProjectDeps, run: ProjectRun, facts: Omit<ProjectFacts, 'completedAt'>): void {
  try {
    const project = run.seal({ ...facts, completedAt: new Date().toISOString() });
    if (project !== null) deps.store(project);
  } catch (error) {
    deps.failed(error);
  }
}
