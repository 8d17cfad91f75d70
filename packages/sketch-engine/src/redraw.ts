// Draws a sketch again in a separate process; for Node.js only.
export { NetworkNotWithheld, redraw, type Redrawing, type Redrawn } from './redraw/redraw.js';
