import { takeCanvasTools } from './page-canvas.js';
import type { DrawingContext } from './drawing/drawing-context.js';
import { CANVAS, LANGUAGE } from './prelude/allowed.js';
import { pageCanvas, preparePage } from './sketch-page.js';

// The first script of a page whose sketch draws with the browser's own canvas.
const canvas = pageCanvas(document);
const channel = canvas.dataset;
const { contextOf, makeCanvas } = takeCanvasTools(document);
preparePage({ channel, ctx: contextOf(canvas) as DrawingContext, makeCanvas, keeps: [...LANGUAGE, ...CANVAS] });
channel['ready'] = '';
