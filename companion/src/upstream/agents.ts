/**
 * The only place that opens connections. One pool per reach; every address a name resolves to is judged, and the connection goes
 * to exactly the addresses that were judged.
 *
 * With `HTTPS_PROXY` set, https upstreams go through that proxy, which resolves names itself: there the text of the URL is all
 * we judge, and the proxy's own rules apply.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { addressKind } from './address.ts';
import { type Reach, reaches } from './rules.ts';

const CONNECT_MILLISECONDS = 10_000;

/** Resolves all addresses of a name; tests put their own here. */
export type ResolveAll = (hostname: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

const resolveAll: ResolveAll = (hostname, done) =>
  systemLookup(hostname, { all: true }, (error, addresses) => done(error, addresses ?? []));

/** A lookup that answers only addresses within reach; when there is none the connection is never made. */
function reachingLookup(reach: Reach, resolve: ResolveAll = resolveAll): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const refused = addresses.length === 0 || addresses.some(({ address }) => !reaches(reach, addressKind(address)));
      if (refused) return callback(Object.assign(new Error('address refused'), { code: 'TL_ADDRESS' }), []);
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? '', first?.family);
    });
  };
}

export interface Agents {
  for(reach: Reach): Dispatcher;
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly resolve?: ResolveAll;
}

export function createAgents(options: AgentOptions): Agents {
  const { environment } = options;
  const httpsProxy = environment.https_proxy ?? environment.HTTPS_PROXY;
  const agent = (reach: Reach): Dispatcher => {
    const connect = { lookup: reachingLookup(reach, options.resolve), timeout: CONNECT_MILLISECONDS };
    if (reach === 'local' || httpsProxy === undefined || httpsProxy === '') return new Agent({ connect });
    const noProxy = environment.no_proxy ?? environment.NO_PROXY;
    return new EnvHttpProxyAgent({ connect, httpsProxy, ...(noProxy === undefined ? {} : { noProxy }) });
  };
  const pools: Record<Reach, Dispatcher> = { public: agent('public'), local: agent('local'), any: agent('any') };
  return {
    for: (reach) => pools[reach],
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
    },
  };
}
