// The package publishes no declarations for this entry; these are the parts that the drawing layer builds on.
declare module '@nexart/codemode-sdk/core' {
  interface SeededRuntime {
    random(min?: number | readonly unknown[], max?: number): unknown;
    randomSeed(seed: number): void;
    randomGaussian(mean?: number, deviation?: number): number;
    noise(x: number, y?: number, z?: number): number;
    noiseSeed(seed: number): void;
    noiseDetail(octaves: number, falloff?: number): void;
    readonly [name: string]: unknown;
  }
  export function createP5Runtime(
    canvas: { getContext(): object },
    width: number,
    height: number,
    config: { readonly seed: number },
  ): SeededRuntime;
  export function createProtocolVAR(vars: readonly number[]): readonly number[];
}
