/** Behind a company's proxy: https goes through it by name, exceptions and loopback do not. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgents, type ResolveAll } from '../src/upstream/agents.ts';

let proxy: Server;
let asked: string[];
beforeEach(async () => {
  asked = [];
  proxy = createServer((_, response) => response.end('plain'));
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => proxy.close(resolve)));

const address = (): string => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
/** No name resolves: what does not go to the proxy fails here at once. */
const refuse: ResolveAll = (_, callback) => callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
async function tryOnce(environment: Record<string, string>, url: string, reach: 'public' | 'local' = 'public') {
  const agents = createAgents({ environment, resolve: refuse });
  const outcome = await request(url, { dispatcher: agents.for(reach) }).then(
    ({ statusCode, body }) => body.dump().then(() => statusCode),
    () => 'failed',
  );
  await agents.close();
  return outcome;
}

describe('HTTPS_PROXY', () => {
  it.each(['HTTPS_PROXY', 'https_proxy'])('as %s carries https, and the proxy gets the name', async (name) => {
    await tryOnce({ [name]: address() }, 'https://api.example/v1');
    expect(asked).toEqual(['api.example:443']);
  });

  it.each(['NO_PROXY', 'no_proxy'])('leaves out what %s names', async (name) => {
    const environment = { HTTPS_PROXY: address(), [name]: 'api.example,.internal.example' };
    await tryOnce(environment, 'https://api.example/v1');
    await tryOnce(environment, 'https://llm.internal.example/v1');
    expect(asked).toEqual([]);
    await tryOnce(environment, 'https://other.example/v1');
    expect(asked).toEqual(['other.example:443']);
  });

  it('never carries what is on this machine or network', async () => {
    expect(await tryOnce({ HTTPS_PROXY: address() }, address(), 'local')).toBe(200);
    expect(asked).toEqual([]);
  });

  it('that is empty is none', async () => {
    expect(await tryOnce({ HTTPS_PROXY: '' }, 'https://api.example/v1')).toBe('failed');
    expect(asked).toEqual([]);
  });
});
