import type { VNode } from 'preact';
import type { ArtefactCheck } from '../check/check-result.js';
import { Content } from './content.js';
import { Evidence } from './evidence.js';
import { Facts } from './facts.js';
import { Findings } from './findings.js';
import { Layers } from './layers.js';
import { ProjectView } from './project-view.js';
import { Scope } from './scope.js';

interface ArtefactViewProps {
  readonly check: ArtefactCheck;
  readonly cli: string;
  /** Do steps have separate pages? */
  readonly stepLink: boolean;
  /** A table that can be paged, where a script runs. */
  readonly stepTable?: VNode | undefined;
}

/** Everything below the verdict. */
export function ArtefactView({ check, cli, stepLink, stepTable }: ArtefactViewProps): VNode {
  if (check.kind === 'project')
    return <ProjectView check={check} cli={cli} stepLink={stepLink} stepTable={stepTable} />;
  return (
    <>
      <Findings findings={check.findings} code={check.code} />
      <Layers layers={check.layers} isRescued={check.facts.keyRescue !== null} />
      <Facts check={check} />
      <Content check={check} />
      <Scope check={check} />
      <Evidence handCheck={check.handCheck} cli={cli} hasContent={!check.facts.isHashOnly} />
    </>
  );
}
