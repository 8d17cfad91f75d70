import {
  confine,
  createSketchRun,
  type SketchDefinitions,
  type SketchEngine,
  type SketchFault,
} from '@cer/sketch-engine';
import type { SketchInput } from '@cer/sketch-engine';
import { faultOfErrorEvent } from './error-event.js';
import { PAGE_EVENTS } from './page-events.js';

/** The engine of this page. */
export interface PageEngine extends SketchEngine {
  /** Sends the picture to the reader; absent where the sketch draws on the page's canvas. */
  readonly present?: () => void;
  /** The names of the page that the sketch keeps. */
  readonly keeps: readonly string[];
}

/** @throws Error where the page has none */
export function pageCanvas(page: Document): HTMLCanvasElement {
  const canvas = page.querySelector('canvas');
  if (canvas === null) throw new Error('the page has no canvas');
  return canvas;
}

/**
 * Takes the needed functions of the document, removes all others from the sketch's reach, and then handles the events of
 * the reader.
 */
export function preparePage({
  channel,
  present,
  keeps,
  ...engine
}: PageEngine & { readonly channel: DOMStringMap }): void {
  const { parse, stringify } = JSON;
  const { assign, create } = Object;
  const errorOf = faultOfErrorEvent();

  /** Members that the sketch adds to every object, `toJSON` for one, do not reach the reader. */
  const publish = (name: 'fault' | 'defines', said: SketchFault | SketchDefinitions): void => {
    channel[name] = stringify(assign(create(null), said));
  };
  let failed = false;
  const report = (fault: SketchFault): void => {
    if (!failed) publish('fault', fault);
    failed = true;
  };
  const run = createSketchRun(globalThis, engine, report);

  const listen = addEventListener.bind(globalThis);
  const on = (name: string, act: () => void): void => {
    listen(name, act, true);
  };
  listen(
    'error',
    (event) => {
      report(errorOf(event));
    },
    true,
  );
  on(PAGE_EVENTS.start, () => {
    run.start(parse(channel['input'] ?? '') as SketchInput);
  });
  on(PAGE_EVENTS.probe, () => {
    run.probe(channel['probe'] ?? '', (defines) => {
      publish('defines', defines);
    });
  });
  on(PAGE_EVENTS.setup, () => {
    run.setup();
  });
  on(PAGE_EVENTS.frame, () => {
    if (run.frame(Number(channel['frame']))) present?.();
  });
  confine(globalThis, keeps);
}
