import { CANVAS, LANGUAGE, type DrawingContext } from '@cer/sketch-engine';
import { takeCanvasTools } from './page-canvas.js';
import { pageCanvas, preparePage } from './sketch-page.js';

// The first script of a page whose sketch draws with the browser's own canvas.
const canvas = pageCanvas(document);
const channel = canvas.dataset;
const { contextOf, makeCanvas } = takeCanvasTools(document);
preparePage({ channel, ctx: contextOf(canvas) as DrawingContext, makeCanvas, keeps: [...LANGUAGE, ...CANVAS] });
channel['ready'] = '';
