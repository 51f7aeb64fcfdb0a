/** Faults a test asks for: the next matching requests fail in the way it names. */
import { isObject } from './shape.ts';

export interface Fault {
  /** Which requests: answers to people, summaries, or both. */
  readonly on: 'turn' | 'summary' | 'any';
  /** How many requests. */
  readonly times: number;
  /** Answer with this status instead (with `body`, else the wire's own error shape). */
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  /** Close the connection after this many bytes of the answer. */
  readonly cutAfter?: number;
  /** Wait this long before the head. */
  readonly stall?: number;
  /** Send this many bytes, then nothing for `stall` milliseconds, then go on. */
  readonly stallAfter?: number;
  /** After this many bytes of a stream, fail inside it in the provider's own way, and end. */
  readonly errorAfter?: number;
}

export interface Faults {
  add(fault: Fault): void;
  /** The fault for this request, used up by the call. */
  take(kind: 'turn' | 'summary'): Fault | null;
  clear(): void;
}

/** The fault in a control request's body, or null. */
export function parseFault(value: unknown): Fault | null {
  if (!isObject(value)) return null;
  const { on = 'any', times = 1 } = value;
  if ((on !== 'turn' && on !== 'summary' && on !== 'any') || !Number.isInteger(times)) return null;
  return { ...value, on, times: Number(times) };
}

export function createFaults(): Faults {
  let waiting: { fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      waiting.push({ fault, left: fault.times });
    },
    take(kind) {
      const found = waiting.find(({ fault }) => fault.on === 'any' || fault.on === kind);
      if (found === undefined) return null;
      found.left -= 1;
      waiting = waiting.filter(({ left }) => left > 0);
      return found.fault;
    },
    clear() {
      waiting = [];
    },
  };
}

/** The wire-independent error type a status usually carries. */
export function typeOfStatus(status: number): string {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    422: 'invalid_request_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}
