import type { Logger } from '@cer/http-service/process';
import type { RendererConfig } from '../config.js';
import type { Engine } from '../engine.js';
import type { Renderer } from '../renderer.js';
import type { AnswerMac } from './mac.js';

/** Dependencies of the handlers that run sketches. */
export interface SketchRoutesDeps {
  readonly renderer: Renderer;
  readonly engine: () => Engine | string;
  readonly config: RendererConfig;
  readonly logger: Logger;
  readonly mac: AnswerMac;
}
