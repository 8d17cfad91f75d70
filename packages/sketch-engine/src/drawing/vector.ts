type Like = { readonly x: number; readonly y: number; readonly z?: number };
type Operand = number | Like | readonly number[];

/** Radians per unit of the angles that methods take and give. */
type AngleUnit = () => number;

let random: () => number = Math.random;

/** Gives `Vector.random2D` and `Vector.random3D` the generator of the realm's sketch. */
export function randomVectorsFrom(generator: () => number): void {
  random = generator;
}

/** p5.Vector: three numbers; methods change the vector and return it, their static twins return a new one. */
export class Vector {
  x: number;
  y: number;
  z: number;
  readonly #unit: AngleUnit;

  constructor(x = 0, y = 0, z = 0, unit: AngleUnit = () => 1) {
    this.x = x || 0;
    this.y = y || 0;
    this.z = z || 0;
    this.#unit = unit;
  }

  set(x?: Operand, y?: number, z?: number): this {
    [this.x, this.y, this.z] = parts(x, y, z);
    return this;
  }
  copy(): Vector {
    return new Vector(this.x, this.y, this.z, this.#unit);
  }
  add(x?: Operand, y?: number, z?: number): this {
    return this.combine(parts(x, y, z), (a, b) => a + b);
  }
  sub(x?: Operand, y?: number, z?: number): this {
    return this.combine(parts(x, y, z), (a, b) => a - b);
  }
  /** By what is not finite it changes nothing, and so `div` and `rem`. */
  mult(x: Operand, y?: number, z?: number): this {
    const by = factors(x, y, z);
    return by.every(Number.isFinite) ? this.combine(by, (a, b) => a * b) : this;
  }
  /** By 0 it changes nothing; the z of two vectors in the plane does not count. */
  div(x: Operand, y?: number, z?: number): this {
    const [a, b, c] = factors(x, y, z);
    const inPlane = c === 0 && this.z === 0;
    if (![a, b, c].every(Number.isFinite) || a === 0 || b === 0 || (c === 0 && !inPlane)) return this;
    return this.combine([a, b, inPlane ? 1 : c], (own, other) => own / other);
  }
  /** The parts whose divisor is 0 stay. */
  rem(x: Operand, y?: number, z?: number): this {
    const by = factors(x, y, z);
    return by.every(Number.isFinite) ? this.combine(by, (a, b) => (b === 0 ? a : a % b)) : this;
  }
  mag(): number {
    return Math.sqrt(this.magSq());
  }
  magSq(): number {
    return this.x * this.x + this.y * this.y + this.z * this.z;
  }
  dot(x: Operand, y?: number, z?: number): number {
    const [a, b, c] = parts(x, y, z);
    return this.x * a + this.y * b + this.z * c;
  }
  cross({ x, y, z = 0 }: Like): Vector {
    return new Vector(this.y * z - this.z * y, this.z * x - this.x * z, this.x * y - this.y * x);
  }
  dist(other: Like): number {
    return Math.hypot(this.x - other.x, this.y - other.y, this.z - (other.z ?? 0));
  }
  normalize(): this {
    const length = this.mag();
    return length === 0 ? this : this.mult(1 / length);
  }
  limit(max: number): this {
    return this.mag() > max ? this.setMag(max) : this;
  }
  setMag(length: number): this {
    return this.normalize().mult(length);
  }
  heading(): number {
    return Math.atan2(this.y, this.x) / this.#unit();
  }
  setHeading(angle: number): this {
    const [length, turn] = [this.mag(), angle * this.#unit()];
    return this.set(length * Math.cos(turn), length * Math.sin(turn), this.z);
  }
  rotate(angle: number): this {
    const turn = angle * this.#unit();
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    return this.set(this.x * cos - this.y * sin, this.x * sin + this.y * cos, this.z);
  }
  angleBetween(other: Vector): number {
    if (this.magSq() * other.magSq() === 0) return NaN;
    // By the tangent: the cosine of a small angle is 1, rounded.
    const across = this.cross(other);
    return (Math.atan2(across.mag(), this.dot(other)) * Math.sign(across.z || 1)) / this.#unit();
  }
  lerp(to: Like, amount: number): this;
  lerp(x: number, y: number, z: number, amount: number): this;
  lerp(to: Operand, y: number, z?: number, amount = typeof to === 'number' ? 0 : y): this {
    return this.combine(parts(to, y, z), (a, b) => a + ((b - a) * amount || 0));
  }
  /** Turns towards another vector by a share of the angle between them; the length changes by the same share. */
  slerp(to: Like, amount: number): this {
    if (amount === 0) return this;
    if (amount === 1) return this.set(to);
    const length = this.mag();
    const [x, y, z] = parts(to);
    const toLength = new Vector(x, y, z).mag();
    const axis = this.cross(to);
    const axisLength = axis.mag();
    const angle = Math.atan2(axisLength, this.dot(to));
    // Between vectors of one direction, or of none, nothing turns.
    if (length * toLength === 0 || (axisLength === 0 && angle < Math.PI / 2)) return this.lerp(to, amount);
    if (axisLength > 0) axis.mult(1 / axisLength);
    else axis.set(this.axisOfHalfTurn(z));
    const aside = axis.cross(this);
    const growth = 1 - amount + (amount * toLength) / length;
    const [cos, sin] = [growth * Math.cos(amount * angle), growth * Math.sin(amount * angle)];
    return this.set(this.x * cos + aside.x * sin, this.y * cos + aside.y * sin, this.z * cos + aside.z * sin);
  }
  /** Parts too small to count become 0. */
  clampToZero(): this {
    return this.combine([0, 0, 0], (own) => (Math.abs(own) <= Number.EPSILON ? 0 : own));
  }
  getValue(index: number): number | undefined {
    return this.array()[index];
  }
  setValue(index: number, value: number): this {
    const all = this.array();
    if (index in all) all[index] = value;
    return this.set(all);
  }
  reflect(normal: Vector): this {
    const unit = normal.copy().normalize();
    return this.sub(unit.mult(2 * this.dot(unit)));
  }
  array(): number[] {
    return [this.x, this.y, this.z];
  }
  equals(x: Operand, y?: number, z?: number): boolean {
    const [a, b, c] = parts(x, y, z);
    return this.x === a && this.y === b && this.z === c;
  }
  toString(): string {
    return `p5.Vector Object : [${this.x}, ${this.y}, ${this.z}]`;
  }

  /** Where the other end lies opposite any axis across this vector would do: these are those of p5.js. */
  private axisOfHalfTurn(z: number): readonly [number, number, number] {
    if (this.z === 0 && z === 0) return [0, 0, 1];
    const across = Math.hypot(this.x, this.y);
    return this.x === 0 ? [1, 0, 0] : [this.y / across, -this.x / across, 0];
  }
  private combine([a, b, c]: readonly [number, number, number], by: (own: number, other: number) => number): this {
    this.x = by(this.x, a);
    this.y = by(this.y, b);
    this.z = by(this.z, c);
    return this;
  }

  static add(a: Vector, b: Operand, target?: Vector): Vector {
    return copyOf(a, target).add(b);
  }
  static sub(a: Vector, b: Operand, target?: Vector): Vector {
    return copyOf(a, target).sub(b);
  }
  static mult(a: Vector, by: Operand, target?: Vector): Vector {
    return copyOf(a, target).mult(by);
  }
  static div(a: Vector, by: Operand, target?: Vector): Vector {
    return copyOf(a, target).div(by);
  }
  static rem(a: Vector, by: Operand): Vector {
    return a.copy().rem(by);
  }
  static lerp(a: Vector, b: Vector, amount: number, target?: Vector): Vector {
    return copyOf(a, target).lerp(b, amount);
  }
  static slerp(a: Vector, b: Vector, amount: number, target?: Vector): Vector {
    return copyOf(a, target).slerp(b, amount);
  }
  static normalize(a: Vector, target?: Vector): Vector {
    return copyOf(a, target).normalize();
  }
  static limit(a: Vector, max: number, target?: Vector): Vector {
    return copyOf(a, target).limit(max);
  }
  static setMag(a: Vector, length: number, target?: Vector): Vector {
    return copyOf(a, target).setMag(length);
  }
  static rotate(a: Vector, angle: number, target?: Vector): Vector {
    return copyOf(a, target).rotate(angle);
  }
  static reflect(a: Vector, normal: Vector, target?: Vector): Vector {
    return copyOf(a, target).reflect(normal);
  }
  static copy(a: Vector): Vector {
    return a.copy();
  }
  static mag(a: Vector): number {
    return a.mag();
  }
  static magSq(a: Vector): number {
    return a.magSq();
  }
  static dist(a: Vector, b: Vector): number {
    return a.dist(b);
  }
  static dot(a: Vector, b: Vector): number {
    return a.dot(b);
  }
  static cross(a: Vector, b: Vector): Vector {
    return a.cross(b);
  }
  static heading(a: Vector): number {
    return a.heading();
  }
  static angleBetween(a: Vector, b: Vector): number {
    return a.angleBetween(b);
  }
  static array(a: Vector): number[] {
    return a.array();
  }
  static equals(a: Vector, b: Vector): boolean {
    return a.equals(b);
  }
  static random2D(): Vector {
    return Vector.fromAngle(random() * Math.PI * 2);
  }
  static random3D(): Vector {
    const angle = random() * Math.PI * 2;
    const z = random() * 2 - 1;
    const radius = Math.sqrt(1 - z * z);
    return new Vector(radius * Math.cos(angle), radius * Math.sin(angle), z);
  }
  static fromAngle(angle: number, length = 1): Vector {
    return new Vector(length * Math.cos(angle), length * Math.sin(angle));
  }
  /** @param down the angle from the top, in radians, and `around` the one about the vertical */
  static fromAngles(down: number, around: number, length = 1): Vector {
    const flat = length * Math.sin(down);
    return new Vector(flat * Math.sin(around), -length * Math.cos(down), flat * Math.cos(around));
  }
}

/** A copy, or the given vector with the same parts. */
function copyOf(vector: Vector, target?: Vector): Vector {
  return target === undefined ? vector.copy() : target.set(vector);
}

/** What is missing or not a number is 0, as in p5.js 1. */
function parts(x: Operand = 0, y = 0, z = 0): readonly [number, number, number] {
  if (typeof x === 'number') return [x || 0, y || 0, z || 0];
  if (isArray(x)) return [x[0] || 0, x[1] || 0, x[2] || 0];
  return [x.x || 0, x.y || 0, x.z || 0];
}

/** One number multiplies all three; of a list, missing ones leave their part alone. */
function factors(x: Operand = NaN, y?: number, z?: number): readonly [number, number, number] {
  if (typeof x === 'number') return y === undefined ? [x, x, x] : [x, y, z ?? 1];
  if (isArray(x)) return x.length === 1 ? factors(x[0]) : [x[0] ?? 1, x[1] ?? 1, x[2] ?? 1];
  return [x.x, x.y, x.z ?? 1];
}

function isArray(value: Operand): value is readonly number[] {
  return Array.isArray(value);
}
