import { isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { effectiveProtocolVersion } from '@cer/cer-core';
import { embedCertificate } from '@cer/cer-core/picture';
import { stated } from '@cer/cer-core/seal';
import { ok, prefers, validationError, type ServiceRequest, type ServiceResponse } from '@cer/http-service';
import {
  assertNamedEngine,
  engineFaults,
  engineOf,
  engineOrder,
  requestedEngine,
  type RequestedEngine,
} from './engine.js';
import type { RendererClient, SketchOrder } from './renderer-client.js';
import { certificateHeaders } from '../records/response-headers.js';
import { CANVAS, codeFaults, numbersIn, renderProtocolFaults, seedFaults, textOr, varsFaults } from './sketch-rules.js';
import type { VerifiedRender } from './verify-render.js';

interface ImageRequest {
  readonly order: SketchOrder;
  readonly engine: RequestedEngine;
  readonly protocolVersion: string;
  /** Whether the picture is to carry a certificate. */
  readonly certify: boolean;
}

/** @throws ServiceError VALIDATION_ERROR with every fault */
export function parseImageRequest(body: JsonValue, tenantId: string): ImageRequest {
  if (!isJsonObject(body)) throw validationError(['body: must be a JSON object']);
  const protocolVersion = stated(body, 'protocolVersion');
  const certify = stated(body, 'certify');
  const faults = [
    ...codeFaults(stated(body, 'code'), 'code'),
    ...seedFaults(stated(body, 'seed'), 'seed'),
    ...varsFaults(stated(body, 'VAR'), 'VAR'),
    ...canvasFaults(body),
    ...renderProtocolFaults(protocolVersion, 'protocolVersion'),
    ...engineFaults(stated(body, 'engine'), 'engine'),
    ...(certify === undefined || typeof certify === 'boolean' ? [] : ['certify: must be a boolean']),
  ];
  if (faults.length > 0) throw validationError(faults);
  const engine = requestedEngine(stated(body, 'engine'), undefined);
  return {
    engine,
    order: {
      tenantId,
      engine: engineOrder(engine),
      code: textOr(stated(body, 'code'), ''),
      seed: textOr(stated(body, 'seed'), ''),
      vars: numbersIn(stated(body, 'VAR')),
    },
    protocolVersion: effectiveProtocolVersion(protocolVersion) ?? '',
    certify: certify === true,
  };
}

/** The canvas has one size: a request that sets it must set both members to it. */
function canvasFaults(body: JsonObject): string[] {
  const sizes = (['width', 'height'] as const).filter((name) => stated(body, name) !== undefined);
  if (sizes.length === 1) return [`${sizes[0] === 'width' ? 'height' : 'width'}: is required beside ${sizes[0] ?? ''}`];
  return sizes.filter((name) => stated(body, name) !== CANVAS[name]).map((name) => `${name}: must be ${CANVAS[name]}`);
}

/** Renders and certifies a request of the form of `POST /verify` that expects no hash. */
export type CertifyImage = (request: JsonObject) => Promise<CertifiedImage>;

export interface CertifiedImage {
  /** The answer of the renderer. */
  readonly rendered: JsonObject;
  readonly concluded: VerifiedRender;
}

/**
 * Renders a picture and, with `certify`, puts its certificate into it.
 * @param certifyImage null where nothing can be certified
 * @returns JSON if the client names it and does not prefer the picture, otherwise the PNG with its hash in `X-Runtime-Hash`
 * @throws ServiceError VALIDATION_ERROR, also for `certify` where nothing can be certified; CANNOT_BE_JUDGED for an
 *   engine that does not draw here
 * @see docs/spec.md, "POST /api/render"
 */
export async function renderImage(
  renderer: RendererClient,
  body: JsonValue,
  tenantId: string,
  request: Pick<ServiceRequest, 'headers' | 'signal'>,
  certifyImage: CertifyImage | null,
): Promise<ServiceResponse> {
  const { order, engine, protocolVersion, certify } = parseImageRequest(body, tenantId);
  if (!certify || !isJsonObject(body)) {
    const rendered = await renderer.ask('/render', order, request.signal);
    assertNamedEngine(engine, rendered);
    return imageAnswer(rendered, protocolVersion, request, null);
  }
  if (certifyImage === null) throw validationError(['certify: needs an API key: use POST /api/render']);
  const { code, seed, vars } = order;
  const { rendered, concluded } = await certifyImage({
    snapshot: { code, seed, vars, protocolVersion, engine: stated(body, 'engine') ?? null },
    executionId: stated(body, 'executionId') ?? null,
  });
  return imageAnswer(rendered, protocolVersion, request, concluded);
}

function imageAnswer(
  rendered: JsonObject,
  protocolVersion: string,
  request: Pick<ServiceRequest, 'headers'>,
  concluded: VerifiedRender | null,
): ServiceResponse {
  const { runtimeHash, pixelHash, width, height, sdkVersion, rendererVersion, executionTimeMs } = rendered;
  const { certificateHash = null, isReplay = false, body = {} } = concluded ?? {};
  const drawn = Buffer.from(textOr(rendered['pngBase64'], ''), 'base64');
  const { cer } = body;
  const png = cer === undefined ? drawn : Buffer.from(embedCertificate(drawn, cer));
  const headers = {
    'x-runtime-hash': textOr(runtimeHash, ''),
    ...(certificateHash !== null && certificateHeaders(certificateHash, isReplay)),
  };
  if (!prefers(request, 'application/json', 'image/png')) {
    return { status: 200, headers: { ...headers, 'content-type': 'image/png' }, body: png };
  }
  return ok(
    {
      pngBase64: cer === undefined ? rendered['pngBase64'] : png.toString('base64'),
      runtimeHash,
      pixelHash,
      width,
      height,
      sdkVersion,
      rendererVersion,
      engine: engineOf(rendered),
      protocolVersion,
      executionTimeMs,
      ...(cer !== undefined && { certificateHash, verificationUrl: body['verificationUrl'], cer }),
    },
    headers,
  );
}
