import { runService } from '@cer/http-service/process';
import { startBridge } from './start-bridge.js';

await runService(() => startBridge(process.env));
