// AssemblyScript, compiled to the module that build/modules.mjs writes: the functions of Math whose last bits the language
// leaves to each engine, and engines to the machine's C library. WebAssembly's arithmetic is exact on every machine.

export function acos(x: f64): f64 {
  return NativeMath.acos(x);
}
export function acosh(x: f64): f64 {
  return NativeMath.acosh(x);
}
export function asin(x: f64): f64 {
  return NativeMath.asin(x);
}
export function asinh(x: f64): f64 {
  return NativeMath.asinh(x);
}
export function atan(x: f64): f64 {
  return NativeMath.atan(x);
}
export function atan2(y: f64, x: f64): f64 {
  return NativeMath.atan2(y, x);
}
export function atanh(x: f64): f64 {
  return NativeMath.atanh(x);
}
export function cbrt(x: f64): f64 {
  return NativeMath.cbrt(x);
}
export function cos(x: f64): f64 {
  return NativeMath.cos(x);
}
export function cosh(x: f64): f64 {
  return NativeMath.cosh(x);
}
export function exp(x: f64): f64 {
  return NativeMath.exp(x);
}
export function expm1(x: f64): f64 {
  return NativeMath.expm1(x);
}
export function log(x: f64): f64 {
  return NativeMath.log(x);
}
export function log10(x: f64): f64 {
  return NativeMath.log10(x);
}
export function log1p(x: f64): f64 {
  return NativeMath.log1p(x);
}
export function log2(x: f64): f64 {
  return NativeMath.log2(x);
}
export function pow(x: f64, y: f64): f64 {
  return NativeMath.pow(x, y);
}
export function sin(x: f64): f64 {
  return NativeMath.sin(x);
}
export function sinh(x: f64): f64 {
  return NativeMath.sinh(x);
}
export function tan(x: f64): f64 {
  return NativeMath.tan(x);
}
export function tanh(x: f64): f64 {
  return NativeMath.tanh(x);
}
