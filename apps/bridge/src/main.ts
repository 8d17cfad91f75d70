import { runService } from '@cer/http-service';
import { startBridge } from './start-bridge.js';

await runService(() => startBridge(process.env));
