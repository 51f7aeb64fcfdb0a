/**
 * The guard: one function, run before routing on every HTTP request and on every upgrade.
 *
 * It is a list of named checks so that a test can take each one out and see an attack pass. Fails closed: a request that no rule
 * names, or that fails one check, gets 403 with an empty body and no CORS header, whatever the reason.
 */
export interface Facts {
  readonly transport: 'http' | 'upgrade';
  /** Address of the other end of the TCP connection. */
  readonly peer: string | undefined;
  /** Every `Host` line received, in order. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly contentTypes: readonly string[];
  readonly authorizations: readonly string[];
  readonly method: string;
  /** Request target as received. */
  readonly target: string;
}

/** What the guard needs to know about the running companion. */
export interface GuardWorld {
  readonly port: () => number;
  readonly isPairedOrigin: (origin: string) => boolean;
  readonly isApiKey: (key: string) => boolean;
  /** The lane key in force that is this text, with the one page origin that may use it. */
  readonly laneKey: (key: string) => { readonly origin: string | null } | null;
}

type OriginRule = 'any' | 'none' | 'extension' | 'paired' | 'none-or-paired' | 'none-or-lane';

export interface Rule {
  readonly name: string;
  readonly transport: Facts['transport'];
  readonly path: RegExp;
  /** `*` is any. */
  readonly method: string;
  readonly origin: OriginRule;
  /** The body must be declared as JSON (a form or a plain-text post needs no preflight and is refused). */
  readonly json: boolean;
  /** `body`: a one-time secret proven in the body; `handshake`: mutual challenge after the upgrade; `lane`: the key in the path. */
  readonly proof: 'none' | 'body' | 'handshake' | 'bearer' | 'lane';
}

const http = { transport: 'http', method: 'GET', json: false } as const;

/** The table of the trust rules. A path that is not here does not exist. */
export const RULES: readonly Rule[] = [
  { ...http, name: 'health', path: /^\/health$/, origin: 'any', proof: 'none' },
  { ...http, name: 'pair-page', path: /^\/pair$/, origin: 'none', proof: 'none' },
  { ...http, name: 'pair', path: /^\/pair$/, method: 'POST', origin: 'extension', json: true, proof: 'body' },
  { ...http, name: 'api', path: /^\/api\/[A-Za-z0-9._~%:/-]+(\?[^#]*)?$/, origin: 'none-or-paired', proof: 'bearer' },
  { ...http, name: 'lane', path: /^\/lane\/[0-9a-f]{32}\/[^#]+$/, method: '*', origin: 'none-or-lane', proof: 'lane' },
  { ...http, name: 'socket', transport: 'upgrade', path: /^\/socket$/, origin: 'paired', proof: 'handshake' },
];

export interface Check {
  readonly name: 'peer' | 'host' | 'method' | 'origin' | 'content-type' | 'proof';
  readonly holds: (facts: Facts, rule: Rule, world: GuardWorld) => boolean;
}

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;
const EXTENSION = /^(chrome-extension:\/\/[a-p]{32}|moz-extension:\/\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** An origin that only a browser extension can have. */
export function isExtensionOrigin(origin: string): boolean {
  return EXTENSION.test(origin);
}

function originHolds(facts: Facts, rule: Rule, world: GuardWorld): boolean {
  if (rule.origin === 'any') return true;
  const [origin, ...more] = facts.origins;
  if (more.length > 0) return false;
  if (origin === undefined) return rule.origin === 'none' || rule.origin.startsWith('none-or-');
  if (rule.origin === 'none-or-lane') return laneKeyOf(facts, world)?.origin === origin;
  if (rule.origin === 'extension') return isExtensionOrigin(origin);
  if (rule.origin === 'none') return false;
  return world.isPairedOrigin(origin);
}

function laneKeyOf({ target }: Facts, world: GuardWorld): { readonly origin: string | null } | null {
  return world.laneKey(target.split('/')[2] ?? '');
}

function proofHolds(facts: Facts, rule: Rule, world: GuardWorld): boolean {
  if (rule.proof === 'lane') return laneKeyOf(facts, world) !== null;
  if (rule.proof !== 'bearer') return true;
  const [authorization, ...more] = facts.authorizations;
  if (authorization === undefined || more.length > 0 || !authorization.startsWith('Bearer ')) return false;
  return world.isApiKey(authorization.slice('Bearer '.length));
}

export const CHECKS: readonly Check[] = [
  { name: 'peer', holds: (facts) => facts.peer !== undefined && LOOPBACK.test(facts.peer) },
  { name: 'host', holds: (facts, _, world) => facts.hosts.length === 1 && facts.hosts[0] === `127.0.0.1:${world.port()}` },
  { name: 'method', holds: (facts, rule) => rule.method === '*' || facts.method === rule.method },
  { name: 'origin', holds: originHolds },
  {
    name: 'content-type',
    holds: (facts, rule) =>
      !rule.json || (facts.contentTypes.length === 1 && /^application\/json$/i.test(facts.contentTypes[0] ?? '')),
  },
  { name: 'proof', holds: proofHolds },
];

/** The rule this request may proceed under, or null: refuse it. */
export function guard(facts: Facts, world: GuardWorld, checks: readonly Check[] = CHECKS): Rule | null {
  const named = RULES.filter((rule) => rule.transport === facts.transport && rule.path.test(facts.target));
  return named.find((rule) => checks.every((check) => check.holds(facts, rule, world))) ?? null;
}

interface RawRequest {
  readonly rawHeaders: readonly string[];
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The facts of a node request; header lines are taken raw, so a doubled one is seen as two. */
export function factsOf(request: RawRequest, transport: Facts['transport']): Facts {
  const lines = (name: string): string[] =>
    request.rawHeaders.filter((_, i) => i % 2 === 1 && request.rawHeaders[i - 1]?.toLowerCase() === name);
  return {
    transport,
    peer: request.socket.remoteAddress,
    hosts: lines('host'),
    origins: lines('origin'),
    contentTypes: lines('content-type'),
    authorizations: lines('authorization'),
    method: request.method ?? '',
    target: request.url ?? '',
  };
}
