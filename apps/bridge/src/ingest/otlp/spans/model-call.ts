import type { JsonObject, JsonValue } from '@cer/canonical-json';
import type { Span } from './span.js';

/** One call of a model, read out of a span, whatever dialect it was written in. Absent is undefined throughout. */
export interface ModelCall {
  /** As the semantic conventions name it: chat, text_completion, generate_content, embeddings. */
  readonly operation: string;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The model that ran, as the provider states it. */
  readonly responseModel: string | undefined;
  readonly responseId: string | undefined;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly topP: number | undefined;
  readonly seed: number | undefined;
  /** Further numbers of the request. */
  readonly request: Readonly<Record<string, number | undefined>>;
  readonly usage: Readonly<Record<string, number | undefined>>;
  readonly finishReasons: readonly string[];
  /** The response was asked for in pieces. */
  readonly isStreamed: boolean;
  readonly toolCalls: readonly ToolCall[];
  /** Ids that join calls: conversation, agent, workflow. Never the user. */
  readonly workflow: Readonly<Record<string, string | undefined>>;
  /** Content: it goes into input and output and nowhere else. */
  readonly input: JsonValue | undefined;
  readonly output: JsonValue | undefined;
}

/** That a tool was asked for. Its arguments are content and stay in the output. */
export interface ToolCall extends JsonObject {
  readonly name: string;
  readonly id?: string;
}

/** One way of writing model calls into spans. Adding one is adding a row to the registry. */
export interface Dialect {
  readonly name: string;
  /** Content may be in events of the span. */
  readonly readsEvents?: true;
  /** The text that stands for content that the application hides. */
  readonly mask?: string;
  /**
   * `call`: the span is one call of a model. `other`: the span is of this dialect and no call of a model, such as the
   * frame around several calls; no other dialect is asked. Null: the span is not of this dialect.
   */
  readonly recognise: (span: Span) => 'call' | 'other' | null;
  readonly read: (span: Span) => ModelCall;
}
