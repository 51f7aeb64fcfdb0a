/**
 * What the URL says on this wire: the method, and the model. Any host, any prefix (`/v1`, `/v1beta`, a relay's own).
 */
import { pathOf } from '../body.ts';

const METHOD = /[^/]:(generateContent|streamGenerateContent)$/;
const METHOD_END = /:\w+$/;
const STREAM_METHOD = /:streamGenerateContent(?=\/*(?:[?#]|$))/;
const MODEL = /(\/models\/)[^/:?#]+(?=:(?:streamG|g)enerateContent)/;
/** A name that may stand in a path as it is. */
const PLAIN_NAME = /^[\w.-]+$/;

/** The method, or null when the URL is none of this wire. */
export function methodOf(url: string): 'generateContent' | 'streamGenerateContent' | null {
  const [, method] = METHOD.exec(pathOf(url)) ?? [];
  return method === 'generateContent' || method === 'streamGenerateContent' ? method : null;
}

/** The model's name: what stands between the last slash and the method. */
export function modelOf(url: string): string | null {
  const name = pathOf(url).replace(METHOD_END, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name) || null;
  } catch {
    return name; // not percent-encoded after all
  }
}

/**
 * The URL of the same method, not streamed, for another model where one is named. The key and everything else in the query stay,
 * byte for byte; only `alt=sse` would be wrong.
 */
export function wholeUrl(url: string, model?: string): string {
  const whole = url.replace(STREAM_METHOD, ':generateContent').replace(/\?(?:[^#]*)/, (query) => {
    const kept = query
      .slice(1)
      .split('&')
      .filter((pair) => pair !== 'alt=sse');
    return kept.length === 0 || kept.join('') === '' ? '' : `?${kept.join('&')}`;
  });
  const name = model?.replace(/^models\//, '') ?? '';
  return PLAIN_NAME.test(name) ? whole.replace(MODEL, (_, before: string) => before + name) : whole;
}
