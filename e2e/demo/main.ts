/**
 * The demo server as a process: `tsx e2e/demo/main.ts [--port N]`. Prints one line when it listens, stops on SIGINT/SIGTERM.
 * With a taken port it takes a free one and says so in that line.
 */
import { parseArgs } from 'node:util';
import { type DemoServer, startDemo } from './model/server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, pace: { type: 'string', default: '0' } } });
const options = { pace: Number(values.pace) };

let server: DemoServer;
try {
  server = await startDemo({ port: Number(values.port), options });
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  server = await startDemo({ options });
}
console.log(`demo: listening on ${server.origin}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.close().then(() => process.exit(0)));
