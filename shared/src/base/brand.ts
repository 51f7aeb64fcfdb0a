/**
 * Branded ids: strings that cannot be mistaken for one another.
 *
 * A brand exists only for the type checker; at run time each is a plain string.
 */
declare const brand: unique symbol;

export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Lower-case hex sha256, 64 characters. */
export type Digest = Brand<string, 'Digest'>;
/** One conversation line, e.g. `tl-0123456789abcdef` or a client's own id. */
export type SessionId = Brand<string, 'SessionId'>;
/** The durable record behind a pairing or a lane key: sessions are found only inside one scope. */
export type ScopeId = Brand<string, 'ScopeId'>;
/** A summary's name inside its session: `b1`, `b2`, … never reissued. */
export type BlockId = Brand<string, 'BlockId'>;
/** A core's name inside its session: `m00001`, … never reused. */
export type Ref = Brand<string, 'Ref'>;
/** Content id of one core, `h_` + 16 hex. Session-scoped; two equal cores share it. */
export type CoreId = Brand<string, 'CoreId'>;
