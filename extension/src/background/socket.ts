/**
 * A WebSocket as a queue: messages are kept until someone reads, so no frame is lost between handshake and service.
 */
export interface Socket {
  send(data: string | Uint8Array): void;
  /** The next message, or null when the socket is closed. For the handshake. */
  next(): Promise<string | Uint8Array | null>;
  /** From now on messages go to `onMessage` (what is queued first), and `onClose` is called once. */
  serve(onMessage: (data: string | Uint8Array) => void, onClose: () => void): void;
  close(): void;
}

type Message = string | Uint8Array;

/** Resolves when the socket is open, null when it cannot be. */
export function openSocket(raw: WebSocket): Promise<Socket | null> {
  raw.binaryType = 'arraybuffer';
  const queue: Message[] = [];
  let waiting: ((message: Message | null) => void) | null = null;
  let serving: { onMessage: (data: Message) => void; onClose: () => void } | null = null;
  let closed = false;

  const deliver = (message: Message) => {
    if (serving) serving.onMessage(message);
    else if (waiting) {
      const take = waiting;
      waiting = null;
      take(message);
    } else queue.push(message);
  };
  const shut = () => {
    if (closed) return;
    closed = true;
    waiting?.(null);
    waiting = null;
    serving?.onClose();
  };

  const socket: Socket = {
    send: (data) => raw.send(data as string | Uint8Array<ArrayBuffer>),
    next: () => {
      const first = queue.shift();
      if (first !== undefined) return Promise.resolve(first);
      if (closed) return Promise.resolve(null);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    serve(onMessage, onClose) {
      serving = { onMessage, onClose };
      for (const message of queue.splice(0)) onMessage(message);
      if (closed) onClose();
    },
    close: () => {
      raw.close();
      shut();
    },
  };

  return new Promise((resolve) => {
    raw.onopen = () => resolve(socket);
    raw.onmessage = (event: MessageEvent) => {
      const data: unknown = event.data;
      if (typeof data === 'string') deliver(data);
      else if (data instanceof ArrayBuffer) deliver(new Uint8Array(data));
    };
    raw.onerror = () => {
      // A close event follows and tells all there is to tell.
    };
    raw.onclose = () => {
      shut();
      resolve(null);
    };
  });
}
