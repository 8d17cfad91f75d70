import type { Json, JsonMembers } from '../json.js';
import { CallsById } from './calls-by-id.js';
import { beginFrameworkCall, guarded, type FrameworkCall, type FrameworkDeps } from './framework-call.js';
import { contentOf, jsonOf, listOf, membersOf, outcomeOf, statusOf } from '../values/json-of.js';
import { lastText } from './last-text.js';
import { beginToolCall, type ToolCall } from './tool-call.js';

/** A handler for the option `callbacks` of LangChain 1.x. Its methods do not throw. */
export interface LangChainHandler {
  /** Calls of it are synchronous: a run is known here before its request is made. */
  readonly awaitHandlers: true;
  readonly raiseError: false;
  handleChatModelStart(
    llm: unknown,
    messages: readonly (readonly unknown[])[],
    runId: string,
    ...more: unknown[]
  ): void;
  handleLLMStart(llm: unknown, prompts: readonly string[], runId: string, ...more: unknown[]): void;
  handleLLMNewToken(token: string, indices: unknown, runId: string, ...more: unknown[]): void;
  handleLLMEnd(output: unknown, runId: string): void;
  handleLLMError(error: unknown, runId: string): void;
  handleToolStart(tool: unknown, input: string, runId: string, ...more: unknown[]): void;
  handleToolEnd(output: unknown, runId: string): void;
  handleToolError(error: unknown, runId: string): void;
}

/** Certifies the runs of models and tools that LangChain reports. */
export function langChainHandler(deps: FrameworkDeps): LangChainHandler {
  const { failed } = deps;
  const runs = new CallsById<FrameworkCall>(deps.closing, partOf);
  const tools = new CallsById<ToolCall>(deps.closing);

  const begin = (runId: string, input: () => Json, text: string, more: readonly unknown[]): void => {
    guarded(failed, () => {
      // handle...Start(llm, input, runId, parentRunId, extraParams, tags, metadata, runName)
      const { invocation_params, options } = membersOf(more[1]);
      const asked = membersOf(invocation_params);
      const metadata = membersOf(more[3]);
      const model = metadata['ls_model_name'] ?? asked['model'] ?? asked['modelName'];
      const call = beginFrameworkCall(deps, {
        framework: 'langchain',
        provider: metadata['ls_provider'],
        model,
        input,
        settings: asked,
        signal: membersOf(options)['signal'],
      });
      if (call === null) return;
      runs.add(runId, call);
      if (text !== '') deps.openCalls.add(call, typeof model === 'string' ? model : null, text);
    });
  };

  return {
    awaitHandlers: true,
    raiseError: false,
    handleChatModelStart: (_llm, messages, runId, ...more) => {
      begin(runId, () => messages.map((list) => list.map(messageOf)), lastText(messages[0]), more);
    },
    handleLLMStart: (_llm, prompts, runId, ...more) => {
      begin(runId, () => [...prompts], prompts[0] ?? '', more);
    },
    handleLLMNewToken: (text, _indices, runId, ...more) => {
      // handleLLMNewToken(text, indices, runId, parentRunId, tags, fields)
      runs.handOn(runId, membersOf(more[2])['chunk'] ?? { text });
    },
    handleLLMEnd: (output, runId) => {
      runs.take(runId)?.end('complete', () => generationsOf(output));
    },
    handleLLMError: (error, runId) => {
      const call = runs.find(runId);
      if (call !== undefined) runs.endEarly(runId, call.outcomeOf(error), { httpStatus: statusOf(error) });
    },
    handleToolStart: (tool, input, runId, ...more) => {
      guarded(failed, () => {
        const call = beginToolCall(deps, more[3] ?? membersOf(tool)['name'], () => contentOf(input));
        if (call !== null) tools.add(runId, call);
      });
    },
    handleToolEnd: (output, runId) => {
      tools.take(runId)?.end('complete', () => toolOutput(output));
    },
    handleToolError: (error, runId) => {
      tools.take(runId)?.end(outcomeOf(error), () => ({}));
    },
  };
}

/** `{type, content, ...}` of a message: its content, without the class that holds it. */
function messageOf(message: unknown): JsonMembers {
  const { type, content, name, tool_calls, tool_call_id } = membersOf(message);
  return {
    type: jsonOf(type),
    content: jsonOf(content),
    ...(name !== undefined && { name: jsonOf(name) }),
    ...(Array.isArray(tool_calls) && tool_calls.length > 0 && { tool_calls: jsonOf(tool_calls) }),
    ...(tool_call_id !== undefined && { tool_call_id: jsonOf(tool_call_id) }),
  };
}

/** A list per prompt, with `{text, message?}` of each generation. */
function generationsOf(output: unknown): Json {
  return listOf(membersOf(output)['generations']).map((list) =>
    listOf(list).map((generation) => {
      const { text, message } = membersOf(generation);
      return { text: jsonOf(text), ...(message !== undefined && { message: messageOf(message) }) };
    }),
  );
}

/** The output so far, of the parts that LangChain reported: chunks, or their texts. */
function partOf(parts: readonly unknown[]): Json {
  if (parts.length === 0) return {};
  const whole = parts.reduce((sum, part): unknown => {
    const { concat, text } = membersOf(sum);
    if (typeof concat === 'function') return Reflect.apply(concat, sum, [part]);
    return { text: `${String(text)}${String(membersOf(part)['text'])}` };
  });
  return generationsOf({ generations: [[whole]] });
}

function toolOutput(output: unknown): Json {
  return 'tool_call_id' in membersOf(output) ? messageOf(output) : contentOf(output);
}
