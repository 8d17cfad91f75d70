// Draws a sketch again in a process of its own: for Node alone.
export { NetworkNotWithheld, redraw, type Redrawing, type Redrawn } from './redraw/redraw.js';
