/**
 * Intercepts XMLHttpRequest on its prototype, so that every object stays the browser's own, subclasses and the page's own patches
 * included.
 *
 * Invariant: an object that is not served reaches the browser's own functions with the same arguments, synchronous ones always; each
 * call is made there first, so that what is wrong with it is said in the browser's words. Failure direction: the native `send`.
 */
import type { Bridge } from './bridge.ts';
import type { PageContext } from './eligible.ts';
import { replace, watchMade } from './replace.ts';
import { addEventListener, type Opened, type Served, serveXhr } from './serve-xhr.ts';
import { claim } from './take.ts';

/** What runs in the place of a function. `native` is that one, for this object or another. */
type Instead = (
  xhr: XMLHttpRequest,
  args: readonly unknown[],
  native: (self: unknown) => unknown,
  served: Served | null,
) => unknown;

/** Installs the patch; the returned function takes it out again. */
export function patchXhr(scope: typeof globalThis, bridge: Bridge, context: () => PageContext): () => void {
  const { XMLHttpRequest: Native, DOMException: NativeError } = scope;
  const { prototype } = Native;
  const opened = new WeakMap<XMLHttpRequest, Opened>();
  /** Objects used in ways that are left to the browser: upload events, another type than the server's. */
  const odd = new WeakSet<XMLHttpRequest>();
  let active = true;
  let used = false;

  const refuse = () => {
    throw new NativeError('Invalid state.', 'InvalidStateError');
  };
  const value: Record<string, Instead> = {
    open(xhr, args, native) {
      const before = opened.get(xhr);
      // Known before the call, in whose events the page may already set headers.
      opened.set(xhr, { args, headers: [], served: null });
      try {
        native(xhr);
      } catch (error) {
        if (before) opened.set(xhr, before);
        throw error;
      }
      before?.served?.drop();
    },
    setRequestHeader(xhr, args, native, served) {
      // A fresh object refuses in the words of one that was sent.
      native(served ? new Native() : xhr);
      opened.get(xhr)?.headers.push([`${args[0]}`, `${args[1]}`]);
    },
    send(xhr, [body], native, served) {
      const record = opened.get(xhr);
      if (served) return native(new Native());
      if (!active || !record || (record.args.length > 2 && !record.args[2])) return native(xhr);
      const { args, headers } = record;
      const left = odd.has(xhr) || args[3] != null || args[4] != null || xhr.responseType === 'document';
      // The browser sends text as UTF-8 and says so.
      if (typeof body === 'string')
        for (const header of headers)
          if (/^content-type$/i.test(header[0])) header[1] = header[1].replace(/charset=[^;]*/i, 'charset=UTF-8');
      const init = {
        method: `${args[0]}`,
        headers,
        body,
        credentials: xhr.withCredentials ? 'include' : 'same-origin',
        // An option that is passed by, as these uses are.
        cache: left ? 'reload' : 'default',
      };
      const captured = claim([`${args[1]}`, init], bridge, context());
      if (!captured) return native(xhr);
      used = true;
      serveXhr(xhr, record, captured, send, bridge);
    },
    abort: (xhr, _, native, served) => (served ? served.abort() : native(xhr)),
    overrideMimeType(xhr, _, native, served) {
      if (served && served.state > 2) refuse();
      odd.add(xhr);
      native(xhr);
    },
    getResponseHeader: (xhr, [name], native, served) => native(xhr) ?? served?.received?.header(`${name}`) ?? null,
    getAllResponseHeaders: (xhr, _, native, served) => native(xhr) || (served?.received?.allHeaders() ?? ''),
  };
  const { send } = prototype;
  const get: Record<string, Instead> = {
    upload(xhr, _, native) {
      odd.add(xhr);
      return native(xhr);
    },
    readyState: (xhr, _, native, served) => served?.state ?? native(xhr),
    status: (xhr, _, native, served) => served?.received?.head.status ?? native(xhr),
    statusText: (xhr, _, native, served) => served?.received?.head.statusText ?? native(xhr),
    responseURL: (xhr, _, native, served) => served?.received?.url ?? native(xhr),
    // Refused for most response types, by the browser itself.
    responseText: (xhr, _, native, served) => native(xhr) || (served ? read(served, '') : ''),
    response: (xhr, _, native, served) => (served ? read(served, xhr.responseType) : native(xhr)),
  };
  const set: Record<string, Instead> = {
    timeout(xhr, _, native, served) {
      native(xhr);
      served?.retime();
    },
    responseType(xhr, _, native, served) {
      if (served && served.state > 2) refuse();
      native(xhr);
    },
    withCredentials: (xhr, _, native, served) => (served ? refuse() : native(xhr)),
  };
  const undo = [
    // The first listener of each object.
    watchMade(scope, 'XMLHttpRequest', (made) =>
      addEventListener.call(made, 'loadstart', (event) => {
        if (opened.get(made as XMLHttpRequest)?.again) event.stopImmediatePropagation();
      }),
    ),
  ];
  for (const [part, all] of Object.entries({ value, get, set }))
    for (const [name, instead] of Object.entries(all))
      undo.push(
        replace(prototype, name, part as 'value', {
          apply: (native, self, args) =>
            instead(self, args, (other) => Reflect.apply(native, other, args), opened.get(self)?.served ?? null),
        }),
      );
  return () => {
    active = false;
    // An object that was served goes on showing what it received.
    if (!used) for (const back of undo) back();
  };
}

/** What is to be read of the body by now. */
function read({ state, received }: Served, type: string): unknown {
  if (/^(?:text)?$/.test(type)) return (state > 2 && received?.text) || '';
  return state === 4 && received ? received.whole() : null;
}
