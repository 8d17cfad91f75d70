// A classic script for any realm: the members of every builtin object that can be reached from the names of a language.
function listMembers(names) {
  const found = {};
  const seen = new Set();
  const nameOf = (key) =>
    typeof key === 'symbol' ? key.toString().replace(/^Symbol\((?:Symbol\.)?(.*)\)$/, '@@$1') : key;
  const visit = (path, object) => {
    if ((typeof object !== 'object' || object === null) && typeof object !== 'function') return;
    if (seen.has(object)) return;
    seen.add(object);
    const keys = Reflect.ownKeys(object);
    const isPlainFunction = typeof object === 'function' && keys.every((key) => key === 'length' || key === 'name');
    if (!isPlainFunction) found[path] = keys.map(nameOf).sort().join(' ');
    visit(path + '.[[Prototype]]', Object.getPrototypeOf(object));
    for (const key of keys) {
      const { value, get, set } = Object.getOwnPropertyDescriptor(object, key);
      visit(path + '.' + nameOf(key), value);
      visit(path + '.get ' + nameOf(key), get);
      visit(path + '.set ' + nameOf(key), set);
    }
  };
  for (const name of names) visit(name, globalThis[name]);
  const instances = {
    arrayIterator: [].values(),
    mapIterator: new Map().entries(),
    setIterator: new Set().values(),
    stringIterator: ''[Symbol.iterator](),
    matches: 'a'.matchAll(/a/g),
    generator: (function* () {})(),
    generatorFunction: Object.getPrototypeOf(function* () {}),
    regularExpression: /a/,
    error: Object.getPrototypeOf(new Error('')),
  };
  for (const name of Object.keys(instances)) visit('(' + name + ')', instances[name]);
  return found;
}
