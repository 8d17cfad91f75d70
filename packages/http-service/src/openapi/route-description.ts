import type { Route } from '../routing/route.js';

/** A JSON Schema (2020-12), as used by OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

export interface RequestBody {
  /** Default `application/json`. */
  readonly mediaType?: string;
  /** Further types in which it may be sent, as bytes or text. */
  readonly otherTypes?: readonly string[];
  readonly schema: JsonSchema;
  /** Whether the body may be absent. */
  readonly optional?: boolean;
}

export interface Success {
  readonly description: string;
  /** Schema of a JSON response; every 200 in JSON has one. */
  readonly schema?: JsonSchema;
  /** Default `application/json`; empty for a response without a body. */
  readonly mediaTypes?: readonly string[];
}

/** The access to a route: its text in the document, and the refusals that follow from it. */
export interface Access<Code extends string> {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly description?: string;
  readonly codes: readonly Code[];
}

/**
 * The description of one route for readers and generators. Errors common to all routes of its kind (authentication,
 * size and type of the body, faults of a query) are derived; `errors` lists those of this route only.
 */
export interface RouteDescription<Who, Code extends string, Finding extends string = never> {
  readonly group: string;
  readonly summary: string;
  readonly access: Who;
  readonly query?: readonly Parameter[];
  readonly body?: RequestBody;
  readonly success: Readonly<Record<number, Success>>;
  readonly errors?: readonly Code[];
  /** Verification codes that the route returns, all with 400. */
  readonly findings?: readonly Finding[];
}

/** A route with what the OpenAPI document says of it. */
export type Described<Description> = Route & { readonly description: Description };
