import type { JsonObject } from '@cer/canonical-json';

/** A model call: request and response. */
export interface ModelCall {
  readonly request: JsonObject;
  readonly response: JsonObject;
}

export function describeChatCompletion(call: ModelCall, facts: { readonly provider: string }): JsonObject;
export function describeMessages(
  call: ModelCall,
  facts: { readonly provider: string; readonly at: string },
): JsonObject;
export function asConfidential(description: JsonObject, prompt: string): JsonObject;
