import type { Finding } from '@cer/cer-core';
import type { VNode } from 'preact';
import type { ProjectCheck } from '../check/check-result.js';
import { CopyButton, Hash } from './copy-block.js';
import { Evidence } from './evidence.js';
import { ExternalTime } from './external-time.js';
import { Fact } from './fact.js';
import { KeyFacts } from './facts.js';
import { Findings } from './findings.js';
import { LayerCard } from './layers.js';
import { LogFact } from './log-fact.js';
import { Scope } from './scope.js';
import { StepGraph } from './step-graph.js';
import { StepTable } from './step-table.js';
import { TEXTS } from './texts.js';

const T = TEXTS.project;

interface ProjectViewProps {
  readonly check: ProjectCheck;
  readonly cli: string;
  readonly stepLink: boolean;
  readonly stepTable?: VNode | undefined;
}

export function ProjectView({ check, cli, stepLink, stepTable }: ProjectViewProps): VNode {
  const { report, nodeReceipt } = check;
  const structure = report.checks.bundleIntegrity === 'PASS' ? 'PASS' : 'FAIL';
  return (
    <>
      <Findings findings={allFindings(check)} code={check.code} />
      <section class="card" aria-labelledby="layers-title">
        <h2 id="layers-title">{TEXTS.layers.title}</h2>
        <ul class="layers">
          <LayerCard
            id="structure"
            name={T.structure}
            result={{ status: structure }}
            meaning={T.structureStatus[structure]}
          />
          <LayerCard id="steps" name={T.steps} result={{ status: stepsStatus(check) }} meaning={stepCounts(check)} />
          <LayerCard id="receipt" name={T.receipt} result={nodeReceipt} meaning={T.receiptStatus[nodeReceipt.status]} />
        </ul>
      </section>
      <ProjectFacts check={check} />
      <section class="card" aria-labelledby="graph-title">
        <h2 id="graph-title">{T.graph}</h2>
        <p class="note">{chainNote(check)}</p>
        <StepGraph steps={check.steps} hasChain={check.hasChain} />
      </section>
      <section class="card" aria-labelledby="steps-title">
        <h2 id="steps-title">{T.steps}</h2>
        {stepTable ?? <StepTable steps={check.steps} stepLink={stepLink} />}
      </section>
      <Scope check={check} />
      <Evidence handCheck={check.handCheck} cli={cli} hasContent={false} />
    </>
  );
}

/** Faults of the project, then of its steps; a broken chain is a fault of the project. */
function allFindings({ findings, steps }: ProjectCheck): readonly Finding[] {
  const ofSteps = steps
    .filter(({ status }) => status === 'FAILED')
    .flatMap(({ stepId, findings: found }) =>
      found
        .filter(({ code }) => code !== 'CHAIN_BREAK_DETECTED')
        .map((finding) => ({ ...finding, member: `${stepId}${finding.member === '' ? '' : `: ${finding.member}`}` })),
    );
  return [...findings, ...ofSteps];
}

function chainNote({ hasChain, steps }: ProjectCheck): string {
  if (!hasChain) return T.noChain;
  return steps.some(({ breaksChain }) => breaksChain) ? T.chainBroken : T.chain;
}

function stepsStatus({ nodeResponse }: ProjectCheck): 'PASS' | 'FAIL' {
  return nodeResponse.totalSteps > 0 && nodeResponse.failedSteps === 0 ? 'PASS' : 'FAIL';
}

function stepCounts({ nodeResponse, steps }: ProjectCheck): string {
  const { passedSteps, totalSteps, failedSteps, attestedSteps } = nodeResponse;
  const withdrawn = steps.filter(({ status }) => status === 'WITHDRAWN').length;
  return [
    `${passedSteps} ${T.of} ${totalSteps} ${T.passed}`,
    `${attestedSteps} ${T.attested}`,
    ...(failedSteps > 0 ? [`${failedSteps} ${T.failed}`] : []),
    ...(withdrawn > 0 ? [`${withdrawn} ${T.withdrawn}`] : []),
  ].join(', ');
}

function ProjectFacts({ check }: { readonly check: ProjectCheck }): VNode {
  const { projectHash, title, goal, registeredAt, nodeId, kid, keyFingerprint, keySource, report } = check;
  const F = TEXTS.facts;
  return (
    <section class="card" aria-labelledby="facts-title">
      <h2 id="facts-title">{F.title}</h2>
      {title !== null && <p class="project-title">{title}</p>}
      {goal !== null && <p class="note">{goal}</p>}
      <dl class="facts">
        {projectHash.submitted !== null && (
          <Fact name={F.projectHash}>
            <Hash id="project-hash" value={projectHash.submitted} />
            <CopyButton target="project-hash" label={F.projectHash} />
          </Fact>
        )}
        <Fact name={F.bundleType}>cer.project.bundle.v1</Fact>
        {registeredAt !== null && (
          <Fact name={F.registeredAt} note={F.byNode}>
            {registeredAt}
          </Fact>
        )}
        {nodeId !== null && <Fact name={F.nodeId}>{nodeId}</Fact>}
        <KeyFacts kid={kid} fingerprint={keyFingerprint} status={null} source={keySource} />
        {registeredAt !== null && (
          <Fact name={F.timestamp}>
            <ExternalTime timestamp={check.timestamp} keyRescue={check.keyRescue} />
          </Fact>
        )}
        {(registeredAt !== null || check.transparency.status !== 'not-checked') && (
          <LogFact transparency={check.transparency} />
        )}
        <Fact name={F.verifiedAt}>{report.verifiedAt}</Fact>
      </dl>
    </section>
  );
}
