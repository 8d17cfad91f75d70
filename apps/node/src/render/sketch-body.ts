import type { JsonValue } from '@cer/canonical-json';
import { parseJsonBody, type ServiceRequest } from '@cer/http-service';
import type { Caller } from '../auth/key-directory.js';
import type { LargeSketchKind } from '../large-work/large-job.js';
import { isLarge } from '../large-work/large-body.js';
import type { LargeWork } from '../large-work/large-work.js';
import type { WorkTurns } from '../limits/work-turns.js';

export interface SketchBodyDeps {
  readonly turns: Pick<WorkTurns, 'takeFor'>;
  /** Absent: large bodies are parsed here. */
  readonly largeWork?: Pick<LargeWork, 'run'> | undefined;
}

const utf8 = new TextDecoder();

/**
 * The JSON of a request about a sketch. A large one is parsed and checked in a thread, and lacks the members that its
 * route ignores.
 * @throws ServiceError VALIDATION_ERROR
 */
export async function sketchBody(
  { turns, largeWork }: SketchBodyDeps,
  kind: LargeSketchKind,
  request: ServiceRequest,
  caller: Caller,
): Promise<JsonValue> {
  if (largeWork !== undefined && isLarge(request.body)) {
    const { json } = await largeWork.run(kind, request, caller);
    // The thread has parsed it strictly.
    return JSON.parse(utf8.decode(json)) as JsonValue;
  }
  await turns.takeFor(caller.tenantId, request);
  return parseJsonBody(request);
}
