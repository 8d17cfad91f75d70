/** Names of p5.js and of pages that a sketch does not have, by what its author can do instead. */
const ABSENT: readonly (readonly [instead: string, names: RegExp])[] = [
  [
    'A sketch draws in 2D: use rect, triangle, beginShape and the like.',
    /^(box|cone|cylinder|ellipsoid|plane|sphere|torus|model|(create|load)Model|(begin|build|end|free)Geometry|.*[cC]amera|frustum|ortho|(line)?[pP]erspective|orbitControl|(no)?[dD]ebugMode|rotate[XYZ]|.*[lL]ights?|lightFalloff|panorama|.*Material|shininess|metalness|specularColor|normal|vertexProperty|texture.*|getTexture|createFramebuffer|clearDepth|strokeMode|WEBGPU|TEXTURE|IMAGE|GRID|AXES|FLAT|SMOOTH|SIMPLE|FULL|IMMEDIATE|FILL|STROKE|LINEAR(_MIPMAP)?|NEAREST|MIRROR|REPEAT|CLAMP|(HALF_)?FLOAT|UNSIGNED_(BYTE|INT)|SUBTRACT|P2DP3)$/,
  ],
  [
    'A sketch has the functions of Math, Math.tanh for one.',
    /^(a?(cos|sin|tan)h|exp2|log2|trunc|roundEven|fma|inversesqrt)$/,
  ],
  [
    'A sketch has no shaders: change its pixels with filter, or with loadPixels and updatePixels.',
    /^(.*[sS]hader|(uniform|varying|shared)[A-Z].*|strands.*|[bi]?vec[234]|mat\dx\d|bool|break|clamp|compute|create(Matrix|Storage)|cross|dFd[xy]|discard|distance|dot|equal|notEqual|faceforward|fwidth|instanceID|length|mix|mod|normalize|reflect|refract|sampler2D|smoothstep|step|getFilterGraphicsLayer)$/,
  ],
  [
    'A sketch loads nothing: write its data into its code.',
    /^(load.*|http(Do|Get|Post)|parseFontData|AUDIO|VIDEO|fetch|require|XMLHttpRequest)$/,
  ],
  [
    'No code of a sketch runs later: draw in setup, or in draw, which runs once per frame.',
    /^(Promise|queueMicrotask|requestAnimationFrame|set(Immediate|Interval|Timeout))$/,
  ],
  ['A sketch has no clock: count frames with frameCount.', /^performance$/],
  [
    'There is no page around the canvas of a sketch: draw on the canvas.',
    /^(create(A|Audio|Button|Capture|Checkbox|ColorPicker|Div|Element|FileInput|Img|Input|P|Radio|Select|Slider|Span|Video)|select(All)?|remove(Elements)?|noCanvas|canvas|getURL(Params|Path)?|pRotateDirection[XYZ]|hitCriticalError)$/,
  ],
  [
    'A sketch writes no files: its picture is what the render returns.',
    /^(save.+|downloadFile|writeFile|createWriter|encodeAndDownloadGif)$/,
  ],
  [
    'Measure text with textWidth, textAscent and textDescent, and choose its weight with textStyle.',
    /^(textBounds|fontBounds|textDirection|textMode|textPropert(y|ies)|textWeight)$/,
  ],
  ['Keep values by their names in an object or a Map.', /^create(Number|String)Dict$/],
  ['Colours are those of RGB, HSB and HSL.', /^(HWB|(OK)?LAB|(OK)?LCH|RGBA|RGBP3)$/],
  ['The certificate of the render names the version of its engine.', /^VERSION$/],
  ['A shape is of the kinds of beginShape: PATH, TRIANGLES and the like.', /^(EMPTY_PATH|BEZIER|CURVE|QUADRATIC)$/],
];

/** What an author does instead of using a name of p5.js or of pages that a sketch does not have. */
export function insteadOf(name: string): string | undefined {
  return ABSENT.find(([, names]) => names.test(name))?.[0];
}
