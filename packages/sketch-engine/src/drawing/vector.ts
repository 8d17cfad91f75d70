type Like = { readonly x: number; readonly y: number; readonly z?: number };
type Operand = number | Like | readonly number[];

/** p5.Vector: three numbers; methods change the vector and return it, their static twins return a new one. */
export class Vector {
  x: number;
  y: number;
  z: number;

  constructor(x = 0, y = 0, z = 0) {
    this.x = x;
    this.y = y;
    this.z = z;
  }

  set(x: Operand, y?: number, z?: number): this {
    [this.x, this.y, this.z] = parts(x, y, z);
    return this;
  }
  copy(): Vector {
    return new Vector(this.x, this.y, this.z);
  }
  add(x: Operand, y?: number, z?: number): this {
    return this.combine(parts(x, y, z), (a, b) => a + b);
  }
  sub(x: Operand, y?: number, z?: number): this {
    return this.combine(parts(x, y, z), (a, b) => a - b);
  }
  mult(x: Operand, y?: number, z?: number): this {
    return this.combine(factors(x, y, z), (a, b) => a * b);
  }
  div(x: Operand, y?: number, z?: number): this {
    return this.combine(factors(x, y, z), (a, b) => a / b);
  }
  rem(x: Operand, y?: number, z?: number): this {
    return this.combine(factors(x, y, z), (a, b) => a % b);
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
    return Math.atan2(this.y, this.x);
  }
  setHeading(angle: number): this {
    const length = this.mag();
    return this.set(length * Math.cos(angle), length * Math.sin(angle), this.z);
  }
  rotate(angle: number): this {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return this.set(this.x * cos - this.y * sin, this.x * sin + this.y * cos, this.z);
  }
  angleBetween(other: Vector): number {
    const cosine = this.dot(other) / (this.mag() * other.mag());
    return Math.acos(Math.min(1, Math.max(-1, cosine))) * (Math.sign(this.cross(other).z) || 1);
  }
  lerp(to: Like, amount: number): this {
    const { x, y, z = 0 } = to;
    return this.combine([x, y, z], (a, b) => a + (b - a) * amount);
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
    return `[${this.x}, ${this.y}, ${this.z}]`;
  }

  private combine([a, b, c]: readonly [number, number, number], by: (own: number, other: number) => number): this {
    this.x = by(this.x, a);
    this.y = by(this.y, b);
    this.z = by(this.z, c);
    return this;
  }

  static add(a: Vector, b: Vector): Vector {
    return a.copy().add(b);
  }
  static sub(a: Vector, b: Vector): Vector {
    return a.copy().sub(b);
  }
  static mult(a: Vector, by: Operand): Vector {
    return a.copy().mult(by);
  }
  static div(a: Vector, by: Operand): Vector {
    return a.copy().div(by);
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
  static lerp(a: Vector, b: Vector, amount: number): Vector {
    return a.copy().lerp(b, amount);
  }
  static normalize(a: Vector): Vector {
    return a.copy().normalize();
  }
  static fromAngle(angle: number, length = 1): Vector {
    return new Vector(length * Math.cos(angle), length * Math.sin(angle));
  }
}

function parts(x: Operand, y = 0, z = 0): readonly [number, number, number] {
  if (typeof x === 'number') return [x, y, z];
  if (isArray(x)) return [x[0] ?? 0, x[1] ?? 0, x[2] ?? 0];
  return [x.x, x.y, x.z ?? 0];
}

/** One number multiplies all three; of a list, missing ones leave their part alone. */
function factors(x: Operand, y?: number, z?: number): readonly [number, number, number] {
  if (typeof x === 'number') return y === undefined ? [x, x, x] : [x, y, z ?? 1];
  if (isArray(x)) return [x[0] ?? 1, x[1] ?? 1, x[2] ?? 1];
  return [x.x, x.y, x.z ?? 1];
}

function isArray(value: Operand): value is readonly number[] {
  return Array.isArray(value);
}
