import { word } from './constants.js';
import { refuse } from './violation.js';

/** The modes a canvas composes with, `source-over` first. */
const BLEND_MODES: ReadonlySet<string> = new Set([
  'source-over',
  'lighter',
  'darken',
  'lighten',
  'difference',
  'exclusion',
  'multiply',
  'screen',
  'copy',
  'destination-out',
  'overlay',
  'hard-light',
  'soft-light',
  'color-dodge',
  'color-burn',
]);

/** The canvas's word for a blend mode of p5.js; any other value ends the render. */
export function blendModeOf(mode: unknown): string {
  const chosen = mode === 'NORMAL' || mode === 'normal' ? 'source-over' : word(mode);
  if (!BLEND_MODES.has(chosen)) refuse('blendMode: no such blend mode');
  return chosen;
}
