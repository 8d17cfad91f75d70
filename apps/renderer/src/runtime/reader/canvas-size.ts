/** The one size a certified canvas has. */
export const CANVAS_WIDTH = 1950;
export const CANVAS_HEIGHT = 2400;
export const FRAME_BYTES = CANVAS_WIDTH * CANVAS_HEIGHT * 4;
