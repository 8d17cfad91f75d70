import { startNodeProcess, type NodeProcess } from './service-process.js';
import { SERVICE_TOKEN, startStubControlPlane, type StubControlPlane } from './stub-control-plane.js';
import { startTestBridge, type TestBridge } from './test-bridge.js';

/** A bridge on a real attestation node, both with one control plane. */
export interface BridgeBesideNode {
  readonly controlPlane: StubControlPlane;
  readonly node: NodeProcess;
  readonly bridge: TestBridge;
  readonly close: () => Promise<void>;
}

export async function startBridgeBesideNode(): Promise<BridgeBesideNode> {
  const controlPlane = await startStubControlPlane();
  const node = await startNodeProcess(controlPlane.url, SERVICE_TOKEN);
  const bridge = await startTestBridge({ nodeUrl: node.url, controlPlaneUrl: controlPlane.url });
  const close = async (): Promise<void> => {
    await bridge.close();
    await node.stop();
    node.remove();
    await controlPlane.close();
  };
  return { controlPlane, node, bridge, close };
}
