import type { FailureCode } from '@cer/cer-core';
import type { NodeCode } from '../errors/refusals.js';

/** A JSON Schema (2020-12), as OpenAPI 3.1 has them. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Who may call: a Bearer key with one of the scopes, an administrator, or anybody. */
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
  /** Also answered without a body. */
  readonly optional?: boolean;
}

export interface Success {
  readonly description: string;
  /** Of an answer in JSON; every 200 in JSON has one. */
  readonly schema?: JsonSchema;
  /** `application/json` unless told otherwise; none for an answer without a body. */
  readonly mediaTypes?: readonly string[];
}

/**
 * What people and generators are told of one route. Refusals that every route of its kind has (authentication, size and
 * type of the body, faults of a query) follow from the rest; `errors` are those of this route alone.
 */
export interface RouteDescription {
  readonly group: string;
  readonly summary: string;
  readonly access: Access;
  readonly query?: readonly Parameter[];
  readonly body?: RequestBody;
  readonly success: Readonly<Record<number, Success>>;
  readonly errors?: readonly NodeCode[];
  /** Codes of a verification that the route refuses with, all of them 400. */
  readonly findings?: readonly FailureCode[];
}

/** `POST /v1/cer/:hash`, as the router has method and path. */
export type RouteName = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
