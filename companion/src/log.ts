/**
 * The log: an event name and a few numbers, booleans and short codes. Redaction is by construction: what does not look like a
 * code is never written, so no header, body, URL, key or error message can get into it, whoever calls.
 *
 * Lines go to stderr, and while serving to a file, as JSON; stdout belongs to the CLI's own answers.
 */
import { type Logger, pino } from 'pino';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
export const LOG_LEVELS: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug'];

type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface Log {
  error(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  debug(event: string, fields?: LogFields): void;
}

/** Codes and ids, and bare origins. Everything else is hidden: provider keys have other shapes or are longer. */
const CODE = /^[A-Za-z][A-Za-z0-9_.:-]{0,39}$/;
const ORIGIN = /^(https?|chrome-extension|moz-extension):\/\/[a-z0-9.:[\]-]{1,80}$/;
const KEY_LIKE = /^(sk|pk|rk|gsk|key|AIza|Bearer|ghp|xai|hf)[-_]?[A-Za-z0-9_-]{8,}$/i;

function safe(value: string | number | boolean | null): string | number | boolean | null {
  if (typeof value !== 'string') return value;
  return (CODE.test(value) || ORIGIN.test(value)) && !KEY_LIKE.test(value) ? value : '[hidden]';
}

function safeFields(fields: LogFields | undefined): LogFields {
  if (fields === undefined) return {};
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, safe(value)]));
}

/** Writes whole lines to stderr, at once; a stderr that nobody holds any more is no reason to stop. */
export function toStderr(): (line: string) => void {
  const stderr = pino.destination({ dest: 2, sync: true });
  let gone = false;
  stderr.on('error', () => {
    gone = true;
  });
  return (line) => {
    if (!gone) stderr.write(line);
  };
}

/** A log at `level`; `write` receives whole lines (stderr by default). */
export function createLog(level: LogLevel, write: (line: string) => void = toStderr()): Log {
  const destination = { write };
  const logger: Logger = pino({ level, base: null, messageKey: 'event' }, destination);
  return {
    error: (event, fields) => logger.error(safeFields(fields), event),
    warn: (event, fields) => logger.warn(safeFields(fields), event),
    info: (event, fields) => logger.info(safeFields(fields), event),
    debug: (event, fields) => logger.debug(safeFields(fields), event),
  };
}

/** What may be told about any thrown value: its code or its class, never its message (undici quotes keys in some messages). */
export function errorCode(error: unknown): string {
  if (error instanceof Error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (typeof code === 'string' && CODE.test(code)) return code;
    return CODE.test(error.name) ? error.name : 'Error';
  }
  return 'unknown';
}

/** Lets an event through at most once per `milliseconds` and name. */
export function oncePer(milliseconds: number, now: () => number): (name: string) => boolean {
  const last = new Map<string, number>();
  return (name) => {
    const at = now();
    const before = last.get(name);
    if (before !== undefined && at - before < milliseconds) return false;
    last.set(name, at);
    return true;
  };
}
