/**
 * The golden requests and answers of a wire: bodies in the shapes that real clients and providers send, written for these tests.
 *
 * `<name>.body` is a request; `<name>.stream` and `<name>.whole` are one answer in its two forms. They are kept as bytes.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface Goldens {
  readonly url: string;
  /** The member of the body that holds the messages; as a plain string it is one message. */
  readonly list: string;
  readonly requests: readonly { readonly name: string; readonly body: string }[];
  readonly answers: readonly { readonly name: string; readonly stream: Uint8Array; readonly whole: Uint8Array }[];
}

export function loadGoldens(wire: string, url: string, list = 'messages'): Goldens {
  const folder = new URL(`./${wire}/`, import.meta.url);
  const names = (ending: string): string[] =>
    readdirSync(folder)
      .filter((file) => file.endsWith(ending))
      .map((file) => file.slice(0, -ending.length));
  const read = (file: string): Uint8Array => new Uint8Array(readFileSync(new URL(file, folder)));
  return {
    url,
    list,
    requests: names('.body').map((name) => ({ name, body: readFileSync(new URL(`${name}.body`, folder), 'utf8') })),
    answers: names('.stream').map((name) => ({ name, stream: read(`${name}.stream`), whole: read(`${name}.whole`) })),
  };
}
