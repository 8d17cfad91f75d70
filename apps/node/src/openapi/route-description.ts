import type { FailureCode } from '@cer/cer-core';
import type { Route } from '@cer/http-service';
import type { NodeCode } from '../errors/refusals.js';

/** A JSON Schema (2020-12), as used by OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Required access: a Bearer key with one of the scopes, the admin secret, or none. */
export type Access = { readonly scopes: readonly string[] } | 'admin' | 'anybody';

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

export interface RequestBody {
  readonly mediaType?: string;
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

/**
 * The description of one route for readers and generators. Errors common to all routes of its kind (authentication,
 * size and type of the body, faults of a query) are derived; `errors` lists those of this route only.
 */
export interface RouteDescription {
  readonly group: string;
  readonly summary: string;
  readonly access: Access;
  readonly query?: readonly Parameter[];
  readonly body?: RequestBody;
  readonly success: Readonly<Record<number, Success>>;
  readonly errors?: readonly NodeCode[];
  /** Verification codes that the route returns, all with 400. */
  readonly findings?: readonly FailureCode[];
}

/** A route with what the OpenAPI document says of it. */
export type DescribedRoute = Route & { readonly description: RouteDescription };

/** Refusals of every route that attests. */
export const ATTESTING = [
  'PROTOCOL_SCHEMA_UNSATISFIED',
  'EXECUTION_MUTATION_DETECTED',
  'RECORD_REMOVED',
  'QUOTA_EXCEEDED',
  'ATTESTATION_ERROR',
] as const;

/** Refusals of routes without a key: they are counted by address, and within a budget. */
export const COUNTED = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const;
