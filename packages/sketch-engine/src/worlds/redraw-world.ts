import { unpackEngine } from '../portable/engine-package.js';
import { PortableContext } from '../portable/context.js';
import { loadPortableEngine } from '../portable/load.js';
import { LANGUAGE } from '../prelude/allowed.js';
import { confine } from '../prelude/confine.js';
import { fixIntrinsics } from '../prelude/fix-intrinsics.js';
import { CANVAS_HEIGHT, CANVAS_WIDTH } from '../render-rules.js';
import { createSketchRun } from '../run/sketch-run.js';
import type { SketchInput } from '../drawing/sketch-api.js';
import type { SketchDefinitions } from '../run/sketch-fault.js';
import { addPageNames } from './page-names.js';
import type { RealmEntry, SketchRealm } from './sketch-realm.js';

/**
 * A realm that holds nothing but the language and the engine. Its host takes `openSketchRealm` from the global object
 * before the sketch's text is evaluated.
 */
const open: RealmEntry = async (engine, pixels) => {
  const { parse, stringify } = JSON;
  const { assign, create } = Object;
  const target = new Uint8Array(pixels);
  const makeCanvas = await loadPortableEngine(unpackEngine(engine));
  const ctx = makeCanvas(CANVAS_WIDTH, CANVAS_HEIGHT);
  let fault = '';
  let defines: SketchDefinitions = { setup: false, draw: false };
  const run = createSketchRun(globalThis, { ctx, makeCanvas }, (found) => {
    // Members that the sketch adds to every object, for example `toJSON`, do not reach the host.
    if (fault === '') fault = stringify(assign(create(null), found));
  });
  fixIntrinsics(globalThis);
  confine(globalThis, LANGUAGE);
  addPageNames(globalThis);
  const realm: SketchRealm = {
    start(input, probe) {
      run.start(parse(input) as SketchInput);
      run.probe(probe, (found) => {
        defines = found;
      });
    },
    defines: (name) => defines[name],
    setup() {
      run.setup();
      return fault;
    },
    frame(index) {
      run.frame(index);
      if (fault === '') target.set(PortableContext.pixelsOf(ctx));
      return fault;
    },
  };
  return realm;
};

Object.assign(globalThis, { openSketchRealm: open });
