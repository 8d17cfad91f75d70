// The part of the engine that the host of a realm needs, without the drawing code.
export { callsImport } from './language/import-call.js';
export { pinSyntax, SketchSyntaxError } from './language/pin-syntax.js';
export { unpremultiply } from './portable/alpha.js';
export type { SketchInput } from './drawing/sketch-api.js';
export { addressOf, workerScripts, type WorkerAnswer, type WorkerOrder } from './worlds/worker-host-messages.js';
