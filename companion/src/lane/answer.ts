/**
 * A provider's answer on its way to a client of the lane: status, headers and every chunk as they came, each its own write.
 *
 * An answer that breaks ends with the connection, never with a clean end. While an event stream is silent between two events, a comment
 * keeps the client alive; nothing is ever put inside an event, nor into anything that is no event stream.
 */
import type { ServerResponse } from 'node:http';
import type { Flow } from '../turn/flow.ts';
import type { HeaderList } from '../upstream/headers.ts';

const SILENCE_MILLISECONDS = 10_000;
const COMMENT = ': still waiting for the provider\n\n';
const NOTHING = Buffer.alloc(0);
const EVENT_END = /(?:\r\n\r\n|\n\n|\r\r)$/;

export interface ClientAnswer {
  /** The head went out: from here on there is only the provider's own answer. */
  readonly headed: () => boolean;
  head(status: number, statusText: string, headers: HeaderList): void;
  chunk(bytes: Uint8Array): void;
  end(trailers: HeaderList): void;
  /** The connection is over, honestly. */
  break(): void;
  /** Who is credited with what the client has taken. */
  use(flow: Flow): void;
}

export function clientAnswer(response: ServerResponse, ours: () => HeaderList, silence = SILENCE_MILLISECONDS): ClientAnswer {
  let flow: Flow | null = null;
  let comments = false;
  let sized = false;
  let tail = '';
  let timer: NodeJS.Timeout | null = null;

  const quiet = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  const wait = (): void => {
    quiet();
    if (!comments) return;
    timer = setTimeout(() => {
      if (tail === '' || EVENT_END.test(tail)) response.write(COMMENT);
      wait();
    }, silence);
    timer.unref();
  };
  response.on('close', quiet);

  return {
    headed: () => response.headersSent,
    head(status, statusText, headers) {
      const said = ours();
      // A page is let in by us, in one word: browsers refuse two.
      const twice = new Set(said.map(([name]) => name).filter((name) => name.startsWith('access-control-')));
      const flat = [...headers.filter(([name]) => !twice.has(name)), ...said].flat();
      response.sendDate = false;
      response.writeHead(status, statusText, flat);
      // Not `flushHeaders`: that writes them in UTF-8, and they came in Latin-1.
      response.write(NOTHING);
      const named = (wanted: string): string =>
        headers
          .find(([name]) => name === wanted)?.[1]
          .trim()
          .toLowerCase() ?? '';
      sized = named('content-length') !== '';
      comments =
        status === 200 && named('content-type').startsWith('text/event-stream') && !sized && named('content-encoding') === '';
      wait();
    },
    chunk(bytes) {
      if (comments) tail = (tail + Buffer.from(bytes.subarray(-4)).toString('latin1')).slice(-4);
      response.write(bytes, () => flow?.credit(bytes.length));
      wait();
    },
    end(trailers) {
      quiet();
      if (trailers.length > 0) response.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]));
      response.end();
    },
    break() {
      quiet();
      const { socket } = response;
      // What was written still goes out, and no last chunk behind it. Where there are no chunks and no length, only a reset is no end.
      if (socket === null) response.destroy();
      else if (sized || response.chunkedEncoding) socket.destroySoon();
      else socket.resetAndDestroy();
    },
    use(next) {
      flow = next;
    },
  };
}
