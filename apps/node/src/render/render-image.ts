import { isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { effectiveProtocolVersion } from '@cer/cer-core';
import { stated } from '@cer/cer-core/seal';
import { ok, validationError, type ServiceRequest, type ServiceResponse } from '@cer/http-service';
import { engineFaults, engineOf, requestedEngine } from './engine.js';
import type { RendererClient, SketchOrder } from './renderer-client.js';
import { CANVAS, codeFaults, numbersIn, renderProtocolFaults, seedFaults, textOr, varsFaults } from './sketch-rules.js';

interface ImageRequest {
  readonly order: SketchOrder;
  readonly protocolVersion: string;
}

/** @throws ServiceError VALIDATION_ERROR with every fault */
function parseImageRequest(body: JsonValue, tenantId: string): ImageRequest {
  if (!isJsonObject(body)) throw validationError(['body: must be a JSON object']);
  const protocolVersion = stated(body, 'protocolVersion');
  const faults = [
    ...codeFaults(stated(body, 'code'), 'code'),
    ...seedFaults(stated(body, 'seed'), 'seed'),
    ...varsFaults(stated(body, 'VAR'), 'VAR'),
    ...canvasFaults(body),
    ...renderProtocolFaults(protocolVersion, 'protocolVersion'),
    ...engineFaults(stated(body, 'engine'), 'engine'),
  ];
  if (faults.length > 0) throw validationError(faults);
  return {
    order: {
      tenantId,
      engine: requestedEngine(stated(body, 'engine'), undefined).name,
      code: textOr(stated(body, 'code'), ''),
      seed: textOr(stated(body, 'seed'), ''),
      vars: numbersIn(stated(body, 'VAR')),
    },
    protocolVersion: effectiveProtocolVersion(protocolVersion) ?? '',
  };
}

/** The canvas has one size: a request that sets it must set both members to it. */
function canvasFaults(body: JsonObject): string[] {
  const sizes = (['width', 'height'] as const).filter((name) => stated(body, name) !== undefined);
  if (sizes.length === 1) return [`${sizes[0] === 'width' ? 'height' : 'width'}: is required beside ${sizes[0] ?? ''}`];
  return sizes.filter((name) => stated(body, name) !== CANVAS[name]).map((name) => `${name}: must be ${CANVAS[name]}`);
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
