// jest's environment for Node with plain globals. In jest's own, every use of a global asks a JavaScript proxy, even of
// `Error` or `Uint8Array`: code that uses them often takes up to a third more processor time.
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const { createContext } = vm;

export default class PlainGlobals extends TestEnvironment {
  constructor(...options) {
    // jest has no option for the context. Its constructor is synchronous: no other context is made by this.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...options);
    } finally {
      vm.createContext = createContext;
    }
  }
}
