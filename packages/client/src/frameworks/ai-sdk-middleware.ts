import { foldParts, generated } from './ai-sdk-parts.js';
import { beginFrameworkCall, guarded, type FrameworkCall, type FrameworkDeps } from './framework-call.js';
import { contentOf, membersOf, requestMembers, statusOf } from '../values/json-of.js';
import { lastText } from './last-text.js';
import { pullParts } from './pull-parts.js';

/** The part of a language model that the middleware reads. */
interface NamedModel {
  readonly provider: string;
  readonly modelId: string;
}

interface GenerateOptions<T> {
  readonly doGenerate: () => PromiseLike<T>;
  readonly params: unknown;
  readonly model: NamedModel;
}

interface StreamOptions<T> {
  readonly doStream: () => PromiseLike<T>;
  readonly params: unknown;
  readonly model: NamedModel;
}

/** A middleware for `wrapLanguageModel` of the AI SDK, versions 5 to 7. */
export interface AiSdkMiddleware {
  readonly middlewareVersion: 'v2';
  readonly specificationVersion: 'v3';
  wrapGenerate<T>(options: GenerateOptions<T>): Promise<T>;
  wrapStream<T extends { stream: ReadableStream }>(options: StreamOptions<T>): Promise<T>;
}

/** Certifies the calls of a wrapped model; results, parts and errors are the model's own. */
export function aiSdkMiddleware(deps: FrameworkDeps): AiSdkMiddleware {
  const { contexts, openCalls, recorder, failed } = deps;
  const begin = (model: NamedModel, params: unknown): FrameworkCall | null =>
    guarded(failed, () => {
      const { abortSignal, prompt } = membersOf(params);
      const call = beginFrameworkCall(deps, {
        framework: 'ai-sdk',
        provider: model.provider,
        model: model.modelId,
        input: () => contentOf(requestMembers(params)),
        settings: params,
        signal: abortSignal,
      });
      if (call !== null && contexts.current().call === null) claimReported(model, prompt);
      return call;
    });
  /** The telemetry of the AI SDK 7 reports the call of an object outside of its context. */
  const claimReported = ({ modelId }: NamedModel, prompt: unknown): void => {
    const text = lastText(prompt);
    const reported = text === '' ? null : openCalls.claim(JSON.stringify(text), modelId);
    if (reported !== null) reported.isClaimed = true;
  };
  const run = async <T>(call: FrameworkCall | null, work: () => PromiseLike<T>): Promise<T> => {
    try {
      return await contexts.withinCall(call, work);
    } catch (error) {
      call?.end(call.outcomeOf(error), () => ({}), { httpStatus: statusOf(error) });
      throw error;
    }
  };
  return {
    middlewareVersion: 'v2',
    specificationVersion: 'v3',
    wrapGenerate: async ({ doGenerate, params, model }) => {
      recorder.admit();
      const call = begin(model, params);
      const result = await run(call, doGenerate);
      call?.end('complete', () => generated(result) ?? contentOf(result));
      return result;
    },
    wrapStream: async ({ doStream, params, model }) => {
      recorder.admit();
      const call = begin(model, params);
      const result = await run(call, doStream);
      if (call === null) return result;
      const parts = foldParts((error) => call.outcomeOf(error));
      const end = (otherwise: 'aborted' | 'truncated' | 'failed'): void => {
        call.end(parts.outcome ?? otherwise, () => parts.answer(), { streamed: true });
      };
      const stream = pullParts(result.stream, {
        handOn: (part) => {
          guarded(failed, () => {
            parts.push(part);
          });
          if (parts.outcome !== null) end('truncated');
        },
        end: () => {
          end('truncated');
        },
        cancel: () => {
          end('aborted');
        },
        break: (error) => {
          end(call.outcomeOf(error) === 'aborted' ? 'aborted' : 'truncated');
        },
      });
      return { ...result, stream };
    },
  };
}
