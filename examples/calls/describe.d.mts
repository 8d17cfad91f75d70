import type { JsonObject } from '@cer/canonical-json';

/** A model call: request and response. */
export interface ModelCall {
  readonly request: JsonObject;
  readonly response: JsonObject;
}

/** What a call does not contain; `executionId` is the caller's own, the same one in a retry. */
export interface CallFacts {
  readonly executionId: string;
  readonly provider: string;
}

export function describeChatCompletion(call: ModelCall, facts: CallFacts): JsonObject;
export function describeMessages(call: ModelCall, facts: CallFacts & { readonly at: string }): JsonObject;
export function asConfidential(description: JsonObject, prompt: string): JsonObject;
