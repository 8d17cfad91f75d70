type Instance = Record<string, unknown>;

/**
 * `new p5((p) => { p.setup = ...; })`: a sketch that keeps its names in an object. All instances of a sketch share its one
 * canvas and draw in order.
 * @param names the global names that an instance has as members
 * @param members what `p5` itself has, `p5.Vector` for one
 */
export function instanceMode(
  names: () => Iterable<string>,
  members: object,
  setGlobal: (name: string, value: unknown) => void,
): object {
  const instances: Instance[] = [];
  const callAll = (step: 'setup' | 'draw'): void => {
    for (const instance of instances) {
      const act = instance[step];
      if (typeof act === 'function') Reflect.apply(act, instance, []);
    }
  };
  function Sketch(define: unknown): Instance {
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
    for (const step of ['setup', 'draw'] as const)
      if (typeof instance[step] === 'function')
        setGlobal(step, () => {
          callAll(step);
        });
    return instance;
  }
  return Object.assign(Sketch, members);
}
