import type { FailureCode } from '@cer/cer-core';
import type { Described, RouteDescription as DescriptionOf } from '@cer/http-service/openapi';
import type { NodeCode } from '../errors/refusals.js';

export type { JsonSchema, Parameter } from '@cer/http-service/openapi';

/** Required access: a Bearer key with one of the scopes, the admin secret, or none. */
export type Access = { readonly scopes: readonly string[] } | 'admin' | 'public';

export type RouteDescription = DescriptionOf<Access, NodeCode, FailureCode>;

/** A route with what the OpenAPI document says of it. */
export type DescribedRoute = Described<RouteDescription>;

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
