/** Methods of p5.js's elements: they place the canvas on a page, or wait for input that never comes. */
const ELEMENT_METHODS = [
  ...['parent', 'id', 'class', 'style', 'position', 'hide', 'show', 'center', 'attribute', 'addClass', 'removeClass'],
  ...['mousePressed', 'mouseReleased', 'mouseClicked', 'doubleClicked', 'mouseMoved', 'mouseOver', 'mouseOut'],
  ...['mouseWheel', 'touchStarted', 'touchMoved', 'touchEnded', 'dragOver', 'dragLeave', 'drop'],
];

/** The methods of an element of p5.js, which return it: there is no page. */
export function elementMethods(element: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(ELEMENT_METHODS.map((name) => [name, () => element]));
}
