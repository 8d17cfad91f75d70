import { buildProject } from '@cer/cer-core/seal';
import type { JsonMembers } from '../json.js';
import type { Sealed } from '../seal/seal.js';

/** Facts of a project in clear. */
export interface ProjectFacts {
  readonly projectBundleId: string;
  readonly title: string;
  readonly appId: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly completedAt: string;
  readonly outcome: 'complete' | 'failed';
  readonly framework?: string;
}

/** The place of a step in its project, taken when its call begins. */
export interface StepPlace {
  /** @param stepType `model-call` or `tool-call` */
  fill(sealed: Sealed, label: string, stepType: string): void;
  /** The call belongs to another place. */
  leave(): void;
}

interface Step {
  readonly sealed: Sealed;
  readonly label: string;
  readonly stepType: string;
}

const NO_PLACE: StepPlace = { fill: () => undefined, leave: () => undefined };

/** The calls of one project while it runs. */
export class ProjectRun {
  readonly #steps: (Step | null)[] = [];
  readonly #outer: ProjectRun | null;
  #left = 0;
  #isOver = false;

  /** @param outer the project around it */
  constructor(outer: ProjectRun | null = null) {
    this.#outer = outer;
  }

  /** A place for a call that begins; it stays empty when the call gets no certificate. */
  begin(): StepPlace {
    // Work that outlives its project keeps making calls, perhaps for as long as the program runs.
    if (this.#isOver) return this.#outer?.begin() ?? NO_PLACE;
    const at = this.#steps.push(null) - 1;
    return {
      fill: (sealed, label, stepType) => {
        if (!this.#isOver) this.#steps[at] = { sealed, label, stepType };
      },
      leave: () => {
        this.#left += 1;
      },
    };
  }

  /**
   * Ends the project. It has the steps so far, in the order in which their calls began; null without any. Its tags state
   * how many calls began, so that a missing certificate is visible.
   * @see docs/spec.md, "Project bundle"
   */
  seal(facts: ProjectFacts): JsonMembers | null {
    const steps = this.#steps.filter((step) => step !== null);
    const begun = this.#steps.length - this.#left;
    this.#isOver = true;
    this.#steps.length = 0;
    if (steps.length === 0) return null;
    return buildProject(
      {
        projectBundleId: facts.projectBundleId,
        projectTitle: facts.title,
        startedAt: facts.startedAt,
        completedAt: facts.completedAt,
        appName: facts.appId,
        ...(facts.framework !== undefined && { frameworkName: facts.framework }),
        tags: [`outcome:${facts.outcome}`, `calls-begun:${begun}`, `calls-certified:${steps.length}`],
      },
      steps.map(({ sealed, label, stepType }) => ({
        stepId: sealed.executionId,
        bundle: sealed.bundle,
        registryMembers: { stepLabel: label, stepType },
      })),
    );
  }
}
