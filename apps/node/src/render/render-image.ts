import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { effectiveProtocolVersion } from '@cer/cer-core';
import { ok, validationError, type ServiceRequest, type ServiceResponse } from '@cer/http-service';
import { engineFaults, engineOf, requestedEngine } from './engine.js';
import type { RendererClient, SketchOrder } from './renderer-client.js';
import {
  CANVAS,
  codeFaults,
  DEFAULT_SEED,
  numbersIn,
  renderProtocolFaults,
  seedFaults,
  textOr,
  varsFaults,
} from './sketch-rules.js';

interface ImageRequest {
  readonly order: SketchOrder;
  readonly protocolVersion: string;
}

/** @throws ServiceError VALIDATION_ERROR with every fault */
function parseImageRequest(body: JsonValue, tenantId: string): ImageRequest {
  if (!isJsonObject(body)) throw validationError(['body: must be a JSON object']);
  const protocolVersion = member(body, 'protocolVersion');
  const faults = [
    ...codeFaults(member(body, 'code'), 'code'),
    ...seedFaults(member(body, 'seed'), 'seed'),
    ...varsFaults(member(body, 'VAR'), 'VAR'),
    ...canvasFaults(body),
    ...renderProtocolFaults(protocolVersion, 'protocolVersion'),
    ...engineFaults(member(body, 'engine'), 'engine'),
  ];
  if (faults.length > 0) throw validationError(faults);
  return {
    order: {
      tenantId,
      engine: requestedEngine(member(body, 'engine'), undefined).name,
      code: textOr(member(body, 'code'), ''),
      seed: textOr(member(body, 'seed'), DEFAULT_SEED),
      vars: numbersIn(member(body, 'VAR')),
    },
    protocolVersion: effectiveProtocolVersion(protocolVersion) ?? '',
  };
}

/** The canvas has one size: a request that sets it must set both members to it. */
function canvasFaults(body: JsonObject): string[] {
  const stated = (['width', 'height'] as const).filter((name) => member(body, name) !== undefined);
  if (stated.length === 1)
    return [`${stated[0] === 'width' ? 'height' : 'width'}: is required beside ${stated[0] ?? ''}`];
  return stated.filter((name) => member(body, name) !== CANVAS[name]).map((name) => `${name}: must be ${CANVAS[name]}`);
}

/**
 * Renders without certifying.
 * @returns JSON if the client accepts it, otherwise the PNG with its hash in `X-Runtime-Hash`
 * @see docs/spec.md, "POST /api/render"
 */
export async function renderImage(
  renderer: RendererClient,
  body: JsonValue,
  tenantId: string,
  request: Pick<ServiceRequest, 'headers' | 'signal'>,
): Promise<ServiceResponse> {
  const { order, protocolVersion } = parseImageRequest(body, tenantId);
  const rendered = await renderer.ask('/render', order, request.signal);
  const { pngBase64, runtimeHash, pixelHash, width, height, sdkVersion, rendererVersion, executionTimeMs } = rendered;
  const headers = { 'x-runtime-hash': textOr(runtimeHash, '') };
  if (request.headers['accept']?.includes('application/json') === true) {
    return ok(
      {
        pngBase64,
        runtimeHash,
        pixelHash,
        width,
        height,
        sdkVersion,
        rendererVersion,
        engine: engineOf(rendered),
        protocolVersion,
        executionTimeMs,
      },
      headers,
    );
  }
  const png = Buffer.from(textOr(pngBase64, ''), 'base64');
  return { status: 200, headers: { ...headers, 'content-type': 'image/png' }, body: png };
}
