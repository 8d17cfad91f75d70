/** Members of every constructor besides those listed here. */
const OF_FUNCTIONS = 'length name prototype';
const TYPED_ARRAYS =
  'BigInt64Array BigUint64Array Float32Array Float64Array Int16Array Int32Array Int8Array Uint16Array Uint32Array Uint8Array Uint8ClampedArray';
const ERRORS = 'AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError';

/**
 * The members of ECMAScript 2023 by the object that has them; `@@` marks well-known symbols, `%` objects without a global
 * name. Left out: what shows the locale (its replacements are in `pin-locale.ts`), legacy members of `RegExp`, and
 * everything of `Promise`, which a sketch does not have.
 */
const MEMBERS: Readonly<Record<string, string>> = {
  Array: 'from isArray of @@species',
  'Array.prototype':
    'at concat constructor copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach includes indexOf join keys lastIndexOf length map pop push reduce reduceRight reverse shift slice some sort splice toReversed toSorted toSpliced toString unshift values with @@iterator @@unscopables',
  ArrayBuffer: 'isView @@species',
  'ArrayBuffer.prototype': 'byteLength constructor slice @@toStringTag',
  BigInt: 'asIntN asUintN',
  'BigInt.prototype': 'constructor toString valueOf @@toStringTag',
  Boolean: '',
  'Boolean.prototype': 'constructor toString valueOf',
  DataView: '',
  'DataView.prototype':
    'buffer byteLength byteOffset constructor getBigInt64 getBigUint64 getFloat32 getFloat64 getInt16 getInt32 getInt8 getUint16 getUint32 getUint8 setBigInt64 setBigUint64 setFloat32 setFloat64 setInt16 setInt32 setInt8 setUint16 setUint32 setUint8 @@toStringTag',
  Date: 'UTC now parse',
  'Date.prototype':
    'constructor getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth getSeconds getTime getTimezoneOffset getUTCDate getUTCDay getUTCFullYear getUTCHours getUTCMilliseconds getUTCMinutes getUTCMonth getUTCSeconds getYear setDate setFullYear setHours setMilliseconds setMinutes setMonth setSeconds setTime setUTCDate setUTCFullYear setUTCHours setUTCMilliseconds setUTCMinutes setUTCMonth setUTCSeconds setYear toDateString toGMTString toISOString toJSON toString toTimeString toUTCString valueOf @@toPrimitive',
  // Two that the engine reads: they are fixed, so that no stack trace is read.
  Error: 'prepareStackTrace stackTraceLimit',
  'Error.prototype': 'constructor message name toString',
  Function: '',
  'Function.prototype': 'apply arguments bind call caller constructor length name toString @@hasInstance',
  JSON: 'parse stringify @@toStringTag',
  Map: '@@species',
  'Map.prototype': 'clear constructor delete entries forEach get has keys set size values @@iterator @@toStringTag',
  Math: 'E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2 abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul log log10 log1p log2 max min pow random round sign sin sinh sqrt tan tanh trunc @@toStringTag',
  Number:
    'EPSILON MAX_SAFE_INTEGER MAX_VALUE MIN_SAFE_INTEGER MIN_VALUE NEGATIVE_INFINITY NaN POSITIVE_INFINITY isFinite isInteger isNaN isSafeInteger parseFloat parseInt',
  'Number.prototype': 'constructor toExponential toFixed toPrecision toString valueOf',
  Object:
    'assign create defineProperties defineProperty entries freeze fromEntries getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols getPrototypeOf hasOwn is isExtensible isFrozen isSealed keys preventExtensions seal setPrototypeOf values',
  'Object.prototype':
    '__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf',
  Proxy: 'revocable',
  Reflect:
    'apply construct defineProperty deleteProperty get getOwnPropertyDescriptor getPrototypeOf has isExtensible ownKeys preventExtensions set setPrototypeOf @@toStringTag',
  RegExp: '@@species',
  'RegExp.prototype':
    'compile constructor dotAll exec flags global hasIndices ignoreCase multiline source sticky test toString unicode @@match @@matchAll @@replace @@search @@split',
  Set: '@@species',
  'Set.prototype': 'add clear constructor delete entries forEach has keys size values @@iterator @@toStringTag',
  String: 'fromCharCode fromCodePoint raw',
  'String.prototype':
    'anchor at big blink bold charAt charCodeAt codePointAt concat constructor endsWith fixed fontcolor fontsize includes indexOf italics lastIndexOf length link localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search slice small split startsWith strike sub substr substring sup toLocaleLowerCase toLocaleUpperCase toLowerCase toString toUpperCase trim trimEnd trimLeft trimRight trimStart valueOf @@iterator',
  Symbol:
    'asyncIterator for hasInstance isConcatSpreadable iterator keyFor match matchAll replace search species split toPrimitive toStringTag unscopables',
  'Symbol.prototype': 'constructor description toString valueOf @@toPrimitive @@toStringTag',
  WeakMap: '',
  'WeakMap.prototype': 'constructor delete get has set @@toStringTag',
  WeakSet: '',
  'WeakSet.prototype': 'add constructor delete has @@toStringTag',
  '%TypedArray%': 'from of @@species',
  '%TypedArray%.prototype':
    'at buffer byteLength byteOffset constructor copyWithin entries every fill filter find findIndex findLast findLastIndex forEach includes indexOf join keys lastIndexOf length map reduce reduceRight reverse set slice some sort subarray toReversed toSorted toString values with @@iterator @@toStringTag',
  '%Iterator%.prototype': '@@iterator',
  '%ArrayIterator%.prototype': 'next @@toStringTag',
  '%MapIterator%.prototype': 'next @@toStringTag',
  '%SetIterator%.prototype': 'next @@toStringTag',
  '%StringIterator%.prototype': 'next @@toStringTag',
  '%RegExpStringIterator%.prototype': 'next @@toStringTag',
  '%GeneratorFunction%.prototype': 'constructor prototype @@toStringTag',
  '%Generator%.prototype': 'constructor next return throw @@toStringTag',
  ...rows(TYPED_ARRAYS, 'BYTES_PER_ELEMENT', 'BYTES_PER_ELEMENT constructor'),
  ...rows(ERRORS, '', 'constructor message name'),
};

