import { beginProject, sealProject, type ProjectDeps } from '../calls/run-project.js';
import { ProjectRun } from '../calls/project-run.js';
import type { CertifiedAnswers } from '../calls/certified-answers.js';
import { beginFrameworkCall, guarded, type FrameworkDeps } from './framework-call.js';
import { contentOf, listOf, membersOf, type Members } from '../values/json-of.js';
import { beginToolCall } from './tool-call.js';

/** The parts of a trace and of a span of OpenAI Agents that are read. */
interface AgentTrace {
  readonly traceId: string;
  readonly name?: string;
}

interface AgentSpan {
  readonly traceId: string;
  readonly spanData: unknown;
  readonly error: unknown;
}

/** A processor for `addTraceProcessor` of `@openai/agents`. Its methods do not throw. */
export interface AgentsProcessor {
  onTraceStart(trace: AgentTrace): Promise<void>;
  onTraceEnd(trace: AgentTrace): Promise<void>;
  onSpanStart(span: AgentSpan): Promise<void>;
  onSpanEnd(span: AgentSpan): Promise<void>;
  shutdown(): Promise<void>;
  forceFlush(): Promise<void>;
}

export interface AgentsDeps extends FrameworkDeps {
  readonly projects: ProjectDeps;
  readonly answers: CertifiedAnswers;
  readonly flush: () => Promise<unknown>;
}

/** Maximum traces that are open at once; further ones get certificates, and no project. */
const MAX_TRACES = 1000;

/** Certifies the spans of models and functions, and each trace as a project of them. */
export function agentsProcessor(deps: AgentsDeps): AgentsProcessor {
  const { contexts, projects, failed } = deps;
  const traces = new Map<string, { readonly run: ProjectRun; readonly facts: ReturnType<typeof beginProject> }>();

  const certify = (span: AgentSpan): void => {
    const { type, ...data } = membersOf(span.spanData);
    const project = traces.get(span.traceId)?.run ?? null;
    const context = { ...contexts.current(), project };
    const outcome = span.error === null ? 'complete' : 'failed';
    if (type === 'function') {
      const call = beginToolCall(deps, data['name'], () => contentOf(data['input']), { context });
      call?.end(outcome, () => contentOf(data['output']));
      return;
    }
    if (type !== 'generation' && type !== 'response') return;
    const { model, input, output, id } = modelFacts(data);
    const known = typeof id === 'string' ? deps.answers.take(id) : null;
    if (known !== null) {
      // Its requests are certified already, to the byte. The tags of the project count a step that it cannot name.
      const place = project?.begin();
      if (known.sealed !== null) place?.fill(known.sealed, typeof model === 'string' ? model : 'unknown', 'model-call');
      return;
    }
    const asked = { framework: 'openai-agents', provider: 'openai', model, input: () => contentOf(input) };
    const call = beginFrameworkCall(deps, { ...asked, settings: data['model_config'] }, context);
    call?.end(outcome, () => contentOf(output ?? {}), typeof id === 'string' ? { providerId: id } : {});
  };

  return {
    onTraceStart: async (trace) => {
      const facts = { ...beginProject(projects, trace.name ?? 'trace'), framework: 'openai-agents' };
      if (traces.size < MAX_TRACES) traces.set(trace.traceId, { run: new ProjectRun(), facts });
    },
    onTraceEnd: async ({ traceId }) => {
      const open = traces.get(traceId);
      traces.delete(traceId);
      if (open !== undefined) sealProject(projects, open.run, { ...open.facts, outcome: 'complete' });
    },
    onSpanStart: async () => undefined,
    onSpanEnd: async (span) => {
      guarded(failed, () => {
        certify(span);
      });
    },
    shutdown: async () => undefined,
    forceFlush: async () => {
      await deps.flush();
    },
  };
}

interface ModelFacts {
  readonly model: unknown;
  readonly input: unknown;
  readonly output: unknown;
  readonly id: unknown;
}

/** Of a generation span, or of a span of the Responses API. */
function modelFacts(data: Members): ModelFacts {
  const { _response: response } = data;
  if (response !== undefined || 'response_id' in data || '_input' in data) {
    const { model, output, id } = membersOf(response);
    return { model, input: data['_input'], output, id: data['response_id'] ?? id };
  }
  const [first] = listOf(data['output']);
  return { model: data['model'], input: data['input'], output: data['output'], id: membersOf(first)['id'] };
}
