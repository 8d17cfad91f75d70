import type { SketchFunctions } from './style.js';

const ZEROS = [
  ...['mouseX', 'mouseY', 'pmouseX', 'pmouseY', 'winMouseX', 'winMouseY', 'pwinMouseX', 'pwinMouseY'],
  ...['movedX', 'movedY', 'keyCode', 'accelerationX', 'accelerationY', 'accelerationZ'],
  ...['pAccelerationX', 'pAccelerationY', 'pAccelerationZ'],
  ...['rotationX', 'rotationY', 'rotationZ', 'pRotationX', 'pRotationY', 'pRotationZ'],
];

/** Mouse, keys, touches and motion: nothing was ever pressed or moved, and no handler of theirs is called. */
export const RESTING: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(ZEROS.map((name) => [name, 0])),
  mouseIsPressed: false,
  mouseButton: '',
  keyIsPressed: false,
  key: '',
  code: '',
  focused: false,
  touches: [],
  deviceOrientation: 'portrait',
  turnAxis: undefined,
};

/** Functions that ask the page for something that a picture does not have. */
export const INPUT_FUNCTIONS: SketchFunctions = {
  keyIsDown: () => false,
  fullscreen: () => false,
};

/** Items that p5.js stores in the browser last for the run, as at a first visit of the page. */
export function storageFunctions(): SketchFunctions {
  const items = new Map<string, string>();
  return {
    storeItem(key: string, value: unknown) {
      items.set(key, JSON.stringify(value ?? null));
    },
    getItem: (key: string) => JSON.parse(items.get(key) ?? 'null') as unknown,
    removeItem(key: string) {
      items.delete(key);
    },
    clearStorage() {
      items.clear();
    },
  };
}
