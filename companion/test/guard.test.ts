/** The guard: every route on both transports, every attack refused alike, and every check needed. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKS, type Facts, type GuardWorld, guard, RULES, type Rule } from '../src/guard.ts';
import { CHROME, FIREFOX } from './support/browser.ts';
import { startWorld, type World } from './support/world.ts';

const PORT = 4747;
const KEY = 'k'.repeat(64);
const LANE = 'a'.repeat(32);
const APP_LANE = 'b'.repeat(32);
const APP = 'tauri://localhost';
const guarded: GuardWorld = {
  port: () => PORT,
  isPairedOrigin: (origin) => origin === CHROME,
  isApiKey: (key) => key === KEY,
  laneKey: (key) => (key === LANE ? { origin: null } : key === APP_LANE ? { origin: APP } : null),
};

const good: Facts = {
  transport: 'http',
  peer: '127.0.0.1',
  hosts: [`127.0.0.1:${PORT}`],
  origins: [],
  contentTypes: [],
  authorizations: [],
  method: 'GET',
  target: '/health',
};
const pairPost: Facts = { ...good, method: 'POST', target: '/pair', origins: [CHROME], contentTypes: ['application/json'] };
const api: Facts = { ...good, target: '/api/sessions', authorizations: [`Bearer ${KEY}`] };
const upstream = 'https://api.openai.com/v1/chat/completions?a=b';
const lane: Facts = { ...good, method: 'POST', target: `/lane/${LANE}/${upstream}` };
const appLane: Facts = { ...lane, target: `/lane/${APP_LANE}/${upstream}`, origins: [APP] };
const socket: Facts = { ...good, transport: 'upgrade', target: '/socket', origins: [CHROME] };

const honest: Record<string, Facts> = {
  health: good,
  'health from a page (no data, no CORS header)': { ...good, origins: ['https://evil.example'] },
  'pair page': { ...good, target: '/pair' },
  'pair claim': pairPost,
  'pair claim of Firefox': { ...pairPost, origins: [FIREFOX] },
  api,
  'api from the paired extension': { ...api, origins: [CHROME] },
  lane,
  'lane, any method': { ...lane, method: 'DELETE' },
  'lane from the one page that may': appLane,
  'preflight of the one page that may': { ...appLane, method: 'OPTIONS' },
  'lane of that page without it': { ...appLane, origins: [] },
  socket,
};

const hosts = [
  [],
  [''],
  ['evil.example'],
  [`evil.example:${PORT}`],
  ['127.0.0.1'],
  [`localhost:${PORT}`],
  [`127.0.0.1:${PORT}.`],
  ['127.0.0.1:1'],
  [`127.0.0.1.evil.example:${PORT}`],
  [`user@127.0.0.1:${PORT}`],
  [`127.0.0.1:${PORT} `],
  [`127.1:${PORT}`],
  [`[::1]:${PORT}`],
  [`0x7f.1:${PORT}`],
  [`127.0.0.1:0${PORT}`],
  [`127.0.0.1:${PORT}`, `127.0.0.1:${PORT}`],
  [`127.0.0.1:${PORT}`, 'evil.example'],
  [`ⓛocalhost:${PORT}`],
  [`127。0。0。1:${PORT}`],
];
const strangers = [
  ['null'],
  ['https://evil.example'],
  [`http://127.0.0.1:${PORT}`],
  [`http://localhost:${PORT}`],
  ['http://localhost.evil.example'],
  ['chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba'],
  [`${CHROME}.evil.example`],
  [CHROME.toUpperCase()],
  ['file://'],
  [''],
  ['moz-extension://ffffffff-89ab-cdef-0123-456789abcdef'],
  [CHROME, CHROME],
  [CHROME, 'https://evil.example'],
  [`${CHROME}/`],
];

/** Requests that must be refused, by what is wrong with them. */
const attacks: { name: string; facts: Facts }[] = [
  ...Object.entries(honest).flatMap(([name, facts]) => [
    ...['10.0.0.5', '192.168.1.2', '::ffff:10.0.0.5', 'fe80::1', undefined].map((peer) => ({
      name: `${name} from ${peer}`,
      facts: { ...facts, peer },
    })),
    ...hosts.map((host) => ({ name: `${name} with host ${JSON.stringify(host)}`, facts: { ...facts, hosts: host } })),
  ]),
  ...strangers.map((origins) => ({ name: `socket from ${origins}`, facts: { ...socket, origins } })),
  { name: 'socket without origin', facts: { ...socket, origins: [] } },
  ...strangers
    .filter(([one]) => !/^(chrome-extension:\/\/pon|moz-extension:\/\/fff)/.test(one ?? ''))
    .map((origins) => ({ name: `pair from ${origins}`, facts: { ...pairPost, origins } })),
  { name: 'pair without origin', facts: { ...pairPost, origins: [] } },
  ...strangers.map((origins) => ({ name: `api from ${origins}`, facts: { ...api, origins } })),
  ...[CHROME, APP, ...strangers.flat()].map((origin) => ({
    name: `lane from ${origin}`,
    facts: { ...lane, origins: [origin] },
  })),
  ...[CHROME, `${APP}/`, `${APP}.evil.example`, APP.toUpperCase(), ...strangers.flat()].map((origin) => ({
    name: `lane of a page from ${origin}`,
    facts: { ...appLane, origins: [origin] },
  })),
  { name: 'lane from two origins', facts: { ...appLane, origins: [APP, APP] } },
  { name: 'preflight of a stranger', facts: { ...lane, method: 'OPTIONS', origins: ['https://evil.example'] } },
  ...['', 'x', 'c'.repeat(32), LANE.toUpperCase(), `${LANE}a`, LANE.slice(1), `%61${LANE.slice(1)}`, '..'].map((key) => ({
    name: `lane with the key "${key}"`,
    facts: { ...lane, target: `/lane/${key}/${upstream}` },
  })),
  { name: 'lane by upgrade', facts: { ...lane, transport: 'upgrade' as const, method: 'GET' } },
  { name: 'pair page framed by a page', facts: { ...good, target: '/pair', origins: ['https://evil.example'] } },
  ...[
    [],
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data'],
    ['application/json', 'text/plain'],
    ['application/json; charset=utf-7'],
  ].map((contentTypes) => ({ name: `pair as ${contentTypes}`, facts: { ...pairPost, contentTypes } })),
  ...[
    [],
    [KEY],
    ['Bearer '],
    [`Bearer ${KEY}x`],
    [`Bearer ${KEY.slice(1)}`],
    [`bearer ${KEY}`],
    [`Basic ${KEY}`],
    [`Bearer ${KEY}`, 'Bearer no'],
  ].map((authorizations) => ({ name: `api with ${authorizations.length} wrong proof`, facts: { ...api, authorizations } })),
  ...['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'].flatMap((method) => [
    { name: `health by ${method}`, facts: { ...good, method } },
    { name: `api by ${method}`, facts: { ...api, method } },
    { name: `socket by ${method}`, facts: { ...socket, method } },
  ]),
  ...[
    '/',
    '/socket',
    '/healthz',
    '//health',
    '/health/',
    '/health?x',
    '/HEALTH',
    'http://evil.example/health',
    '*',
    '/api',
    '/api/',
    '/pair/x',
    '/../health',
    '/%2e/health',
  ].map((target) => ({ name: `http ${target}`, facts: { ...good, target } })),
  ...['/', '/health', '/pair', '/api/sessions', '/socket/', '/socket?a=b', '//socket'].map((target) => ({
    name: `upgrade ${target}`,
    facts: { ...socket, target, authorizations: [`Bearer ${KEY}`] },
  })),
];

