/**
 * How the extension resolved a request, as it stands in the frame. It is stored with the session and shown to the person, so its
 * shape is checked here, member by member; what is not known is refused, never stored.
 */
import type { Digest, SessionId } from '@throughline/shared/base/brand';
import type { LineageKind, Reason, Resolution } from '@throughline/shared/chain/resolution';
import * as v from 'valibot';

/** Every code there is: a new one fails to compile until it stands here. */
const CODES = Object.keys({
  'head-extended': true,
  'head-repeated': true,
  'nothing-known': true,
  'history-diverged': true,
  'head-in-flight': true,
  'other-document': true,
  'session-raced': true,
  'too-little': true,
  'no-user-turn': true,
  'server-held': true,
  'side-budget': true,
  'not-utf8': true,
  'too-large': true,
} satisfies Record<Reason['code'], true>) as Reason['code'][];
const KINDS = Object.keys({
  forked: true,
  truncated: true,
  derived: true,
  continued: true,
} satisfies Record<LineageKind, true>) as LineageKind[];

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const session = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(256),
  v.transform((id) => id as SessionId),
);
const digest = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/),
  v.transform((hex) => hex as Digest),
);

const schema = v.object({
  via: v.picklist(['declared', 'prefix', 'signal', 'new']),
  depth: count,
  incoming: count,
  domain: v.nullable(v.picklist([2, 3])),
  lineage: v.nullable(v.object({ kind: v.picklist(KINDS), parents: v.pipe(v.array(session), v.maxLength(64)), shared: count })),
  reason: v.object({
    compared: count,
    head: v.nullable(digest),
    next: v.nullable(v.object({ session, depth: count, differsAt: count })),
    code: v.picklist(CODES),
  }),
});

/** The resolution of this session, or null when it has another shape than both sides know. */
export function resolutionOf(value: unknown, of: string): Resolution | null {
  const result = v.safeParse(schema, value);
  return result.success ? { ...result.output, session: of as SessionId } : null;
}
