import { refuse } from './violation.js';

type Instance = Record<string, unknown>;

/** The functions of a sketch that are called, in order. */
const STEPS = ['preload', 'setup', 'draw'] as const;
type Step = (typeof STEPS)[number];

/** `p5` as sketches have it. */
interface InstanceMode {
  readonly p5: object;
  /** The sketch has its `setup` and `draw`: a later instance would not be drawn, and is refused. */
  begin(): void;
}

/**
 * `new p5((p) => { p.setup = ...; })`: a sketch that keeps its names in an object. All instances of a sketch share its one
 * canvas and draw in order, after the global `setup` and `draw` where the sketch has them too.
 * @param names the global names that an instance has as members
 * @param members what `p5` itself has, `p5.Vector` for one
 */
export function instanceMode(names: () => Iterable<string>, members: object): InstanceMode {
  const declared: Instance = {};
  const instances: Instance[] = [declared];
  let hasBegun = false;
  const callAll = (step: Step): void => {
    for (const instance of instances) {
      const act = instance[step];
      if (typeof act === 'function') Reflect.apply(act, instance, []);
    }
  };
  const all = {
    preload: () => {
      callAll('preload');
    },
    setup: () => {
      callAll('setup');
    },
    draw: () => {
      callAll('draw');
    },
  };
  function Sketch(define: unknown): Instance {
    if (hasBegun && typeof define === 'function')
      refuse('new p5: make the instances of a sketch outside its functions');
    const instance: Instance = {};
    for (const name of names())
      Object.defineProperty(instance, name, {
        get: () => Reflect.get(globalThis, name) as unknown,
        set: (value: unknown) => {
          Object.defineProperty(instance, name, { value, writable: true, configurable: true, enumerable: true });
        },
        configurable: true,
      });
    if (typeof define === 'function') Reflect.apply(define, undefined, [instance]);
    instances.push(instance);
    for (const step of STEPS) {
      if (typeof instance[step] !== 'function') continue;
      const own: unknown = Reflect.get(globalThis, step);
      if (typeof own === 'function' && own !== all[step])
        declared[step] = () => {
          Reflect.apply(own, undefined, []);
        };
      Reflect.set(globalThis, step, all[step]);
    }
    return instance;
  }
  return {
    p5: Object.assign(Sketch, members),
    begin() {
      hasBegun = true;
    },
  };
}
