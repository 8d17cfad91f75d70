import type { VNode } from 'preact';
import type { StepView } from '../check/check-result.js';
import { isFaulty } from './step-table.js';
import { TEXTS } from './texts.js';

const T = TEXTS.project;
const MAX_NODES = 48;
const COLUMN = 132;
const ROW = 64;
const NODE = { width: 104, height: 40 };
const MARGIN = 14;
/** A straight chain is folded into lines of this many steps. */
const PER_LINE = 6;

interface Placed {
  readonly step: StepView;
  readonly index: number;
  readonly x: number;
  readonly y: number;
}

/** The steps as a drawing: parents where the registry names them, else the chain; a broken link is dashed and marked. */
export function StepGraph({
  steps,
  hasChain,
}: {
  readonly steps: readonly StepView[];
  readonly hasChain: boolean;
}): VNode {
  const drawn = drawnSteps(steps);
  const hasParents = drawn.some(({ step }) => step.parents.length > 0);
  const placed = hasParents ? byDepth(drawn) : folded(drawn);
  const width = Math.max(...placed.map(({ x }) => x), 0) + NODE.width + MARGIN;
  const height = Math.max(...placed.map(({ y }) => y), 0) + NODE.height + MARGIN;
  return (
    <>
      <div class="scroll graph" tabIndex={0}>
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={describe(steps)}>
          {edgesOf(placed, hasParents, hasChain).map(({ from, to, isBroken }) => (
            <Edge key={`${from.index}-${to.index}`} from={from} to={to} isBroken={isBroken} />
          ))}
          {placed.map((node) => (
            <Node key={node.index} node={node} />
          ))}
        </svg>
      </div>
      {drawn.length < steps.length && <p class="note">{T.graphLimit}</p>}
    </>
  );
}

function describe(steps: readonly StepView[]): string {
  const broken = steps.filter(({ breaksChain }) => breaksChain).map(({ stepId }) => stepId);
  const faults = broken.slice(0, 5).join(', ');
  return `${T.graph}: ${steps.length} ${T.steps}${broken.length > 0 ? `. ${T.chainBreak}: ${faults}` : ''}`;
}

/** The first steps, and each faulty one with its neighbours. */
function drawnSteps(steps: readonly StepView[]): { readonly step: StepView; readonly index: number }[] {
  const indexed = steps.map((step, index) => ({ step, index }));
  if (indexed.length <= MAX_NODES) return indexed;
  const faults = indexed.filter(({ step }) => isFaulty(step)).slice(0, 6);
  const wanted = new Set(faults.flatMap(({ index }) => [index - 1, index, index + 1]));
  for (const { index } of indexed) if (wanted.size < MAX_NODES) wanted.add(index);
  return indexed.filter(({ index }) => wanted.has(index));
}

function folded(drawn: readonly { readonly step: StepView; readonly index: number }[]): Placed[] {
  return drawn.map((node, at) => ({
    ...node,
    x: MARGIN + (at % PER_LINE) * COLUMN,
    y: MARGIN + Math.floor(at / PER_LINE) * ROW,
  }));
}

function byDepth(drawn: readonly { readonly step: StepView; readonly index: number }[]): Placed[] {
  const depths = new Map<string, number>();
  const rows = new Map<number, number>();
  return drawn.map((node) => {
    const depth = Math.max(-1, ...node.step.parents.map((parent) => depths.get(parent) ?? -1)) + 1;
    depths.set(node.step.stepId, depth);
    const row = rows.get(depth) ?? 0;
    rows.set(depth, row + 1);
    return { ...node, x: MARGIN + depth * COLUMN, y: MARGIN + row * ROW };
  });
}

interface Link {
  readonly from: Placed;
  readonly to: Placed;
  readonly isBroken: boolean;
}

function edgesOf(placed: readonly Placed[], hasParents: boolean, hasChain: boolean): Link[] {
  const byId = new Map(placed.map((node) => [node.step.stepId, node]));
  const links = placed.flatMap((to): Link[] =>
    to.step.parents.flatMap((parent) => {
      const from = byId.get(parent);
      return from === undefined ? [] : [{ from, to, isBroken: to.step.breaksChain && !hasChain }];
    }),
  );
  if (hasParents && !hasChain) return links;
  const chain = placed.flatMap((to, at): Link[] => {
    const from = placed[at - 1];
    return from?.index === to.index - 1 ? [{ from, to, isBroken: to.step.breaksChain }] : [];
  });
  // A drawn parent that is the previous step needs no second line.
  const known = new Set(chain.map(({ from, to }) => `${from.index} ${to.index}`));
  return [...chain, ...links.filter(({ from, to }) => !known.has(`${from.index} ${to.index}`))];
}

function Edge({ from, to, isBroken }: Link): VNode {
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2];
  const [x2, y2] = [to.x, to.y + NODE.height / 2];
  const bend = Math.max(14, Math.abs(x2 - x1) / 3);
  const path = x2 >= x1 ? `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` : foldedPath(from, to);
  const [middleX, middleY] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return (
    <g class={isBroken ? 'edge broken' : 'edge'}>
      <path d={path} fill="none" />
      {isBroken && <path class="cut" d={`M${middleX - 6} ${middleY - 6}l12 12m0-12l-12 12`} />}
    </g>
  );
}

/** Back to the beginning of the next line. */
function foldedPath(from: Placed, to: Placed): string {
  const [x1, y1] = [from.x + NODE.width / 2, from.y + NODE.height];
  const [x2, y2] = [to.x + NODE.width / 2, to.y];
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1}V${middle}H${x2}V${y2}`;
}

function Node({ node: { step, x, y, index } }: { readonly node: Placed }): VNode {
  const name = step.label ?? step.stepId;
  return (
    <g class={`node ${isFaulty(step) ? 'faulty' : step.status === 'WITHDRAWN' ? 'withdrawn' : 'ok'}`}>
      <rect x={x} y={y} width={NODE.width} height={NODE.height} rx="8" />
      <text x={x + NODE.width / 2} y={y + 17} text-anchor="middle">
        {step.sequence ?? index + 1}
      </text>
      <text class="name" x={x + NODE.width / 2} y={y + 32} text-anchor="middle">
        {name.length > 15 ? `${name.slice(0, 14)}…` : name}
      </text>
    </g>
  );
}