function rows(names: string, own: string, prototype: string): Record<string, string> {
  return Object.fromEntries(
    names.split(' ').flatMap((name) => [
      [name, own],
      [`${name}.prototype`, prototype],
    ]),
  );
}

/** A builtin object and the members that it may have. */
interface Builtin {
  readonly name: string;
  readonly object: object;
  readonly isListed: (key: PropertyKey) => boolean;
}

/** Every builtin object that a sketch of this realm can reach. */
export function builtins(): Builtin[] {
  const hidden = hiddenObjects();
  return Object.entries(MEMBERS).map(([name, listed]) => {
    const [owner = '', part] = name.split('.');
    const found: unknown = hidden.get(name) ?? Reflect.get(globalThis, owner);
    const object: unknown = part === undefined || hidden.has(name) ? found : Reflect.get(Object(found) as object, part);
    if (typeof object !== 'function' && (typeof object !== 'object' || object === null))
      throw new Error(`the realm has no ${name}`);
    const names = new Set(`${listed} ${typeof object === 'function' ? OF_FUNCTIONS : ''}`.split(' '));
    return { name, object, isListed: (key) => names.has(listedName(key)) };
  });
}

/** As the rows name it; a symbol that is not well-known gets a name that no row has. */
function listedName(key: PropertyKey): string {
  if (typeof key !== 'symbol') return String(key);
  const description = key.description ?? '';
  return description.startsWith('Symbol.') ? `@@${description.slice('Symbol.'.length)}` : `@@ ${description}`;
}

function hiddenObjects(): ReadonlyMap<string, object> {
  const above = (value: object): object => Reflect.getPrototypeOf(value) ?? value;
  const generatorFunction = above(function* () {
    yield undefined;
  });
  const typedArray = above(Uint8Array);
  const arrayIterator = above([].values());
  return new Map([
    ['%TypedArray%', typedArray],
    ['%TypedArray%.prototype', Reflect.get(typedArray, 'prototype') as object],
    ['%Iterator%.prototype', above(arrayIterator)],
    ['%ArrayIterator%.prototype', arrayIterator],
    ['%MapIterator%.prototype', above(new Map().entries())],
    ['%SetIterator%.prototype', above(new Set().values())],
    ['%StringIterator%.prototype', above(''[Symbol.iterator]())],
    ['%RegExpStringIterator%.prototype', above(''.matchAll(/a/g))],
    ['%GeneratorFunction%.prototype', generatorFunction],
    ['%Generator%.prototype', Reflect.get(generatorFunction, 'prototype') as object],
  ]);
}
