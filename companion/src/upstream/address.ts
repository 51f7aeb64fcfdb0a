/**
 * What kind of address a name resolved to. `public` may be reached by any https upstream, `local` only by an origin the person
 * approved, `forbidden` by nobody (unspecified, multicast, link-local with its metadata service, reserved).
 */
import { BlockList, isIP, isIPv6 } from 'node:net';

export type AddressKind = 'public' | 'local' | 'forbidden';

function blockList(v4: readonly string[], v6: readonly string[]): BlockList {
  const list = new BlockList();
  for (const [nets, family] of [
    [v4, 'ipv4'],
    [v6, 'ipv6'],
  ] as const) {
    for (const net of nets) {
      const [address, bits] = net.split('/');
      list.addSubnet(address ?? '', Number(bits), family);
    }
  }
  return list;
}

const local = blockList(
  ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  ['::1/128', 'fc00::/7'],
);
const forbidden = blockList(
  [
    '0.0.0.0/8',
    '169.254.0.0/16',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/3',
  ],
  ['::/128', 'fe80::/10', 'fec0::/10', 'ff00::/8', '100::/64', '2001::/32', '2001:db8::/32'],
);

/** Eight 16-bit groups of an IPv6 address. */
function groups(address: string): number[] {
  const bare = address.split('%')[0] ?? '';
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(bare);
  const text =
    dotted === null
      ? bare
      : `${dotted[1]}${(Number(dotted[2]) * 256 + Number(dotted[3])).toString(16)}:${(Number(dotted[4]) * 256 + Number(dotted[5])).toString(16)}`;
  const [left = '', right] = text.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const gap = right === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16));
}

const dotted = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

/** The IPv4 address an IPv6 address stands for (mapped, compatible, NAT64, 6to4), or null. */
function embeddedV4(address: string): string | null {
  const g = groups(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, high = 0, low = 0] = g;
  if (a === 0x2002) return dotted(b, c);
  if (a === 0x64 && b === 0xff9b && c + d + e + f === 0) return dotted(high, low);
  const zero = a + b + c + d === 0;
  if (zero && ((e === 0 && f === 0xffff) || (e === 0xffff && f === 0))) return dotted(high, low);
  if (zero && e + f === 0 && high !== 0) return dotted(high, low);
  return null;
}

/** The kind of an IP address in text; anything that is none is forbidden. */
export function addressKind(address: string): AddressKind {
  if (isIP(address.split('%')[0] ?? '') === 0) return 'forbidden';
  if (isIPv6(address)) {
    const inner = embeddedV4(address);
    if (inner !== null) return addressKind(inner);
  }
  const bare = address.split('%')[0] ?? '';
  const family = isIPv6(bare) ? 'ipv6' : 'ipv4';
  if (forbidden.check(bare, family)) return 'forbidden';
  return local.check(bare, family) ? 'local' : 'public';
}