describe('the guard', () => {
  it.each(Object.entries(honest))('lets through: %s', (_, facts) => expect(guard(facts, guarded)).not.toBeNull());

  it(`refuses each of ${attacks.length} attacks`, () => {
    expect(attacks.filter(({ facts }) => guard(facts, guarded) !== null).map(({ name }) => name)).toEqual([]);
    expect(attacks.length).toBeGreaterThan(240);
  });

  it.each(CHECKS.map((check) => check.name))('without its check "%s" lets an attack pass', (name) => {
    const rest = CHECKS.filter((check) => check.name !== name);
    expect(attacks.some(({ facts }) => guard(facts, guarded, rest) !== null)).toBe(true);
  });

  it('judges an upgrade by the same function as a request', () => {
    expect(RULES.filter((rule) => rule.transport === 'upgrade').map((rule) => rule.name)).toEqual(['socket']);
  });
});

describe('the running server', () => {
  let world: World;
  let paired: string;
  beforeAll(async () => {
    world = await startWorld();
    paired = (await world.pair()).origin;
  });
  afterAll(() => world.close());

  /** Sends raw lines and returns the whole answer. */
  const raw = (lines: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const tcp = connect(world.companion.port, '127.0.0.1', () => tcp.write(`${lines.join('\r\n')}\r\n\r\n`));
      let text = '';
      tcp.on('data', (part) => {
        text += part.toString('latin1');
      });
      tcp.on('close', () => resolve(text));
      tcp.on('error', reject);
    });
  const host = (): string => `Host: 127.0.0.1:${world.companion.port}`;
  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  const isRefusal = (answer: string): boolean => {
    const [head = '', body] = answer.split('\r\n\r\n');
    return head.startsWith('HTTP/1.1 403') && body === '' && !/access-control/i.test(head);
  };

  it('has no route that the guard does not name, and refuses every one without its proof, on both transports', async () => {
    expect(world.companion.routes.length).toBeGreaterThanOrEqual(10);
    expect(world.companion.routes).toContain('* /lane/:key/*');
    for (const route of world.companion.routes) {
      const [method = '', url = ''] = route.split(' ');
      const target = url.replace(/:key\b/g, '0'.repeat(32)).replace(/:\w+/g, 'x');
      const fits = (rule: Rule): boolean => rule.path.test(target) && (rule.method === method || rule.method === '*');
      const named = RULES.filter((rule) => rule.transport === 'http' && fits(rule));
      expect(named, route).toHaveLength(1);
      const port = `Host: 127.0.0.1:${world.companion.port}`;
      const sent = method === '*' ? 'POST' : method;
      expect(isRefusal(await raw([`${sent} ${target} HTTP/1.1`, 'Host: evil.example', 'Connection: close'])), route).toBe(true);
      expect(isRefusal(await raw([`${sent} ${target} HTTP/1.1`, port, `Origin: ${paired}`, ...upgrade])), route).toBe(true);
      if (named[0]?.proof === 'bearer' || named[0]?.proof === 'body' || named[0]?.proof === 'lane') {
        expect(isRefusal(await raw([`${sent} ${target} HTTP/1.1`, port, 'Connection: close'])), route).toBe(true);
      }
    }
  });

  it.each([
    ['GET', '/health', []],
    ['GET', '/socket', upgrade],
    ['POST', '/pair', ['Content-Type: application/json', 'Content-Length: 0']],
    ['GET', '/api/stats', []],
    ['POST', `/lane/${LANE}/${upstream}`, ['Content-Length: 0']],
  ])('refuses %s %s under 12 other Host lines, also two and none', async (method, target, more) => {
    const port = world.companion.port;
    const lines = [
      [],
      ['Host: '],
      ['Host: evil.example'],
      [`Host: localhost:${port}`],
      [`Host: 127.0.0.1`],
      [`Host: 127.0.0.1:${port}.`],
      [`Host: 127.0.0.1.evil:${port}`],
      [`Host: [::1]:${port}`],
      [`Host: a@127.0.0.1:${port}`],
      ['Host: evil.example', host()],
      [host(), 'Host: evil.example'],
      [`Host: 127.0.0.1:${port + 1}`],
    ];
    for (const hostLines of lines) {
      const answer = await raw([
        `${method} ${target} HTTP/1.1`,
        ...hostLines,
        `Origin: ${paired}`,
        'Connection: close',
        ...more,
      ]);
      expect(isRefusal(answer) || answer.startsWith('HTTP/1.1 400'), JSON.stringify(hostLines)).toBe(true);
    }
  });

  it('answers health without a CORS header and without data, and no preflight at all', async () => {
    const answer = await raw(['GET /health HTTP/1.1', host(), 'Origin: https://evil.example', 'Connection: close']);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(answer).not.toMatch(/access-control/i);
    const body = JSON.parse(answer.slice(answer.indexOf('{')));
    expect(Object.keys(body).sort()).toEqual(['companionId', 'name', 'ok', 'protocol', 'version']);
    const preflight = [
      'OPTIONS /health HTTP/1.1',
      host(),
      'Origin: https://evil.example',
      'Access-Control-Request-Method: GET',
    ];
    expect(isRefusal(await raw([...preflight, 'Connection: close']))).toBe(true);
  });

  it('serves a pairing page without script that nobody can frame', async () => {
    const answer = await raw(['GET /pair HTTP/1.1', host(), 'Connection: close']);
    expect(answer).toMatch(/content-security-policy: default-src 'none'/i);
    expect(answer).toMatch(/frame-ancestors 'none'/);
    expect(answer).not.toMatch(/<script|javascript:|onload=/i);
    expect(answer).toMatch(/If nothing happens/);
  });

  it('listens on 127.0.0.1 and nowhere else', async () => {
    const reached = await new Promise<boolean>((resolve) => {
      const tcp = connect(world.companion.port, '::1', () => resolve(true));
      tcp.on('error', () => resolve(false));
    });
    expect(reached).toBe(false);
  });
});
