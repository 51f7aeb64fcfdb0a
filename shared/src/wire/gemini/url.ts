/**
 * What the URL says on this wire: the method and the model. Any host, any prefix (`/v1`, `/v1beta`, a relay's own).
 */
import { pathOf } from '../body.ts';

/** The ends of the paths of this wire. */
export const METHODS = [':generateContent', ':streamGenerateContent'] as const;

const METHOD = /:(?:generateContent|streamGenerateContent)(?=\/*(?:[?#]|$))/;
const MODEL = /(\/models\/)[^/:?#]+(?=:generateContent)/;
/** A name that may stand in a path as it is. */
const PLAIN_NAME = /^[\w.-]+$/;

/** True when the answer is asked for as a stream. */
export function streams(url: string): boolean {
  return pathOf(url).endsWith(':streamGenerateContent');
}

/** The model's name: what stands between the last slash and the method. */
export function modelOf(url: string): string | null {
  const name = /([^/:]+):\w+$/.exec(pathOf(url))?.[1];
  if (name === undefined) return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a stray percent sign: the name as it stands
  }
}

/**
 * The URL of a request that is not streamed, for another model where one is named. The key and everything else in the query stay,
 * byte for byte; only `alt=sse` would be wrong.
 */
export function wholeUrl(url: string, model = ''): string {
  const whole = url.replace(METHOD, ':generateContent').replace(/\?[^#]*/, (query) => {
    const kept = query.slice(1).split('&');
    const rest = kept.filter((pair) => !/^alt=sse$/i.test(pair)).join('&');
    return rest === '' ? '' : `?${rest}`;
  });
  const name = model.replace(/^models\//, '');
  return PLAIN_NAME.test(name) ? whole.replace(MODEL, (_, before: string) => before + name) : whole;
}
